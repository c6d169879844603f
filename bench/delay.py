"""A proxy on loopback that makes a connection as slow as one across an ocean."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def delaying(port: int, seconds: float) -> AsyncIterator[int]:
    """The port of a proxy to this one that holds everything back for so long, each way."""
    loop = asyncio.get_running_loop()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Who hangs up without a word has gone like any other.
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                loop.call_later(seconds, writer.write, data)
        loop.call_later(seconds, writer.close)

    open_ones: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(carry(reader, writer))
        open_ones.add(task)
        task.add_done_callback(open_ones.discard)

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # What opens a connection takes a way there and a way back too; loopback's own takes nothing.
        await asyncio.sleep(2 * seconds)
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pass_on(reader, back), pass_on(there, writer), return_exceptions=True)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in open_ones:
            task.cancel()
        await asyncio.gather(*open_ones, return_exceptions=True)
