"""Downloads a file from a hub: asks for its SHA-256 first, and continues where it broke off."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import httpx

from ..base.http import ProxyUnusable, encoding_of, is_loopback, new_client
from .errors import FetchFailed
from .hub import HubModel, may_visit
from .part import Part, Wanted

T = TypeVar("T")

PAUSES = (1.0, 2.0, 4.0, 8.0)
"""Seconds before each further try; one that brings bytes starts the row again."""

_TIMEOUT = 30.0
_MOST_REDIRECTS = 5
_PIECE = 1 << 18
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SIZE = re.compile(r"[0-9]{1,15}")
# The user has agreed to the size in the list.
_TOLERANCE = 0.05
_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})


class _Again(Exception):
    """The connection was lost or the hub is busy, which may be over soon."""


class Download:
    """One download; `received` and `checking` say how far it is.

    It may be cancelled until `closing`, after which its file is being closed.
    """

    def __init__(
        self, hub: str, model: HubModel, target: Path, active: Callable[[], None] = lambda: None
    ) -> None:
        self._hub = hub
        self._model = model
        self._target = target
        self._active = active
        self._part: Part | None = None
        # One thread, so that a file is closed after the write that was under way.
        self._disk = ThreadPoolExecutor(1, "turnbook-download")
        self.received = 0
        self.checking = False
        self.closing = False

    async def run(self) -> None:
        """Download it, or raise `FetchFailed`; what arrived is kept for the next time."""
        try:
            async with self._client() as client:
                wanted = await self._persist(lambda: self._ask(client))
                part = await self._blocking(lambda: self._open(wanted))
                self.received = part.size
                if part.size < wanted.size:
                    await self._persist(lambda: self._read(client, part, wanted))
                self.checking = True
                await self._blocking(part.finish)
        finally:
            self.closing = True
            if self._part is not None:
                self._part.stop()
            await self._blocking(self._close)
            self._disk.shutdown(wait=False)

    def _open(self, wanted: Wanted) -> Part:
        self._part = Part(self._target, wanted)
        return self._part

    def _close(self) -> None:
        if self._part is not None:
            self._part.close()

    async def _blocking(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, work)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[httpx.AsyncClient]:
        try:
            # It reads the certificates.
            client = await self._blocking(
                lambda: new_client(timeout=_TIMEOUT, trust_env=not is_loopback(self._hub))
            )
        except ProxyUnusable as error:
            raise FetchFailed(str(error)) from error
        async with client:
            yield client

    async def _persist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        tries, furthest = 0, self.received
        while True:
            try:
                return await attempt()
            except _Again as error:
                if self.received > furthest:
                    tries, furthest = 0, self.received
                if tries == len(PAUSES):
                    raise FetchFailed(self._lost(error)) from error
            await asyncio.sleep(PAUSES[tries])
            tries += 1

    def _lost(self, error: _Again) -> str:
        if self.received:
            return f"{error} What arrived is kept: continue later, or discard it to start over."
        return f"{error} Check the connection of the Jupyter server and try again."

    async def _ask(self, client: httpx.AsyncClient) -> Wanted:
        """The SHA-256 and the size of the file, from the hub."""
        async with self._visit(client, "HEAD", {}) as response:
            headers = response.headers
        tag = headers.get("x-linked-etag") or headers.get("etag", "")
        sha256 = tag.removeprefix("W/").strip('"').lower()
        size = headers.get("x-linked-size") or headers.get("content-length", "")
        if not _SHA256.fullmatch(sha256) or not _SIZE.fullmatch(size):
            raise FetchFailed(
                "The hub does not say which SHA-256 and size this file has, so it cannot be checked. "
                "Nothing was downloaded."
            )
        if self._model.sha256 not in ("", sha256):
            raise FetchFailed(
                "The hub has another version of this file than the list: its SHA-256 differs. "
                "Nothing was downloaded."
            )
        listed = self._model.size
        if abs(int(size) - listed) > listed * _TOLERANCE:
            raise FetchFailed(
                f"The hub's file has {int(size) / 1e9:.2f} GB, not {listed / 1e9:.2f} GB as listed. "
                "Nothing was downloaded."
            )
        return Wanted(sha256, int(size))

    async def _read(self, client: httpx.AsyncClient, part: Part, wanted: Wanted) -> None:
        """Append what is missing."""
        asked = {"Range": f"bytes={part.size}-"} if part.size else {}
        async with self._visit(client, "GET", asked) as response:
            if encoding_of(response) is not None:
                raise FetchFailed("The hub sent the file compressed, which was not asked for.")
            if not _continues(response, part.size, wanted.size):
                if not _is_whole(response, wanted.size):
                    # A proxy's page, perhaps; what arrived earlier may still be right.
                    raise _Again("The hub sent something else than was asked for.")
                # A hub without ranges.
                await self._blocking(part.empty)
                self.received = 0
            async for data in response.aiter_raw(_PIECE):
                await self._blocking(lambda piece=data: part.write(piece))  # type: ignore[misc]
                self.received = part.size
                self._active()
        if part.size < wanted.size:
            raise _Again("The hub ended the download early.")

    @asynccontextmanager
    async def _visit(
        self, client: httpx.AsyncClient, method: str, headers: dict[str, str]
    ) -> AsyncIterator[httpx.Response]:
        """The response to a request, with redirects followed to safe addresses only."""
        url = httpx.URL(self._model.url(self._hub))
        try:
            for _ in range(_MOST_REDIRECTS + 1):
                request = client.build_request(
                    method, url, headers={"Accept-Encoding": "identity", **headers}
                )
                response = await client.send(request, stream=True)
                try:
                    if response.has_redirect_location and not _is_described(method, response):
                        url = self._next(url, response)
                        continue
                    _check(response, url.host)
                    yield response
                    return
                finally:
                    await response.aclose()
        except httpx.TransportError as error:
            why = str(error) or type(error).__name__
            raise _Again(f"The connection to {url.host} failed: {why}.") from error
        raise FetchFailed("The hub redirects too often. Nothing was downloaded.")

    def _next(self, url: httpx.URL, response: httpx.Response) -> httpx.URL:
        try:
            following = url.join(response.headers["location"])
        except httpx.InvalidURL as error:
            raise FetchFailed("The hub redirects to an address that cannot be read.") from error
        if not may_visit(str(following), self._hub):
            raise FetchFailed(
                f"The hub redirects to {following.scheme}://{following.host}, which is not encrypted. "
                "Nothing was downloaded."
            )
        return following


def _is_described(method: str, response: httpx.Response) -> bool:
    """Whether the hub itself describes the file, which another host then sends."""
    return method == "HEAD" and "x-linked-etag" in response.headers


def _continues(response: httpx.Response, start: int, size: int) -> bool:
    """Whether a response is the file of this size from there on."""
    if not start:
        return response.status_code == 200
    said = response.headers.get("content-range", "")
    wanted = rf"bytes {start}-[0-9]+/{size}"
    return response.status_code == 206 and re.fullmatch(wanted, said) is not None


def _is_whole(response: httpx.Response, size: int) -> bool:
    """Whether a response is a whole file of this size."""
    return response.status_code == 200 and response.headers.get("content-length") == str(size)


def _check(response: httpx.Response, host: str) -> None:
    status = response.status_code
    if status in _BUSY:
        raise _Again(f"{host} is not available now ({status}).")
    if status in (401, 403):
        raise FetchFailed(f"{host} does not give this file to everyone ({status}).")
    if status == 404:
        raise FetchFailed(f"{host} does not have this file any more (404).")
    if status >= 400 and status != 416:
        raise FetchFailed(f"{host} refused the request ({status}). Try again later.")
