"""The newest events of a live run, kept in memory for readers that are nearly up to date."""

from __future__ import annotations

import sys
from collections import deque
from itertools import islice

from .model import Event

_MOST = 128
_MOST_BYTES = 1024 * 1024


class Tail:
    """A copy of the newest events; older ones have to be read from the journal."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._bytes = 0
        self._last = 0

    @property
    def last(self) -> int:
        """The number of the newest event."""
        return self._last

    def add(self, events: tuple[Event, ...]) -> None:
        """Add the events of a commit."""
        self._last = events[-1].n
        for event in events:
            self._events.append(event)
            self._bytes += sys.getsizeof(event.data)
            while len(self._events) > _MOST or self._bytes > _MOST_BYTES:
                self._bytes -= sys.getsizeof(self._events.popleft().data)

    def after(self, n: int) -> list[Event] | None:
        """The events after number `n`, or None if some of them are no longer here."""
        missing = self._last - n
        there = len(self._events)
        return list(islice(self._events, there - missing, None)) if 0 <= missing <= there else None
