"""Answers that are framed badly, early, at length or by a proxy: nothing is lost, forged or held up."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpcore
import pytest

from jupyterlab_turnbook.runs import direct
from jupyterlab_turnbook.runs.bodies import Chunked, after_head
from jupyterlab_turnbook.runs.network import Connection, Network
from jupyterlab_turnbook.runs.reply import End, Reply
from jupyterlab_turnbook.runs.wire import Wire, new_client, request_to
from jupyterlab_turnbook.scripted_provider.tls import certificate, server_context
from jupyterlab_turnbook.scripted_provider.wire import read_request

from .test_wire import chunk, nothing, provider_at

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
REPLY = f"data: {chunk('hello ')}\n\ndata: {chunk('world', 'stop')}\n\n".encode()
DONE = b"data: [DONE]\n\n"
INTERIM = b"HTTP/1.1 103 Early Hints\r\n\r\n"

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def framed(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(body), body)


@asynccontextmanager
async def listening(serve: Serve, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server of raw connections; its port."""
    writers: list[asyncio.StreamWriter] = []

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with suppress(OSError, asyncio.IncompleteReadError):
            await serve(reader, writer)

    server = await asyncio.start_server(one, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()


async def send(url: str, body: bytes = b"{}") -> tuple[End, list[str]]:
    """Send; the end and the chunks."""
    got: list[str] = []

    async def keep(chunks: list[str]) -> None:
        got.extend(chunks)

    async with await asyncio.to_thread(new_client) as client:
        wire = Wire(client, provider_at(url), answered=nothing, chunks=keep)
        return await asyncio.wait_for(wire.send(body), 30), got


async def answered(*writes: bytes) -> tuple[End, list[str]]:
    """Send to a server that answers with these bytes, each in a packet of its own."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for data in writes:
            writer.write(data)
            await writer.drain()
            await asyncio.sleep(0.05)

    async with listening(serve) as port:
        return await send(f"http://127.0.0.1:{port}/v1")


@pytest.mark.parametrize("parted", [False, True])
@pytest.mark.parametrize(
    "tail",
    [framed(REPLY + DONE) + b"zz\r\n", framed(REPLY + DONE)[:-2] + b"too long\r\n"],
    ids=["size", "length"],
)
async def test_what_came_before_a_framing_error_is_kept(tail: bytes, parted: bool) -> None:
    end, got = await (answered(CHUNKED, tail) if parted else answered(CHUNKED + tail))
    assert (end[0], end[1].finish, len(got)) == ("finish", "stop", 2)


async def test_a_framing_error_in_the_middle_keeps_what_came_and_loses_the_rest() -> None:
    first = f"data: {chunk('hello ')}\n\n".encode()
    end, got = await answered(CHUNKED, framed(first) + b"zz\r\n" + framed(REPLY + DONE))
    assert (end[0], end[1].type, len(got)) == ("lose", "network", 1)


def test_bytes_after_a_framing_error_are_no_body() -> None:
    body = Chunked()
    assert (body.feed(b"1\r\na\r\nzz\r\n1\r\nb\r\n"), body.is_bad, body.may_end) == (
        b"a",
        True,
        False,
    )
    # Sizes may have zeros before them.
    assert Chunked().feed(b"0" * 19 + b"1\r\na\r\n") == b"a"


async def test_an_answer_that_comes_before_the_body_of_the_request_is_read() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n" + REPLY + DONE)
        await read_request(reader)
        await asyncio.Event().wait()

    made: list[Connection] = []

    class Early(Network):
        """Sends when the answer is there."""

        async def open(self, host: str, port: int, timeout: float | None) -> Connection:
            connection = await super().open(host, port, timeout)
            made.append(connection)
            while not connection._waiting:
                await asyncio.sleep(0.01)
            return connection

    async with listening(serve) as port, new_client(network=Early) as client:
        url = f"http://127.0.0.1:{port}/v1"
        wire = Wire(client, provider_at(url), answered=nothing, chunks=lambda chunks: nothing())
        end, outcome = await asyncio.wait_for(wire.send(b"{}"), 10)
    assert (end, outcome.finish, len(made)) == ("finish", "stop", 1)


@pytest.mark.parametrize("size", [0, 10, 200_000])
async def test_a_request_that_was_written_before_is_sent_like_others(size: int) -> None:
    read: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        read.append(head + await reader.readexactly(size))
        writer.write(HEAD + b"Connection: close\r\n\r\n" + REPLY + DONE)

    body = b"x" * size
    async with listening(serve) as port, new_client() as client:
        provider = provider_at(f"http://127.0.0.1:{port}/v1")
        for is_before in (False, True):
            request = request_to(client, provider, body)
            if is_before:
                direct.write_before(client, request)
            wire = Wire(client, provider, answered=nothing, chunks=lambda chunks: nothing())
            end, _ = await asyncio.wait_for(wire.send(body, request), 10)
            assert end == "finish"
    assert len(read) == 2
    assert read[0] == read[1]


async def test_a_head_may_be_long_and_come_in_parts() -> None:
    policy = b"Content-Security-Policy: " + b"x" * 40_000 + b"\r\n"
    end, got = await answered(HEAD + policy, policy + b"\r\n", REPLY + DONE)
    assert (end[0], end[1].finish, len(got)) == ("finish", "stop", 2)


async def test_interim_answers_are_limited() -> None:
    few = INTERIM * 100
    assert (await answered(few + HEAD + b"\r\n" + REPLY + DONE))[0][0] == "finish"
    sent = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await read_request(reader)
        while True:
            writer.write(INTERIM * 1000)
            await writer.drain()
            sent += len(INTERIM) * 1000

    async with listening(serve) as port:
        end, _ = await send(f"http://127.0.0.1:{port}/v1")
    assert (end[0], end[1].type) == ("lose", "network")
    # What was not read is in buffers of the system.
    assert sent < 64 * 1024 * 1024


def test_many_interim_answers_are_skipped_without_copies() -> None:
    copied = 0

    class Counted(bytes):
        """Bytes that note how many of them are copied."""

        def __getitem__(self, place: Any) -> Any:
            nonlocal copied
            part = Counted(super().__getitem__(place))
            copied += len(part)
            return part

    assert after_head(Counted(INTERIM * 1000 + HEAD + b"\r\n" + b"x")) == b"x"
    assert copied == 1


async def test_a_defect_while_reading_is_not_a_broken_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    feed = Reply.feed

    def fails(self: Reply, part: bytes) -> list[str]:
        if b"world" in part:
            raise ZeroDivisionError
        return feed(self, part)

    monkeypatch.setattr(Reply, "feed", fails)
    with pytest.raises(ZeroDivisionError):
        await answered(HEAD + b"\r\n", REPLY)
    with pytest.raises(ZeroDivisionError):
        await answered(HEAD + b"\r\n" + REPLY)
    monkeypatch.setattr(Reply, "close", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        await answered_and_closed(HEAD + b"\r\ndata: ")


async def answered_and_closed(data: bytes) -> tuple[End, list[str]]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(data)
        writer.close()

    async with listening(serve) as port:
        return await send(f"http://127.0.0.1:{port}/v1")


@pytest.fixture(scope="module")
def cert(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return certificate(tmp_path_factory.mktemp("tls"), "far.example")


@asynccontextmanager
async def proxied(
    cert: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    *,
    scheme: str = "http",
    extra: bytes = b"",
) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A provider with TLS behind a proxy that says `extra` before it; what the provider got."""
    got: list[bytes] = []

    async def provide(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_request(reader)
        if request is not None:
            got.append(request.body)
            writer.write(CHUNKED + framed(REPLY + DONE) + b"0\r\n\r\n")
            await writer.drain()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async with listening(provide, server_context(*cert)) as there:

        async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n" + extra)
            await writer.drain()
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", there)
            await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))

        context = server_context(*cert) if scheme == "https" else None
        async with listening(proxy, context) as port:
            monkeypatch.setenv("SSL_CERT_FILE", str(cert[0]))
            for name in ("NO_PROXY", "no_proxy"):
                monkeypatch.delenv(name, raising=False)
            monkeypatch.setenv("HTTPS_PROXY", f"{scheme}://127.0.0.1:{port}")
            yield "https://far.example/v1", got


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("nested", [True, False])
async def test_a_provider_is_reached_through_a_proxy(
    cert: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, scheme: str, nested: bool
) -> None:
    # Python 3.10 cannot encrypt what is encrypted already; the HTTP library can.
    monkeypatch.setattr(direct, "_HAS_TLS_IN_TLS", direct._HAS_TLS_IN_TLS and nested)
    async with proxied(cert, monkeypatch, scheme=scheme) as (url, got):
        end, chunks = await send(url)
    assert (end[0], len(chunks), got) == ("finish", 2, [b"{}"])


async def test_a_proxy_cannot_forge_what_comes_encrypted(
    cert: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = HEAD + b"\r\n" + REPLY + DONE
    # The HTTP library reads 64 KiB, and drops what follows the proxy's head; the rest is waiting.
    async with proxied(cert, monkeypatch, extra=b" " * 70_000 + forged) as (url, got):
        end, chunks = await send(url)
    assert (end[0], chunks, got) == ("fail", [], [])


async def test_what_comes_before_tls_is_not_kept() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await asyncio.Event().wait()

    async with listening(serve) as port:
        connection = await Network(ssl.create_default_context()).open("127.0.0.1", port, 5)
        while not connection._waiting:
            await asyncio.sleep(0.01)
        with pytest.raises(httpcore.ConnectError):
            await connection.start_tls(ssl.create_default_context(), "127.0.0.1", 5)
