"""Keys out of logs, also at DEBUG, where HTTP libraries write down what a provider sent back."""

from __future__ import annotations

import logging
from collections.abc import Callable

from ..runs.redact import redactor
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
)


class LogGuard(logging.Filter):
    """Replaces every key it was told of in the records of the loggers it sits on."""

    def __init__(self) -> None:
        super().__init__()
        self._redactors: dict[int, Callable[[str], str]] = {}

    def watch(self, log: logging.Logger) -> None:
        """Sit on this logger and on those of the HTTP libraries."""
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
        said = record.getMessage()
        clean = said
        for redact in tuple(self._redactors.values()):
            clean = redact(clean)
        if clean != said:
            record.msg, record.args = clean, ()
        return True


GUARD = LogGuard()
"""The process's one guard: loggers are the process's too."""
