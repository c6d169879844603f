"""The wire alone: new connections, no proxies on loopback, nothing lost when it is cancelled."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from jupyterlab_turnbook.providers.ask import AskError, list_models
from jupyterlab_turnbook.providers.provider import Provider, Timeouts
from jupyterlab_turnbook.runs import direct, reading, wire
from jupyterlab_turnbook.runs.owner import Owner
from jupyterlab_turnbook.runs.probe import probe
from jupyterlab_turnbook.runs.reading import Reading
from jupyterlab_turnbook.runs.received import Received
from jupyterlab_turnbook.runs.reply import Reply
from jupyterlab_turnbook.runs.wire import Wire, new_client
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider


def chunk(text: str, finish: str | None = None) -> str:
    return json.dumps(
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}
    )


def provider_at(url: str, **timeouts: float) -> Provider:
    return Provider("p", url, None, {}, Timeouts(**timeouts), "restart", "user", None)


class Server:
    """A server that keeps connections open and counts them."""

    def __init__(self) -> None:
        self.connections = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        # Without [DONE], so that it is read to its end and its connection could be reused.
        body = f"data: {chunk('a', 'stop')}\n\n".encode()
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = head.partition("content-length: ")[2].partition("\r\n")[0]
                await reader.readexactly(int(length or 0))
                writer.write(
                    b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Type: text/event-stream\r\n"
                    + f"Content-Length: {len(body)}\r\n\r\n".encode()
                    + body
                )
                await writer.drain()
        writer.close()


@asynccontextmanager
async def keeping_server() -> AsyncIterator[Server]:
    made = Server()
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    try:
        yield made
    finally:
        listening.close()


async def nothing() -> None:
    pass


async def drop(chunks: list[str]) -> None:
    pass


async def test_each_request_opens_a_new_connection() -> None:
    async with keeping_server() as server, new_client() as client:
        for n in range(1, 4):
            sending = Wire(client, provider_at(server.url), answered=nothing, chunks=drop)
            assert (await sending.send(b"{}"))[0] == "finish"
            # An old connection might be dead.
            assert server.connections == n


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_loopback_is_never_proxied(
    scripted_provider: ThreadedScriptedProvider,
    make_scripted_provider: Callable[..., ThreadedScriptedProvider],
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    variable: str,
) -> None:
    proxy = make_scripted_provider()
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, proxy.url.removesuffix("/v1"))
    there = provider_at(scripted_provider.url.replace("127.0.0.1", host))
    async with new_client() as client:
        sending = Wire(client, there, answered=nothing, chunks=drop)
        request = {"model": "m", "stream": True, "messages": []}
        assert (await sending.send(json.dumps(request).encode()))[0] == "finish"
    await list_models(there)
    assert (len(scripted_provider.requests), len(proxy.requests)) == (2, 0)


@pytest.mark.parametrize(
    ("address", "advice"),
    [
        ("socks5://user:hunter22@127.0.0.1:9", 'pip install "httpx[socks]"'),
        ("gopher://user:hunter22@127.0.0.1:9", "Correct or unset it"),
    ],
)
async def test_an_unusable_proxy_is_reported_with_what_to_do(
    scripted_provider: ThreadedScriptedProvider,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    advice: str,
) -> None:
    # As if the package were not installed.
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("all_proxy", address)
    far = provider_at("https://far.example/v1")
    with pytest.raises(AskError) as asked:
        await list_models(far)
    probed = (await probe(far, "m", "streaming")).error
    assert probed is not None
    for outcome in (asked.value.outcome, probed):
        assert outcome.code == "bad-proxy"
        assert "all_proxy" in outcome.message and advice in outcome.message
        assert "hunter22" not in outcome.message
    # Loopback is not proxied.
    near = provider_at(scripted_provider.url)
    await list_models(near)
    assert (await probe(near, "m", "streaming")).error is None


async def test_a_probe_makes_one_client_off_the_event_loop(
    scripted_provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def counted(**options: Any) -> httpx.AsyncClient:
        made.append(threading.get_ident())
        return new_client(**options)

    monkeypatch.setattr(wire, "new_client", counted)
    assert (await probe(provider_at(scripted_provider.url), "m", "tools")).error is None
    assert len(made) == 1 and made[0] != threading.get_ident()
    assert len(scripted_provider.requests) == 1


async def test_cancelling_keeps_what_has_arrived(
    scripted_provider: ThreadedScriptedProvider,
) -> None:
    steps = [
        {"delta": "a"},
        {"wait": "first is being written"},
        {"tokens": " b c d"},
        {"stall": True},
    ]
    scripted_provider.script({"steps": steps})
    taken: list[str] = []
    writing, slow = asyncio.Event(), asyncio.Event()

    async def write(chunks: list[str]) -> None:
        taken.extend(chunks)
        if not writing.is_set():
            writing.set()
            # The journal is slow, and more chunks come meanwhile.
            await slow.wait()

    async with new_client() as client:
        made: list[Reading] = []
        original = Reading

        class Seen(original):  # type: ignore[valid-type,misc]
            def __init__(self, *args: Any) -> None:
                super().__init__(*args)
                made.append(self)

        sending = Wire(client, provider_at(scripted_provider.url), answered=nothing, chunks=write)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(wire, "Reading", Seen)
            request = {"model": "m", "stream": True, "messages": []}
            task = asyncio.create_task(sending.send(json.dumps(request).encode()))
            await asyncio.wait_for(writing.wait(), 10)
            scripted_provider.release("first is being written")
            while len(made[0]._chunks) < 3:
                await asyncio.sleep(0.01)
            task.cancel()
            slow.set()
            with pytest.raises(asyncio.CancelledError):
                await task
    said = [json.loads(data)["choices"][0]["delta"]["content"] for data in taken]
    assert "".join(said) == "a b c d"


async def test_a_finish_counts_if_it_is_being_written_when_the_send_is_cancelled(
    scripted_provider: ThreadedScriptedProvider,
) -> None:
    chunks = [{"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}]
    steps = [*({"chunk": chunk} for chunk in chunks), {"stall": True}]
    scripted_provider.script({"steps": steps})
    writing, slow = asyncio.Event(), asyncio.Event()

    async def write(chunks: list[str]) -> None:
        writing.set()
        await slow.wait()

    async with new_client() as client:
        sending = Wire(client, provider_at(scripted_provider.url), answered=nothing, chunks=write)
        request = {"model": "m", "stream": True, "messages": []}
        task = asyncio.create_task(sending.send(json.dumps(request).encode()))
        await asyncio.wait_for(writing.wait(), 10)
        task.cancel()
        await asyncio.sleep(0)
        slow.set()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert sending.finish == "stop"


async def test_the_wait_after_the_finish_is_short(
    scripted_provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_TAIL_SECONDS", 0.2)
    scripted_provider.script({"steps": [{"delta": "a"}, {"finish": "stop"}, {"stall": True}]})
    slow = provider_at(scripted_provider.url, between_bytes=600)
    async with new_client() as client:
        sending = Wire(client, slow, answered=nothing, chunks=drop)
        request = {"model": "m", "stream": True, "messages": []}
        end, outcome = await asyncio.wait_for(sending.send(json.dumps(request).encode()), 10)
    assert (end, outcome.finish) == ("finish", "stop")


class AllAtOnce(httpx.AsyncByteStream):
    """A body whose pieces are all available at once."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece


async def test_a_slow_journal_slows_reading_without_a_timeout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = time.monotonic()
    clock = SimpleNamespace(monotonic=lambda: now, time=time.time)
    monkeypatch.setattr(reading, "time", clock)
    monkeypatch.setattr(reading, "_AHEAD", 1000)
    events = [f"data: {chunk('x' * 900)}\n\n".encode()] * 4 + [b"data: [DONE]\n\n"]
    response = httpx.Response(
        200,
        stream=AllAtOnce(events),
        headers={"Content-Type": "text/event-stream"},
        request=httpx.Request("POST", "http://h/v1"),
    )
    reply = Reply(200, "text/event-stream", str)
    taken: list[str] = []
    go = asyncio.Event()

    async def write(chunks: list[str]) -> None:
        taken.extend(chunks)
        await go.wait()

    limits = Timeouts(first_byte=5, between_bytes=5)
    slow = Reading(response, reply, limits, now + 5, write, Received(str))
    task = asyncio.create_task(slow.read())
    for _ in range(20):
        await asyncio.sleep(0)
    # One is being written, and no more is read than fits, however much is available.
    assert (len(taken), len(slow._chunks)) == (1, 1)
    # The journal writes nothing for an hour, and the timer fires.
    now += 3600
    slow._watch()
    go.set()
    assert (await asyncio.wait_for(task, 5))[0] == "finish"
    assert len(taken) == 4


def test_only_live_processes_are_neighbours(tmp_path: Any) -> None:
    folder = tmp_path / "owners"
    mine, other = Owner(folder), Owner(folder)
    dead = folder / "11111111-1111-4111-8111-111111111111.lock"
    dead.write_text("")
    assert mine.neighbours() == [other.id]
    assert not dead.exists()
    assert other.neighbours() == [mine.id]
    other.release()
    assert mine.neighbours() == []
    mine.release()


async def test_a_reply_under_way_keeps_nothing_of_the_http_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known: list[weakref.ref[Any]] = []

    async def consume(chunks: list[str]) -> None:
        for _ in range(100):
            if not any(each() for each in known):
                break
            await asyncio.sleep(0)
        kept.append([each() for each in known])

    kept: list[list[Any]] = []
    async with keeping_server() as server, new_client() as client:
        plain = direct.send

        async def send(by: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
            response = await plain(by, request)
            known.extend([weakref.ref(request), weakref.ref(response)])
            return response

        monkeypatch.setattr(wire, "send", send)
        sending = Wire(client, provider_at(server.url), answered=nothing, chunks=consume)
        assert (await sending.send(b"{}"))[0] == "finish"
    assert kept
    assert kept[0] == [None, None]
