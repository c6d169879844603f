"""What a provider's response was like on the wire: times, headers, hash, and bytes around events."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from .sse import MAX_EVENT

FIRST = b"data: "
USUAL = b"\n\ndata: "
"""What stands before the data of the first event, and of the others, in most streams."""

_LONGEST = 64 * 1024
_LONGEST_HEADER = 300
# What helps to understand or report a response; nothing that identifies the account.
_KEPT = re.compile(
    r"content-type|content-length|date|retry-after|(x-|openai-|anthropic-)?request-id|cf-ray"
    r"|x-generation-id|openai-processing-ms|openai-model|x-envoy-upstream-service-time"
    r"|(x-|anthropic-)?ratelimit-[a-z-]+",
    re.IGNORECASE,
)


class Mark(NamedTuple):
    """What is noted of an event beside its data."""

    at: int
    """Milliseconds since the request left."""
    before: bytes | None
    """The bytes between the data of the event before and its own; None for the usual ones."""


class Received:
    """Takes note of a response while it is read.

    The data of events is kept elsewhere; with `before` of each and `rest`, the response can be put
    together again, byte for byte. `lacks` says why that does not work: something was redacted, an
    event is not kept as it was written, or the body was not read.
    """

    def __init__(
        self, redact: Callable[[str], str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._redact = redact
        self._clock = clock
        self._left_at = clock()
        self._hash = hashlib.sha256()
        self._open = bytearray()
        self._events = 0
        self.marks: list[Mark] = []
        """Those of events that are not in the journal yet."""
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.answered: int | None = None
        self.ended: int | None = None
        self.size = 0
        self.lacks: Literal["redacted", "malformed", "compressed"] | None = None
        """Why the response cannot be put together again; None if it can."""

    @property
    def exact(self) -> bool:
        """Whether the response can be put together again, so far."""
        return self.lacks is None

    def leaves(self) -> None:
        """The request is sent now."""
        self._left_at = self._clock()

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        """The response begins."""
        self.status = status
        self.answered = self._now()
        self.headers = {
            name.lower(): self._redact(value)[:_LONGEST_HEADER]
            for name, value in headers.items()
            if _KEPT.fullmatch(name)
        }

    def skip(self) -> None:
        """The body is compressed and is not read."""
        self.lacks = "compressed"

    def feed(self, part: bytes, chunks: list[str]) -> None:
        """These bytes came and complete these events."""
        self.size += len(part)
        self._hash.update(part)
        if self.exact:
            self._open += part
        at = self._now() if chunks else 0
        for data in chunks:
            self.marks.append(Mark(at, self._before(data) if self.exact else None))
        if len(self._open) > MAX_EVENT + _LONGEST:
            self._give_up()

    def take(self, count: int) -> list[Mark]:
        """The marks of the next events that go into the journal."""
        taken, self.marks = self.marks[:count], self.marks[count:]
        return taken

    def end(self) -> None:
        """Nothing more comes."""
        if self.ended is None:
            self.ended = self._now()
            if self.exact and not self._is_clean(bytes(self._open)):
                self._give_up()

    @property
    def digest(self) -> str | None:
        """The sha256 of the bytes that came; None if there was no response or it was not read."""
        unread = self.status is None or self.lacks == "compressed"
        return None if unread else self._hash.hexdigest()

    @property
    def rest(self) -> bytes:
        """The bytes after the data of the last event."""
        return bytes(self._open)

    @property
    def is_stream(self) -> bool:
        """Whether the events are parts of the bytes; else all of them are in `rest`."""
        return self._events > 0

    def _before(self, data: str) -> bytes | None:
        wanted = data.encode("utf-8", "surrogatepass")
        at = self._open.find(wanted)
        before = bytes(self._open[: max(at, 0)])
        usual = USUAL if self._events else FIRST
        if at == -1 or (before != usual and not self._is_clean(before)):
            # A whole answer in JSON is one event that is kept in another form.
            if not self._is_json():
                self._give_up()
            return None
        self._events += 1
        del self._open[: at + len(wanted)]
        return None if before == usual else before

    def _is_json(self) -> bool:
        return self.headers.get("content-type", "").startswith("application/json")

    def _is_clean(self, data: bytes) -> bool:
        # An answer in JSON comes as a whole, so all of it is around events.
        longest = MAX_EVENT if self._is_json() else _LONGEST
        return len(data) <= longest and not self._has_secrets(data)

    def _has_secrets(self, data: bytes) -> bool:
        text = data.decode("utf-8", "replace")
        return self._redact(text) != text

    def _give_up(self) -> None:
        self.lacks = "redacted" if self._has_secrets(bytes(self._open)) else "malformed"
        self._open.clear()

    def _now(self) -> int:
        return max(0, round((self._clock() - self._left_at) * 1000))


def together(events: list[tuple[str, bytes | None]], rest: bytes, *, is_stream: bool) -> bytes:
    """The bytes of a response from the data of its events and what stood before each."""
    if not is_stream:
        return rest
    made: list[bytes] = []
    for index, (data, before) in enumerate(events):
        usual = USUAL if index else FIRST
        made += [usual if before is None else before, data.encode("utf-8", "surrogatepass")]
    return b"".join([*made, rest])


def as_row(received: Received, sent_at: int) -> dict[str, Any]:
    """The columns of the table `responses`."""
    has_ended = received.ended is not None
    # Marks that are left belong to events that never got into the journal.
    exact = received.exact and has_ended and not received.marks
    unread = received.lacks == "compressed"
    return {
        "sent_at": sent_at,
        "status": received.status,
        "answered": received.answered,
        "ended": received.ended,
        "size": received.size if has_ended and not unread else None,
        "hash": received.digest if has_ended else None,
        "is_stream": received.is_stream,
        "rest": received.rest if exact else None,
        "lacks": received.lacks,
    }
