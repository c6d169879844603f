"""Connections that are opened while somebody writes: used once, soon, and never needed."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpcore
import httpx
import pytest
from jupyter_server.auth import Authorizer
from jupyter_server.serverapp import ServerApp

from jupyterlab_turnbook.providers.provider import Provider
from jupyterlab_turnbook.rerun.sending import Sender
from jupyterlab_turnbook.runs import network
from jupyterlab_turnbook.runs.clients import Clients
from jupyterlab_turnbook.runs.network import Network
from jupyterlab_turnbook.runs.wire import Wire
from jupyterlab_turnbook.scripted_provider.tls import certificate, server_context

from .conftest import Api, ended, new_run
from .test_wire import chunk, drop, nothing, provider_at

REPLY = f"data: {chunk('a', 'stop')}\n\ndata: [DONE]\n\n".encode()
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    + f"{len(REPLY):x}\r\n".encode()
    + REPLY
    + b"\r\n0\r\n\r\n"
)


class Server:
    """A provider that notes what comes on each of its connections."""

    def __init__(self) -> None:
        self.carried: list[bytes] = []
        self.writers: list[asyncio.StreamWriter] = []
        self.closed = 0
        self.port = 0
        self.changed = asyncio.Condition()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        mine = len(self.carried)
        self.carried.append(b"")
        self.writers.append(writer)
        await self._tell()
        with suppress(ConnectionError, ssl.SSLError):
            while data := await reader.read(65536):
                self.carried[mine] += data
                if b"\r\n\r\n{}" in self.carried[mine]:
                    writer.write(ANSWER)
                await self._tell()
        self.closed += 1
        writer.close()
        await self._tell()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something to be noted."""
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(holds), 10)

    async def _tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()


@pytest.fixture(scope="module")
def cert(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return certificate(tmp_path_factory.mktemp("tls"))


@asynccontextmanager
async def listening(context: ssl.SSLContext | None) -> AsyncIterator[Server]:
    made = Server()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=context)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        for writer in made.writers:
            writer.transport.abort()


@pytest.fixture(params=["http", "https"])
def reached(
    request: pytest.FixtureRequest, cert: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Any]:
    """A provider with or without TLS, and what connects to it."""
    monkeypatch.setenv("SSL_CERT_FILE", str(cert[0]))
    scheme: str = request.param

    @asynccontextmanager
    async def reach() -> AsyncIterator[tuple[str, Server, Clients]]:
        async with listening(server_context(*cert) if scheme == "https" else None) as server:
            clients = Clients()
            yield f"{scheme}://127.0.0.1:{server.port}/v1", server, clients
            await clients.close()

    return reach


async def send(clients: Clients, url: str) -> str:
    wire = Wire(await clients.get(url), provider_at(url), answered=nothing, chunks=drop)
    end, outcome = await asyncio.wait_for(wire.send(b"{}"), 10)
    assert (end, outcome.finish) == ("finish", "stop"), outcome
    return end


def prepared(clients: Clients) -> list[network.Connection]:
    return [one for made in clients._networks.values() for one in made._prepared]


async def test_a_prepared_connection_has_carried_nothing_and_is_used_once(
    reached: Callable[[], Any],
) -> None:
    async with reached() as (url, server, clients):
        await clients.prepare(url, 5)
        await server.until(lambda: len(server.carried) == 1)
        assert server.carried == [b""] and len(prepared(clients)) == 1
        await send(clients, url)
        assert len(server.carried) == 1 and server.carried[0].startswith(
            b"POST /v1/chat/completions"
        )
        await send(clients, url)
        assert len(server.carried) == 2 and prepared(clients) == []


async def test_one_that_the_provider_has_closed_is_not_used(reached: Callable[[], Any]) -> None:
    async with reached() as (url, server, clients):
        await clients.prepare(url, 5)
        await server.until(lambda: len(server.carried) == 1)
        [ready] = prepared(clients)
        server.writers[0].transport.abort()
        while not ready.is_over:
            await asyncio.sleep(0.01)
        await send(clients, url)
        assert [bool(carried) for carried in server.carried] == [False, True]


async def test_one_on_which_something_came_unasked_is_not_used(
    reached: Callable[[], Any],
) -> None:
    async with reached() as (url, server, clients):
        await clients.prepare(url, 5)
        await server.until(lambda: len(server.carried) == 1)
        [ready] = prepared(clients)
        server.writers[0].write(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
        while not ready.has_carried:
            await asyncio.sleep(0.01)
        await send(clients, url)
        assert [bool(carried) for carried in server.carried] == [False, True]


async def test_one_with_tls_is_not_used_without(cert: tuple[Path, Path]) -> None:
    context = ssl.create_default_context(cafile=str(cert[0]))
    async with listening(server_context(*cert)) as server:
        made = Network(context)
        await made.prepare(httpx.URL(f"https://127.0.0.1:{server.port}"), 5)
        plain = await made.reach(httpx.URL(f"http://127.0.0.1:{server.port}"), 5)
        # Not encrypted, so the server hangs up.
        await plain.write(b"GET / HTTP/1.1\r\n\r\n")
        with suppress(httpcore.ReadError):
            assert not (await plain.read(100)).startswith(b"HTTP")
        assert server.carried[0] == b""
        plain.close()
        made.close()


async def test_it_is_closed_when_nobody_sends(
    reached: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reached() as (url, server, clients):
        monkeypatch.setattr(network, "_FRESH_SECONDS", 0.05)
        await clients.prepare(url, 5)
        await server.until(lambda: server.closed == 1)
        assert prepared(clients) == [] and server.carried == [b""]
        await send(clients, url)
        assert len(server.carried) == 2


async def test_one_is_not_used_after_the_machine_has_slept(
    reached: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reached() as (url, server, clients):
        for hours in (1, -1):
            before = len(server.carried)
            await clients.prepare(url, 5)
            # The clock goes on; timers do not.
            later = time.time() + hours * 3600
            with monkeypatch.context() as patch:
                patch.setattr(network, "time", SimpleNamespace(time=lambda now=later: now))
                await send(clients, url)
            assert [bool(carried) for carried in server.carried[before:]] == [False, True]
            assert prepared(clients) == []
        await server.until(lambda: server.closed >= 2)


async def test_one_that_is_being_opened_when_the_server_ends_is_closed(
    reached: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reached() as (url, server, clients):
        opened, go = asyncio.Event(), asyncio.Event()
        really = Network.open

        async def slow(self: Network, *args: Any) -> network.Connection:
            made = await really(self, *args)
            opened.set()
            await go.wait()
            return made

        monkeypatch.setattr(Network, "open", slow)
        preparing = asyncio.create_task(clients.prepare(url, 5))
        await asyncio.wait_for(opened.wait(), 10)
        await clients.close()
        go.set()
        await preparing
        assert prepared(clients) == []
        await server.until(lambda: server.closed == 1)


async def test_the_first_one_asks_for_the_same_protocol_as_requests(
    cert: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(cert[0]))
    context = server_context(*cert)
    context.set_alpn_protocols(["h2", "http/1.1"])
    async with listening(context) as server:
        clients = Clients()
        await clients.prepare(f"https://127.0.0.1:{server.port}/v1", 5)
        await server.until(lambda: len(server.writers) == 1)
        spoken = server.writers[0].get_extra_info("ssl_object").selected_alpn_protocol()
        assert spoken == "http/1.1"
        await clients.close()


async def test_few_are_open_at_once(reached: Callable[[], Any]) -> None:
    async with reached() as (url, server, clients):
        await asyncio.gather(*(clients.prepare(url, 5) for _ in range(5)))
        await server.until(lambda: len(server.carried) == 2)
        # Two chats send, each on its own.
        await asyncio.gather(send(clients, url), send(clients, url))
        assert len(server.carried) == 2 and all(server.carried)
        await clients.prepare(url, 5)
        await clients.close()
        await server.until(lambda: server.closed == 3)


async def test_another_provider_does_not_get_it(reached: Callable[[], Any]) -> None:
    async with reached() as (url, server, clients):
        async with listening(None) as other:
            await clients.prepare(f"http://127.0.0.1:{other.port}/v1", 5)
            await send(clients, url)
            assert (len(server.carried), other.carried) == (1, [b""])


async def test_what_cannot_be_reached_is_left_to_who_sends(
    cert: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    clients = Clients()
    # Nobody trusts this certificate here, and nobody listens there.
    async with listening(server_context(*cert)) as server:
        await clients.prepare(f"https://127.0.0.1:{server.port}/v1", 5)
    await clients.prepare(f"http://127.0.0.1:{server.port}/v1", 5)
    assert prepared(clients) == []
    await clients.close()


@pytest.mark.parametrize("host", ["xn--fa-hia.de", "xn--bcher-kva.example", "[::1]"])
async def test_it_goes_where_the_request_would_go(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, int]] = []
    encrypted: list[str | None] = []

    class Far(network.Connection):
        async def start_tls(self, *args: Any, **kwargs: Any) -> Any:
            encrypted.append(args[1] if len(args) > 1 else kwargs["server_hostname"])
            return self

        async def write(self, *args: Any) -> None:
            raise httpcore.WriteError("far away")

    async def open_(self: Network, host: str, port: int, timeout: float | None) -> Any:
        opened.append((host, port))
        far = Far()
        far.connection_made(SimpleNamespace(get_extra_info=lambda name: None, abort=lambda: None))
        return far

    monkeypatch.setattr(Network, "open", open_)
    clients = Clients()
    url = f"https://{host}/v1"
    await clients.prepare(url, 1)
    assert len(prepared(clients)) == 1
    client = await clients.get(url)
    with pytest.raises(httpx.TransportError):
        await client.post(url)
    # One connection: the request has found the one that was prepared, under its own name.
    assert opened == [(host.strip("[]"), 443)]
    assert encrypted == [host.strip("[]")]
    assert prepared(clients) == []
    await clients.close()


@pytest.mark.parametrize("host", [f"{'a' * 64}.example", "a..example"])
async def test_a_name_that_is_no_hosts_cannot_be_reached(host: str) -> None:
    clients = Clients()
    url = f"https://{host}/v1"
    await clients.prepare(url, 1)
    assert prepared(clients) == []
    wire = Wire(await clients.get(url), provider_at(url), answered=nothing, chunks=drop)
    happening, outcome = await wire.send(b"{}")
    assert (happening, outcome.type) == ("fail", "network")
    await clients.close()

    async def provider(name: str, model: str = "") -> Provider:
        return provider_at(url)

    async def stop() -> None:
        pass

    sender = Sender(
        cast("Any", SimpleNamespace(prepare=provider, local=SimpleNamespace(stop=stop)))
    )
    answer = await sender.send("p", "m", b"{}")
    assert (answer.state, answer.outcome["type"]) == ("refused", "network")
    await sender.close()


async def test_nothing_is_prepared_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with listening(None) as proxy:
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy.port}")
        clients = Clients()
        for url in ("http://far.example/v1", "https://far.example/v1"):
            await clients.prepare(url, 5)
        assert (proxy.carried, prepared(clients)) == ([], [])
        await clients.close()


class OnlyFollows(Authorizer):
    """Lets people look, but not send."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return action != "write"


async def test_a_page_asks_for_it(api: Api, page: Any, jp_serverapp: ServerApp) -> None:
    async with listening(None) as server, page() as p:
        given = {"baseUrl": f"http://127.0.0.1:{server.port}/v1"}
        await api("putProvider", "mine", body=given)
        await p.send({"prepare": "nobody"})
        await p.send({"prepare": "local"})
        await p.send({"prepare": "mine"})
        await server.until(lambda: len(server.carried) == 1)
        assert server.carried == [b""]
        jp_serverapp.web_app.settings["authorizer"] = OnlyFollows()
        await p.send({"prepare": "mine"})
        # Not an error that the page would act on: nothing was asked for that it misses.
        await p.send({"ping": 7})
        assert await p.next() == {"pong": 7}
        assert len(server.carried) == 1


async def test_a_page_may_not_send_what_it_may_not_post(
    api: Api, page: Any, jp_serverapp: ServerApp, provider: Any
) -> None:
    asked = new_run()
    allowed = jp_serverapp.web_app.settings["authorizer"]
    async with page() as p:
        jp_serverapp.web_app.settings["authorizer"] = OnlyFollows()
        await p.send({"send": asked})
        told = await p.next()
        assert (told["refused"]["code"], told["httpStatus"]) == ("forbidden", 403)
        jp_serverapp.web_app.settings["authorizer"] = allowed
        assert provider.requests == []
        await p.send({"send": asked})
        assert (await p.next())["sent"]["id"] == asked["id"]
    await ended(api, asked["id"])
    assert len(provider.requests) == 1
