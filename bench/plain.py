"""Calls of a provider with a bare socket: a library for HTTP would be measured along with it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from table import BenchError


class Caller:
    """A connection that is kept open and carries one call after another."""

    def __init__(
        self, url: httpx.URL, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._url = url
        self._reader = reader
        self._writer = writer

    async def first_event(self, body: str, key: str) -> float:
        """Seconds from the call to its first event; the rest is read outside of the time."""
        head = [
            f"POST {self._url.path} HTTP/1.1",
            f"Host: {self._url.host}:{self._url.port}",
            "Content-Type: application/json",
            f"Authorization: Bearer {key}",
            f"Content-Length: {len(body)}",
        ]
        call = "\r\n".join([*head, "", body]).encode()
        began = time.perf_counter()
        self._writer.write(call)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        if b" 200 " not in answer.partition(b"\r\n")[0] or b"chunked" not in answer:
            raise BenchError(f"The provider answered: {answer.decode('latin-1')}")
        first = None
        while size := int(await self._reader.readline(), 16):
            chunk = await self._reader.readexactly(size + 2)
            if first is None and chunk.startswith(b"data:"):
                first = time.perf_counter() - began
        # What ends a body without trailers.
        await self._reader.readline()
        if first is None:
            raise BenchError("The provider answered without an event.")
        return first


@asynccontextmanager
async def calling(base_url: str) -> AsyncIterator[Caller]:
    """A connection to a provider, ready before anything is sent."""
    url = httpx.URL(f"{base_url}/chat/completions")
    reader, writer = await asyncio.open_connection(url.host, url.port)
    try:
        yield Caller(url, reader, writer)
    finally:
        writer.close()
