"""An incremental decoder of server-sent events."""

from __future__ import annotations

import codecs

MAX_EVENT = 8 * 1024 * 1024
"""Characters that one event may have before the stream is given up."""


class EventTooLarge(ValueError):
    """One event outgrew `MAX_EVENT`."""


class SseDecoder:
    """Takes bytes as they come and gives the data of each complete event.

    Only `data` matters to chat completions: other fields and comments are passed over.
    """

    def __init__(self, limit: int = MAX_EVENT) -> None:
        self.limit = limit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._start = True
        self._after_cr = False
        self._line: list[str] = []
        self._data: list[str] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that these bytes complete."""
        text = self._decoder.decode(chunk)
        if text and self._start:
            self._start = False
            text = text.removeprefix("\ufeff")
        if text and self._after_cr:
            self._after_cr = False
            text = text.removeprefix("\n")
        if text.endswith("\r"):
            self._after_cr = True
        events: list[str] = []
        # Not splitlines(): it also splits at characters that are plain text here.
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines[:-1]:
            self._add(line)
            self._end_line(events)
        self._add(lines[-1])
        return events

    def rest(self) -> str | None:
        """The data of an event that the end of the stream left without its blank line."""
        events: list[str] = []
        if self._line:
            self._end_line(events)
        self._end_line(events)
        return events[0] if events else None

    def _add(self, part: str) -> None:
        if part:
            self._line.append(part)
            self._size += len(part)
            if self._size > self.limit:
                raise EventTooLarge(f"An event is larger than {self.limit} characters.")

    def _end_line(self, events: list[str]) -> None:
        line = "".join(self._line)
        self._line = []
        if not line:
            if self._data:
                events.append("\n".join(self._data))
            self._data = []
            self._size = 0
            return
        name, _, value = line.partition(":")
        if name == "data":
            self._data.append(value.removeprefix(" "))
        elif not self._data:
            self._size = 0
