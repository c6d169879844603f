"""No log line contains a key, neither in its text nor in its traceback."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.providers.log_guard import LogGuard
from jupyterlab_turnbook.providers.provider import Provider, Timeouts

LONG = "sk-canary-0123456789"
SHORT = "tiny-7"


def provider(key: str) -> Provider:
    return Provider("p", "http://h", key, {}, Timeouts(), "restart", "user", None)


class Lines(logging.Handler):
    """Collects each formatted record and its fields."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record) + repr(record.__dict__))


@pytest.fixture
def log() -> Iterator[logging.Logger]:
    logger = logging.getLogger("turnbook-guarded")
    logger.propagate = False
    yield logger
    logger.handlers.clear()
    logger.filters.clear()


@pytest.fixture
def lines(log: logging.Logger) -> list[str]:
    handler = Lines()
    log.addHandler(handler)
    guard = LogGuard()
    guard.watch(log)
    for key in (LONG, SHORT):
        guard.hide(provider(key))
    return handler.lines


def boom(key: str) -> None:
    try:
        raise ValueError(f"inner {key}")
    except ValueError as error:
        raise RuntimeError(f"outer {key}") from error


@pytest.mark.parametrize("key", [LONG, SHORT])
def test_tracebacks_are_redacted(log: logging.Logger, lines: list[str], key: str) -> None:
    try:
        boom(key)
    except RuntimeError:
        log.exception("it broke")
    (line,) = lines
    assert key not in line
    assert "outer [key]" in line and "inner [key]" in line
    assert "Traceback" in line and "in boom" in line


def test_stacks_and_arguments_are_redacted(log: logging.Logger, lines: list[str]) -> None:
    key = LONG
    log.error("said %s", key, stack_info=True)
    record = log.makeRecord(log.name, logging.ERROR, "f", 1, "m", (), None, sinfo=f"at {key}")
    record.exc_text = f"formatted before: {key}"
    log.handle(record)
    assert len(lines) == 2
    assert not any(key in line for line in lines)
    assert "at [key]" in lines[1] and "formatted before: [key]" in lines[1]


def test_a_traceback_without_a_key_does_not_change(log: logging.Logger, lines: list[str]) -> None:
    seen: list[Any] = []

    def look(record: logging.LogRecord) -> bool:
        seen.append(record.exc_info)
        return True

    log.addFilter(look)
    try:
        boom("nothing")
    except RuntimeError as error:
        log.exception("it broke")
        assert seen[0][1] is error
    assert "outer nothing" in lines[0]


def test_a_message_that_cannot_be_formatted_is_logged(
    log: logging.Logger, lines: list[str]
) -> None:
    log.error("%d of %s", "no number", LONG)
    (line,) = lines
    assert "%d of %s" in line and "no number" in line and LONG not in line


async def test_every_logger_that_a_request_may_reach_is_guarded(
    turnbook: TurnbookApp, jp_serverapp: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Also those of the server, Tornado and asyncio, which log uncaught exceptions."""
    await turnbook.registry.put("mine", {"baseUrl": "http://h", "key": LONG})
    handler = Lines()
    names = ["tornado.access", "tornado.application", "tornado.general", "asyncio", "httpx"]
    loggers = [logging.getLogger(name) for name in names] + [turnbook.log, jp_serverapp.log]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        for logger in loggers:
            try:
                boom(LONG)
            except RuntimeError:
                logger.error("uncaught", exc_info=True)
        asyncio.get_running_loop().call_exception_handler({"message": f"lost {LONG}"})
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
    assert len(handler.lines) > len(names)
    assert not any(LONG in line for line in handler.lines)
