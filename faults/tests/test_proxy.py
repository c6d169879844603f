"""The proxy cuts where it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from faults.proxy import Plan, Proxy


def _with_echo(work: Callable[[Proxy], Awaitable[None]]) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data)
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        proxy = Proxy(server.sockets[0].getsockname()[1])
        await proxy.start()
        await work(proxy)
        await proxy.stop()
        server.close()

    asyncio.run(asyncio.wait_for(run(), 20))


async def _said(proxy: Proxy, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.split(":")[-1]))
    writer.write(data)
    answer = await reader.read(len(data))
    writer.close()
    return answer


@pytest.mark.parametrize("at", [0, 1, 5])
def test_cuts_the_answer(at: int) -> None:
    async def work(proxy: Proxy) -> None:
        proxy.plans = [Plan(down=at)]
        assert await _said(proxy, b"hello world") == b"hello world"[:at]
        assert proxy.cuts == 1
        # Plans are for one connection each.
        assert await _said(proxy, b"hello world") == b"hello world"

    _with_echo(work)


def test_cuts_the_request() -> None:
    async def work(proxy: Proxy) -> None:
        proxy.plans = [Plan(up=4)]
        assert await _said(proxy, b"hello world") in (b"hell", b"")
        assert proxy.passed()[0] == 4

    _with_echo(work)


def test_a_frozen_connection_says_nothing_and_stays_open() -> None:
    async def work(proxy: Proxy) -> None:
        port = int(proxy.url.split(":")[-1])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"one")
        assert await reader.read(3) == b"one"
        proxy.freeze()
        writer.write(b"two")
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(reader.read(3), 0.1)
        assert not reader.at_eof()
        writer.close()

    _with_echo(work)
