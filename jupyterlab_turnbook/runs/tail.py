"""The last events of a living run, kept in memory for those who are up to date."""

from __future__ import annotations

from .model import Event

_MOST = 64


class Tail:
    """The newest events, which are in the journal already; who needs older ones reads those there."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._last = 0

    @property
    def last(self) -> int:
        """The number of the newest event."""
        return self._last

    def add(self, events: tuple[Event, ...]) -> None:
        """Take in what a commit has written."""
        self._events += events[-_MOST:]
        self._last = events[-1].n
        if len(self._events) > 2 * _MOST:
            del self._events[:-_MOST]

    def after(self, n: int) -> list[Event] | None:
        """The events after a number, or None if they are not all here."""
        missing = self._last - n
        if missing == 0:
            return []
        return self._events[-missing:] if 0 < missing <= len(self._events) else None
