"""Requests to providers that need no proxy, each on a connection of its own.

The HTTP library does more for a request than all the rest of the server: it looks for a connection
to reuse, which no request here may, for cookies and for redirects, and writes head and body apart.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import h11
import httpcore
import httpx

from .network import Connection, Network

_PART = 64 * 1024
# Bytes of a head; h11 allows fewer, and gateways send long headers.
_LONGEST_HEAD = 100 * 1024
# A body that is longer is not copied to go into one packet with its head.
_TOGETHER = 64 * 1024
# The extension of a request that was written before.
_WRITTEN = "turnbook.written"
# Before, asyncio cannot encrypt a connection that is encrypted already.
_HAS_TLS_IN_TLS = sys.version_info >= (3, 11)


class Direct(httpx.AsyncBaseTransport):
    """Sends requests over connections of a `Network`."""

    def __init__(self, network: Network) -> None:
        self._network = network

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and read the head of its response."""
        if request.url.scheme not in ("http", "https"):
            raise httpx.UnsupportedProtocol("The address must begin with http:// or https://.")
        limits: dict[str, float | None] = request.extensions.get("timeout", {})
        await request.aread()
        with _errors():
            written = request.extensions.pop(_WRITTEN, None) or _Written(request)
            connection = await self._network.reach(request.url, limits.get("connect"))
            try:
                return await _Exchange(connection, limits, written).ask()
            except BaseException:
                connection.close()
                raise


class _Written:
    """The bytes of a request, whose body was read before; raises an error of h11 if it is none."""

    def __init__(self, request: httpx.Request) -> None:
        self.talk = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LONGEST_HEAD)
        body = request.content
        head = h11.Request(
            method=request.method, target=request.url.raw_path, headers=request.headers.raw
        )
        parts = [
            self.talk.send(head) or b"",
            (self.talk.send(h11.Data(data=body)) or b"") if body else b"",
            self.talk.send(h11.EndOfMessage()) or b"",
        ]
        self.parts = parts if len(body) > _TOGETHER else [b"".join(parts)]


class _Exchange(httpx.AsyncByteStream):
    """A request and its response, whose body this is until somebody takes the connection over."""

    def __init__(
        self, connection: Connection, limits: dict[str, float | None], written: _Written
    ) -> None:
        self._connection = connection
        self._limits = limits
        self._talk = written.talk
        self._parts = written.parts

    async def ask(self) -> httpx.Response:
        await self._send()
        head = await self._next()
        while isinstance(head, h11.InformationalResponse) and head.status_code != 101:
            head = await self._next()
        assert isinstance(head, h11.Response | h11.InformationalResponse)
        return httpx.Response(
            head.status_code,
            headers=head.headers.raw_items(),
            stream=self,
            extensions={
                "http_version": b"HTTP/" + head.http_version,
                "reason_phrase": head.reason,
                "network_stream": self._connection,
            },
        )

    async def _send(self) -> None:
        # They must not be kept as long as the response is read.
        parts, self._parts = self._parts, []
        try:
            for part in parts:
                await self._connection.write(part, self._limits.get("write"))
        except httpcore.WriteError:
            # A peer that refuses what it has not read may have said why.
            return

    async def _next(self) -> Any:
        while True:
            event = self._talk.next_event()
            if event is not h11.NEED_DATA:
                return event
            data = await self._connection.read(_PART, self._limits.get("read"))
            if not data and self._talk.their_state is h11.SEND_RESPONSE:
                raise httpx.RemoteProtocolError("The connection was closed without an answer.")
            self._talk.receive_data(data)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _errors():
            while isinstance(event := await self._next(), h11.Data):
                yield bytes(event.data)

    async def aclose(self) -> None:
        await self._connection.aclose()


@contextmanager
def _errors() -> Iterator[None]:
    """Errors as the HTTP library raises them."""
    try:
        yield
    except h11.LocalProtocolError as error:
        raise httpx.LocalProtocolError(str(error)) from error
    except h11.RemoteProtocolError as error:
        raise httpx.RemoteProtocolError(str(error)) from error
    except (httpcore.NetworkError, httpcore.TimeoutException) as error:
        # They have the same names there.
        raise getattr(httpx, type(error).__name__)(str(error)) from error


def lead_through(client: httpx.AsyncClient, network: Network) -> None:
    """Let a client make its connections with `network`, also those to proxies.

    The HTTP library has no public way for this that leaves the proxies of the environment in place.
    Without it, everything works, but slower.
    """
    if isinstance(getattr(client, "_transport", None), httpx.AsyncHTTPTransport):
        client._transport = Direct(network)
    for transport in getattr(client, "_mounts", {}).values():
        pool = getattr(transport, "_pool", None)
        proxy = getattr(pool, "_proxy_url", None)
        is_nested = proxy is not None and proxy.scheme == b"https"
        if isinstance(pool, httpcore.AsyncConnectionPool) and (_HAS_TLS_IN_TLS or not is_nested):
            pool._network_backend = network


def is_direct(client: httpx.AsyncClient, url: httpx.URL) -> bool:
    """Whether a client is known to reach this address without a proxy."""
    return _direct(client, url) is not None


def write_before(client: httpx.AsyncClient, request: httpx.Request) -> None:
    """Write a request now, so that sending it takes less time; it can then be sent once."""
    if is_direct(client, request.url):
        with _errors():
            request.extensions[_WRITTEN] = _Written(request)


async def send(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """Send a request; returns once the head of its response is there."""
    transport = _direct(client, request.url)
    if transport is None:
        return await client.send(request, stream=True)
    # The client looks for cookies, redirects and passwords in addresses, which it must not use, and
    # takes longer for that than sending does.
    response = await transport.handle_async_request(request)
    response.request = request
    return response


def _direct(client: httpx.AsyncClient, url: httpx.URL) -> Direct | None:
    find = getattr(client, "_transport_for_url", None)
    found = None if find is None else find(url)
    return found if isinstance(found, Direct) else None


def connection_of(response: httpx.Response) -> Connection | None:
    """The connection of a response, if `Network` has made it and nothing else is on it."""
    found = response.extensions.get("network_stream")
    is_ours = isinstance(found, Connection) and response.http_version in ("HTTP/1.0", "HTTP/1.1")
    return found if is_ours else None
