"""Keeps keys out of logs and tracebacks, even at DEBUG, where HTTP libraries log headers."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ..base.redact import redactor
from .provider import Provider

# A filter applies to its own logger but not to that logger's children, so each is listed.
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
    """A filter that redacts all known keys in log records."""

    def __init__(self) -> None:
        super().__init__()
        self._redactors: dict[int, Callable[[str], str]] = {}

    def watch(self, log: logging.Logger) -> None:
        """Filter this logger and those of the libraries that a request passes through."""
        for logger in (log, *(logging.getLogger(name) for name in LOGGERS)):
            logger.addFilter(self)

    def hide(self, provider: Provider) -> None:
        """Redact this provider's key and secret headers from now on."""
        secrets = (provider.key, *sorted(provider.headers.items()))
        plain = redactor(provider.key, provider.headers)
        # Headers are logged as the repr of bytes, which doubles backslashes.
        quoted = redactor(
            provider.key and repr(provider.key)[1:-1],
            {name: repr(value)[1:-1] for name, value in provider.headers.items()},
        )
        self._redactors[hash(secrets)] = lambda text: quoted(plain(text))

    def filter(self, record: logging.LogRecord) -> bool:
        """Redacts the record and always lets it pass."""
        try:
            said = record.getMessage()
        except (TypeError, ValueError):
            # Otherwise handlers would print the arguments unredacted.
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
            # The exception object contains the key too, so pass on only the text.
            record.exc_text, record.exc_info = clean, None

    def _clean(self, text: str) -> str:
        for redact in tuple(self._redactors.values()):
            text = redact(text)
        return text


GUARD = LogGuard()
"""The only guard of this process, because loggers are global too."""
