"""An incremental decoder of server-sent events."""

from __future__ import annotations

import codecs

MAX_EVENT = 8 * 1024 * 1024
"""The most bytes one event may have; a larger one ends the stream."""


class EventTooLarge(ValueError):
    """One event outgrew `MAX_EVENT`."""


class SseDecoder:
    """Takes bytes as they arrive and returns the data of each complete event.

    Chat completions use only `data`; other fields and comments are ignored. Incomplete events are
    kept as bytes, so they use no more memory than their length.
    """

    def __init__(self, limit: int = MAX_EVENT) -> None:
        self.limit = limit
        self._head: bytes | None = b""
        """The first bytes, until it is known whether they are a byte order mark."""
        self._after_cr = False
        self._line = bytearray()
        self._data: bytearray | None = None

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that these bytes complete."""
        if self._head is not None:
            chunk = self._head + chunk
            if len(chunk) < len(codecs.BOM_UTF8) and codecs.BOM_UTF8.startswith(chunk):
                self._head = chunk
                return []
            self._head = None
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
        if chunk and self._after_cr:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if chunk.endswith(b"\r"):
            self._after_cr = True
        events: list[str] = []
        lines = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for line in lines[:-1]:
            self._add(line)
            self._end_line(events)
        self._add(lines[-1])
        return events

    def rest(self) -> str | None:
        """The data of a last event that the stream ended without its blank line."""
        events: list[str] = []
        if self._line:
            self._end_line(events)
        self._end_line(events)
        return events[0] if events else None

    def _add(self, part: bytes) -> None:
        self._line += part
        if len(self._line) + len(self._data or b"") > self.limit:
            raise EventTooLarge(f"An event is larger than {self.limit} bytes.")

    def _end_line(self, events: list[str]) -> None:
        line, self._line = self._line, bytearray()
        if not line:
            if self._data is not None:
                events.append(self._data.decode("utf-8", "replace"))
            self._data = None
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            value = value.removeprefix(b" ")
            if self._data is None:
                self._data = value
            else:
                self._data += b"\n" + value
