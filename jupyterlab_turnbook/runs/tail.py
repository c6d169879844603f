"""The newest events of a live run, kept in memory for readers that are nearly up to date."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from itertools import islice

from .model import Event

_MOST = 128
_MOST_BYTES = 1024 * 1024
_SECONDS = 1.0
"""How long an event is here at least. Whoever is further behind reads the journal anyway."""


class Tail:
    """A copy of the newest events; older ones have to be read from the journal."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._old = 0
        """The number of the last event that was here when it was last looked for old ones."""
        self._look_at = 0.0
        self._events: deque[Event] = deque()
        self._bytes = 0
        self._last = 0

    @property
    def last(self) -> int:
        """The number of the newest event."""
        return self._last

    def add(self, events: tuple[Event, ...]) -> None:
        """Add the events of a commit."""
        now = self._clock()
        if now >= self._look_at:
            while self._events and self._events[0].n <= self._old:
                self._bytes -= sys.getsizeof(self._events.popleft().data)
            self._old, self._look_at = self._last, now + _SECONDS
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
