"""Why the embedded model cannot answer."""

from __future__ import annotations


class LocalError(Exception):
    """The embedded model cannot be used; `message` says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class LocalMissing(LocalError):
    """The model's file or llama.cpp is not installed."""


class LocalFailed(LocalError):
    """It is installed but does not start."""


class FetchFailed(LocalError):
    """It could not be fetched."""
