"""HTTP/1.1 on a pair of asyncio streams: read one request, write one response, byte by byte."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any


class BadRequest(ValueError):
    """Bytes that are not an HTTP/1.1 request."""


@dataclass(frozen=True)
class Request:
    """One request: headers with lower-case names, the body's exact bytes."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON, or None if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next request, or None if the client left before it was complete."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *lines = head.split("\r\n")
        parts = line.split(" ")
        if len(parts) != 3:
            raise BadRequest(f"Not a request line: {line!r}")
        method, target, _version = parts
        headers = {}
        for entry in lines:
            name, colon, value = entry.partition(":")
            if colon:
                headers[name.strip().lower()] = value.strip()
        path, _, query = target.partition("?")
        return Request(method, path, query, headers, await _read_body(reader, headers))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    body = b""
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return body


class Response:
    """A response being sent; its head is written with the first bytes of its body."""

    def __init__(
        self,
        writer: asyncio.StreamWriter,
        status: int,
        headers: dict[str, str],
        *,
        chunked: bool = True,
        split: int | None = None,
        wrote: Callable[[int], None] = lambda size: None,
    ) -> None:
        self._writer = writer
        self._status = status
        self._headers = headers
        self._chunked = chunked
        self._split = split
        self._wrote = wrote
        self._begun = False
        raw = writer.get_extra_info("socket")
        if raw is not None:
            # Nagle's algorithm would join the pieces that a script splits.
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    async def write(self, data: bytes) -> None:
        """Write body bytes, in separate pieces if the script splits them."""
        if not self._begun:
            self._begun = True
            self._writer.write(self._head())
        step = self._split or max(len(data), 1)
        for start in range(0, len(data), step):
            piece = data[start : start + step]
            self._writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if self._chunked else piece)
            self._wrote(len(piece))
            await self._writer.drain()
            if self._split:
                # Give the client time to read, or it would receive the pieces as one.
                await asyncio.sleep(0.001)
        await self._writer.drain()

    async def end(self) -> None:
        """End the body properly."""
        await self.write(b"")
        if self._chunked:
            self._writer.write(b"0\r\n\r\n")
            await self._writer.drain()

    def cut(self, *, reset: bool) -> None:
        """Close the connection in the middle; with `reset`, by a TCP reset."""
        raw = self._writer.get_extra_info("socket")
        if reset and raw is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._writer.transport.abort()
        else:
            self._writer.close()

    def _head(self) -> bytes:
        try:
            reason = HTTPStatus(self._status).phrase
        except ValueError:
            reason = "Scripted"
        headers = {"Connection": "close", **self._headers}
        if self._chunked:
            headers["Transfer-Encoding"] = "chunked"
        lines = [f"HTTP/1.1 {self._status} {reason}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def write_json(writer: asyncio.StreamWriter, status: int, value: Any) -> None:
    """Write a complete JSON response."""
    data = json.dumps(value, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(data))}
    await Response(writer, status, headers, chunked=False).write(data)
