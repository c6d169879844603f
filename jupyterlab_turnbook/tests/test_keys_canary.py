"""A canary key is used in every way, and must be found nowhere but in the key file."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, ended, new_run

CANARIES = ['sk-canary-"7f3a\\9c/E0123456789', "k9-tiny"]


def forms(canary: str) -> set[str]:
    """The key as it is, as JSON or logs may write it, and cut off."""
    cut = canary[:14]
    return {canary, cut, json.dumps(canary)[1:-1], json.dumps(cut)[1:-1], repr(canary)[1:-1]}


class Everything(logging.Handler):
    """Collects everything that is logged, as text and with each record's fields."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record) + repr(record.__dict__))


@pytest.fixture
def logged(turnbook: TurnbookApp, jp_serverapp: Any) -> Iterator[list[str]]:
    handler = Everything()
    names = ["", "httpx", "httpcore", "asyncio", "tornado", "jupyterlab_turnbook"]
    loggers = [logging.getLogger(name) for name in names] + [turnbook.log, jp_serverapp.log]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    for logger in {logging.getLogger(), turnbook.log, jp_serverapp.log}:
        logger.addHandler(handler)
    yield handler.lines
    for logger, level in zip(loggers, before, strict=True):
        logger.removeHandler(handler)
        logger.setLevel(level)


def assert_absent(canary: str, where: str, data: str | bytes) -> None:
    content = data.encode() if isinstance(data, str) else data
    for form in forms(canary):
        assert form.encode() not in content, f"the key is in {where}"


@pytest.mark.parametrize("canary", CANARIES, ids=["long", "short"])
async def test_the_key_is_nowhere_but_in_its_file(
    api: Api,
    page: Callable[[], Any],
    turnbook: TurnbookApp,
    logged: list[str],
    journal_dir: Path,
    scripted_provider: ThreadedScriptedProvider,
    tmp_path: Path,
    canary: str,
) -> None:
    provider = scripted_provider
    seen: list[Any] = []

    async def call(*args: Any, **kwargs: Any) -> Any:
        answer = await api(*args, **kwargs)
        seen.append([answer.status, answer.body, answer.headers])
        return answer.body

    echoes = {"X-Echo": f"Bearer {canary}"}
    error = {"error": {"message": f"Incorrect API key: {canary}.", "code": canary}}
    refused = {"status": 401, "headers": echoes, "steps": [{"body": error}]}
    settings = {"baseUrl": provider.url, "key": canary}

    # Put and test, with good and bad answers.
    assert (await call("putProvider", "mine", body=settings))["key"] == "set"
    provider.script(refused, {"headers": echoes, "steps": [{"body": [{"id": f"m {canary}"}]}]},
                    model="/v1/models")  # fmt: skip
    assert not (await call("testProvider", "mine", body={"baseUrl": provider.url}))["ok"]
    assert (await call("testProvider", "mine", body=settings))["models"] == ["m [key]"]
    await call("listProviders")
    provider.script(refused, model="/v1/models")
    assert (await call("listModels", params={"refresh": "1"}))["errors"]
    await call("listModels", params={"refresh": "1"})
    for wrong in ({"key": canary}, {"baseUrl": canary}, {"baseUrl": [canary]}, canary):
        await call("putProvider", "mine", body=wrong, valid=False)
    await call("putProvider", "mine", valid=False, raw=f'{{"key": "{canary}"')

    # Runs whose provider echoes the key: in an error, in headers, in the stream.
    scripts: list[dict[str, Any]] = [
        refused,
        {"status": 500, "headers": echoes, "steps": [{"raw": f"{'x' * 480} {canary}"}]},
        {
            "headers": echoes,
            "steps": [
                {"delta": f"Your key is {canary}!"},
                {"chunk": {"choices": [], "note": canary}},
                {"raw": f": {canary}\n\n"},
                {"finish": "stop"},
                {"done": True},
            ],
        },
        {"headers": echoes, "steps": [{"delta": "a"}, {"chunk": error}]},
        {"steps": [{"chunk": {"error": {"message": f"{'x' * 480} {canary}"}}}]},
        {"headers": {"Location": f"http://{canary[:9]}.test/{canary}"}, "status": 302,
         "steps": [{"headers": True}]},
    ]  # fmt: skip
    async with page() as socket:
        await socket.send({"watchAll": True})
        for script in scripts:
            provider.script(script)
            asked = new_run(provider="mine")
            await call("createRun", body=asked)
            await socket.send({"subscribe": asked["id"]})
            seen.append(await socket.events(asked["id"]))
            seen.append(await ended(api, asked["id"]))
            await call("getRun", asked["id"])
            await call("getRequest", asked["id"])
        await call("listRuns")

    # The test is meaningful only if the key was really used and really echoed.
    assert all(r.headers["authorization"] == f"Bearer {canary}" for r in provider.completions())
    assert len(provider.completions()) == len(scripts)
    assert "Your key is [key]!" in repr(seen)

    assert_absent(canary, "an answer", repr(seen) + json.dumps(seen, default=repr))
    assert any("httpcore" in line or "receive_response" in line for line in logged)
    for line in logged:
        assert_absent(canary, f"the log: {line[:80]}", line)
    assert_absent(
        canary, "a repr", repr(await turnbook.registry.prepare("mine")) + repr(turnbook.registry)
    )

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    keys = journal_dir / "keys.json"
    assert keys in files and any(path.suffix in (".db", ".sqlite") for path in files)
    for path in files:
        if path != keys:
            assert_absent(canary, str(path), path.read_bytes())
    assert json.loads(keys.read_text())["mine"]["key"] == canary
