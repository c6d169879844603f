"""Connections to providers, some opened before they are needed, read without the HTTP library once a reply streams."""

from __future__ import annotations

import asyncio
import codecs
import ssl
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import anyio
import httpcore
import httpx

# Python loads it with the first name that is looked up, when there may be no file descriptor left.
codecs.lookup("idna")

# Bytes that may wait to be read before a reply is followed.
_WAITING = 256 * 1024
# Bytes that the HTTP library may read of an answer: its head, heads of interim ones, or an error.
_LONGEST_ANSWER = 256 * 1024
# How long a connection may wait for its request, and how many may wait.
_FRESH_SECONDS = 20.0
_MOST_OF_ADDRESS = 2
_MOST = 8


class Receiver(Protocol):
    """Who gets the bytes of a connection as they arrive."""

    def received(self, data: bytes) -> None:
        """These bytes came."""

    def ended(self, error: Exception | None) -> None:
        """Nothing more comes; without an error, the peer has closed the connection."""


class Connection(asyncio.Protocol, httpcore.AsyncNetworkStream):
    """A TCP or TLS connection, as the HTTP library uses it until `take`."""

    def __init__(self) -> None:
        self._transport: Any = None
        self._waiting = bytearray()
        self._answer = bytearray()
        """What came since the last write, so that `take` can give it again."""
        self._receiver: Receiver | None = None
        self._is_taken = False
        self.error: Exception | None = None
        """Why it is over, if not because the peer closed it."""
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self.is_over = False
        """Whether nothing more will come."""
        self.has_carried = False
        """Whether anything was sent or received."""

    # As asyncio sees it

    def connection_made(self, transport: Any) -> None:
        """The connection is open."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Pass on what came, or keep it until it is read."""
        if self._receiver is not None:
            self._receiver.received(data)
            return
        self.has_carried = True
        self._waiting += data
        self._answer += data
        self._news.set()
        if len(self._waiting) > _WAITING:
            self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes, and nothing can be written."""
        if self.is_over:
            return
        self.is_over = True
        self.error = exc
        self._news.set()
        self._room.set()
        if self._receiver is not None:
            self._receiver.ended(exc)

    def eof_received(self) -> None:
        """The peer has closed its side."""
        self.connection_lost(None)

    def pause_writing(self) -> None:
        """The peer reads slowly."""
        self._room.clear()

    def resume_writing(self) -> None:
        """It has caught up."""
        self._room.set()

    # As the HTTP library sees it

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes; none at the end."""
        while not self._waiting:
            if self.is_over:
                if self.error is not None:
                    raise httpcore.ReadError(str(self.error)) from self.error
                return b""
            self._news.clear()
            with _timed(timeout, httpcore.ReadTimeout):
                await self._news.wait()
        if len(self._answer) - len(self._waiting) > _LONGEST_ANSWER:
            self.close()
            raise httpcore.ReadError("The head of the answer is too long.")
        data = bytes(self._waiting[:max_bytes])
        del self._waiting[:max_bytes]
        if not self.is_over and len(self._waiting) <= _WAITING:
            self._transport.resume_reading()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send these bytes."""
        if not buffer:
            return
        if self.is_over:
            raise httpcore.WriteError(str(self.error or "The connection was closed."))
        self.has_carried = True
        # What nobody has read yet may be an answer that came early.
        self._answer[:] = self._waiting
        self._transport.write(buffer)
        if not self._room.is_set():
            with _timed(timeout, httpcore.WriteTimeout):
                await self._room.wait()
            if self.is_over:
                raise httpcore.WriteError(str(self.error or "The connection was closed."))

    async def aclose(self) -> None:
        """Close it at once, unless somebody has taken it over."""
        if not self._is_taken:
            self.close()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Encrypt it from now on."""
        loop = asyncio.get_running_loop()
        if self._waiting:
            # It would be read as if it had come encrypted.
            self.close()
            raise httpcore.ConnectError("Something came before the connection was encrypted.")
        self._answer.clear()
        try:
            with _timed(timeout, httpcore.ConnectTimeout):
                made = await loop.start_tls(
                    self._transport, self, ssl_context, server_hostname=server_hostname
                )
        except (OSError, TypeError) as error:
            # asyncio refuses transports that it cannot encrypt with a `TypeError`.
            self.close()
            raise httpcore.ConnectError(str(error)) from error
        except BaseException:
            self.close()
            raise
        if made is None or self.is_over:
            # Before Python 3.12 a connection that is lost meanwhile gives no transport.
            self.close()
            raise httpcore.ConnectError("The connection was closed.")
        self._transport = made
        return self

    def get_extra_info(self, info: str) -> Any:
        """What the HTTP library asks for."""
        if info == "is_readable":
            return self.is_over or bool(self._waiting)
        name = {"client_addr": "sockname", "server_addr": "peername"}.get(info, info)
        return self._transport.get_extra_info(name)

    # As the reader of a reply sees it

    def take(self, receiver: Receiver) -> bytes:
        """Pass on what arrives from now on; returns all that came since the last write."""
        answer = bytes(self._answer)
        self._answer.clear()
        self._waiting.clear()
        self._receiver = receiver
        self._is_taken = True
        self.resume()
        return answer

    def pause(self) -> None:
        """Read no more for now."""
        if not self.is_over:
            self._transport.pause_reading()

    def resume(self) -> None:
        """Read again."""
        if not self.is_over:
            self._transport.resume_reading()

    def close(self) -> None:
        """Close it at once; the receiver hears no more of it."""
        self._receiver = None
        if self._transport is not None:
            self._transport.abort()


class Address(NamedTuple):
    """Where a connection goes."""

    host: str
    port: int
    has_tls: bool


class _Waits(NamedTuple):
    """Whom a prepared connection waits for."""

    address: Address
    timer: asyncio.TimerHandle
    since: float


class Network(httpcore.AsyncNetworkBackend):
    """Opens connections to providers, some of them before they are needed, and to proxies."""

    def __init__(self, ssl_context: ssl.SSLContext) -> None:
        self._ssl_context = ssl_context
        self._prepared: dict[Connection, _Waits] = {}
        self._opening: Counter[Address] = Counter()
        self._is_closed = False

    async def reach(self, url: httpx.URL, timeout: float | None) -> Connection:
        """A connection for one request to this address: one that was prepared, or else a new one.

        Raises errors of `httpcore`. Nothing has been sent or received on it.
        """
        address = _address(url)
        for connection, waits in list(self._prepared.items()):
            if waits.address == address:
                self._forget(connection)
                # Timers stand still while the machine sleeps, and the peer may have gone meanwhile.
                is_fresh = 0 <= time.time() - waits.since <= _FRESH_SECONDS
                if is_fresh and not connection.is_over and not connection.has_carried:
                    return connection
                connection.close()
        return await self._connect(address, timeout)

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Connection:
        """A new connection for the HTTP library, which encrypts it itself."""
        return await self.open(host, port, timeout)

    async def open(self, host: str, port: int, timeout: float | None) -> Connection:
        """A new connection to an address."""
        loop = asyncio.get_running_loop()
        try:
            with _timed(timeout, httpcore.ConnectTimeout):
                _, made = await loop.create_connection(
                    Connection, host, port, happy_eyeballs_delay=0.25
                )
        except (OSError, UnicodeError) as error:
            # Names that are no host's, such as one with a long label, cannot be looked up.
            raise httpcore.ConnectError(str(error)) from error
        return made

    async def prepare(self, url: httpx.URL, timeout: float) -> None:
        """Open a connection that a request to this address may use soon; nothing is sent on it."""
        address = _address(url)
        known = Counter(waits.address for waits in self._prepared.values()) + self._opening
        if known[address] >= _MOST_OF_ADDRESS or known.total() >= _MOST:
            return
        self._opening[address] += 1
        try:
            made = await self._connect(address, timeout)
        except (httpcore.ConnectError, httpcore.ConnectTimeout):
            # Whoever sends will find out, and be told.
            return
        finally:
            self._opening[address] -= 1
        if self._is_closed:
            made.close()
            return
        timer = asyncio.get_running_loop().call_later(_FRESH_SECONDS, self._drop, made)
        self._prepared[made] = _Waits(address, timer, time.time())

    def close(self) -> None:
        """Close what was prepared, also what is being opened."""
        self._is_closed = True
        for connection in list(self._prepared):
            self._drop(connection)

    async def _connect(self, address: Address, timeout: float | None) -> Connection:
        made = await self.open(address.host, address.port, timeout)
        if address.has_tls:
            await made.start_tls(self._ssl_context, address.host, timeout)
        return made

    def _forget(self, connection: Connection) -> None:
        self._prepared.pop(connection).timer.cancel()

    def _drop(self, connection: Connection) -> None:
        self._forget(connection)
        connection.close()

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> Connection:
        """Base URLs name no such sockets."""
        raise httpcore.UnsupportedProtocol("There are no providers on Unix sockets.")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def _address(url: httpx.URL) -> Address:
    has_tls = url.scheme == "https"
    # Decoded and encoded again, an international name may be another's.
    return Address(url.raw_host.decode("ascii"), url.port or (443 if has_tls else 80), has_tls)


class _timed:  # noqa: N801 - used like a function
    """Raises an error of the HTTP library if the block takes too long."""

    def __init__(self, seconds: float | None, error: type[Exception]) -> None:
        self._scope = None if seconds is None else anyio.move_on_after(seconds)
        self._error = error

    def __enter__(self) -> None:
        if self._scope is not None:
            self._scope.__enter__()

    def __exit__(self, *exc: Any) -> bool | None:
        if self._scope is None:
            return None
        hidden = self._scope.__exit__(*exc)
        if self._scope.cancelled_caught:
            raise self._error("It took too long.")
        return hidden
