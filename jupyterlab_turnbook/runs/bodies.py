"""Where the body of an HTTP/1 response is in the bytes of its connection."""

from __future__ import annotations

import re

import httpx

_SIZE = re.compile(rb"([0-9A-Fa-f]{1,20})[ \t]*(?:;[^\r\n]*)?")
_LONGEST_LINE = 16 * 1024
# The HTTP library accepts both line ends here.
_HEAD_ENDS = re.compile(rb"\n\r?\n")
_INTERIM = re.compile(rb"HTTP/1\.[0-9] 1[0-9][0-9]\b")


class BadBody(ValueError):
    """The peer does not follow HTTP."""


class Sized:
    """A body of a known length, or one that lasts until the peer closes the connection."""

    is_bad = False

    def __init__(self, size: int | None) -> None:
        self._left = size

    @property
    def over(self) -> bool:
        """Whether the body is complete; what follows is ignored."""
        return self._left == 0

    def feed(self, data: bytes) -> bytes:
        """The body's bytes among these."""
        if self._left is None:
            return data
        part = data[: self._left]
        self._left -= len(part)
        return part

    @property
    def may_end(self) -> bool:
        """Whether the peer may close the connection now."""
        return not self._left


class Chunked:
    """A body in the chunked transfer coding."""

    def __init__(self) -> None:
        self._line = b""
        """A line that is not complete yet: a size, the end of a chunk, or a trailer."""
        self._left = 0
        """Bytes of the current chunk that are still to come."""
        self._in_chunk = False
        self._in_trailers = False
        self.over = False
        """Whether the body is complete; what follows is ignored."""
        self.is_bad = False
        """Whether the peer does not follow HTTP; the body's bytes before that still count."""

    def feed(self, data: bytes) -> bytes:
        """The body's bytes among these."""
        body: list[bytes] = []
        try:
            self._feed(data, body)
        except BadBody:
            self.is_bad = True
        return body[0] if len(body) == 1 else b"".join(body)

    def _feed(self, data: bytes, body: list[bytes]) -> None:
        if self._line:
            data, self._line = self._line + data, b""
        at, end = 0, len(data)
        while at < end and not self.over:
            if self._left:
                part = data[at : at + self._left]
                body.append(part)
                at += len(part)
                self._left -= len(part)
                continue
            stop = data.find(b"\r\n", at)
            if stop < 0:
                self._line = data[at:]
                if len(self._line) > _LONGEST_LINE or (self._in_chunk and len(self._line) > 1):
                    raise BadBody("a line has no end")
                break
            self._take_line(data[at:stop])
            at = stop + 2

    @property
    def may_end(self) -> bool:
        """Whether the peer may close the connection now."""
        return self.over

    def _take_line(self, line: bytes) -> None:
        if self._in_chunk:
            # What follows a chunk's bytes before its line break.
            if line:
                raise BadBody("a chunk is longer than its size")
            self._in_chunk = False
        elif self._in_trailers:
            self.over = not line
        else:
            size = _SIZE.fullmatch(line)
            if size is None:
                raise BadBody("a chunk has no size")
            self._left = int(size[1], 16)
            self._in_chunk = self._left > 0
            self._in_trailers = self._left == 0


def body_of(response: httpx.Response) -> Sized | Chunked:
    """How the body of a response ends, whose head the HTTP library has checked."""
    headers = response.headers
    if response.status_code in (204, 304):
        return Sized(0)
    if "transfer-encoding" in headers:
        return Chunked()
    length = headers.get("content-length")
    # The library allows a length to be repeated.
    return Sized(None if length is None else int(length.partition(",")[0]))


def after_head(answer: bytes) -> bytes:
    """What follows the head of a response, and those of interim ones before it."""
    at = 0
    while True:
        end = _HEAD_ENDS.search(answer, at)
        if end is None:
            raise BadBody("the head has no end")
        is_interim = _INTERIM.match(answer, at)
        at = end.end()
        if not is_interim:
            return answer[at:]
