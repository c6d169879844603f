"""Keys out of logs and tracebacks, also at DEBUG, where HTTP libraries log what a provider sent."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ..base.redact import redactor
from .provider import Provider

# A filter works on the logger it is put on and not on its children, so each is named.
LOGGERS = (
    "httpx",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
    "asyncio",
    "tornado.access",
    "tornado.application",
    "tornado.general",
)
_FORMATTER = logging.Formatter()


class LogGuard(logging.Filter):
    """Replaces every key it was told of in the records of the loggers it sits on."""

    def __init__(self) -> None:
        super().__init__()
        self._redactors: dict[int, Callable[[str], str]] = {}

    def watch(self, log: logging.Logger) -> None:
        """Sit on this logger and on those of the libraries that a request passes through."""
        for logger in (log, *(logging.getLogger(name) for name in LOGGERS)):
            logger.addFilter(self)

    def hide(self, provider: Provider) -> None:
        """Keep this provider's key and secret headers out from now on."""
        secrets = (provider.key, *sorted(provider.headers.items()))
        plain = redactor(provider.key, provider.headers)
        # Headers are logged as Python writes bytes, which doubles a backslash.
        quoted = redactor(
            provider.key and repr(provider.key)[1:-1],
            {name: repr(value)[1:-1] for name, value in provider.headers.items()},
        )
        self._redactors[hash(secrets)] = lambda text: quoted(plain(text))

    def filter(self, record: logging.LogRecord) -> bool:
        """Always lets a record pass, without the keys."""
        try:
            said = record.getMessage()
        except (TypeError, ValueError):
            # Handlers would print the arguments as they are.
            said = f"{record.msg} {record.args!r}"
            record.msg, record.args = said, ()
        clean = self._clean(said)
        if clean != said:
            record.msg, record.args = clean, ()
        self._clean_traceback(record)
        if record.stack_info:
            record.stack_info = self._clean(record.stack_info)
        return True

    def _clean_traceback(self, record: logging.LogRecord) -> None:
        text = record.exc_text
        if not text and record.exc_info and record.exc_info[0] is not None:
            text = _FORMATTER.formatException(record.exc_info)
        clean = self._clean(text or "")
        if clean != (text or ""):
            # The exception itself holds the key too, so only its text goes on.
            record.exc_text, record.exc_info = clean, None

    def _clean(self, text: str) -> str:
        for redact in tuple(self._redactors.values()):
            text = redact(text)
        return text


GUARD = LogGuard()
"""The process's one guard: loggers are the process's too."""
