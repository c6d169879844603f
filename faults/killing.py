"""The server dies at each write of its journal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

import httpx

from .judge import judge
from .page import Page
from .resuming import to_the_end
from .server import Server
from .world import World

_WORDS = 4


async def killed(world: World) -> None:
    """SIGKILL, with the transaction open and right after it."""
    await at_every_write(world, "KILL")


async def terminated(world: World) -> None:
    """SIGTERM, which lets the server end in order."""
    await at_every_write(world, "TERM")


async def at_every_write(
    world: World,
    signal: str,
    thoughts: int = 0,
    *,
    name: str = "dies",
    by: Literal["commits", "operations"] = "commits",
    disk: dict[str, object] | None = None,
    then: Callable[[Server], None] = lambda server: None,
    servers: int = 1,
) -> None:
    """The server dies at each write of a turn whose model thinks so many words first.

    `by` operations on files, of which a commit has several, if it is on a `disk` of ours. So many
    `servers` die side by side. `then` happens to its files before it starts again.
    """
    free: asyncio.Queue[Server] = asyncio.Queue()
    for number in range(servers if world.everything else 1):
        server = world.new_server(f"{name}-by-{signal}-{thoughts}-{number}", disk=disk)
        await server.start()
        free.put_nowait(server)
    writes = await _writes_of_a_turn(world, server, thoughts, by)
    points = [
        (n, when)
        for n in range(1, writes + 1)
        for when in (("before", "after") if by == "commits" else ("before",))
    ]

    async def strike(point: tuple[int, str]) -> None:
        server = await free.get()
        try:
            await die(server, *point)
        finally:
            free.put_nowait(server)

    async def die(server: Server, n: int, when: str) -> None:
        turns = [world.turn(words=_WORDS, paced=True, thoughts=thoughts)]
        pages = [world.page(turns[0], server.url)]
        await pages[0].open()
        await server.tell(signal=signal, when=when, **{by.removesuffix("s"): n})
        ended = asyncio.create_task(server.ended())
        lives = [asyncio.create_task(_live(pages[0]))]
        while not ended.done():
            await asyncio.wait({ended, lives[-1]}, return_when=asyncio.FIRST_COMPLETED)
            if lives[-1].done() and not ended.done():
                # What queues up is committed together, so this turn took fewer writes: one more.
                turn = world.turn(words=_WORDS, paced=True, thoughts=thoughts)
                page = world.page(turn, server.url)
                try:
                    await page.open()
                except httpx.TransportError:
                    # It was the last write, and the server is ending in order.
                    await page.leave()
                    break
                turns.append(turn)
                pages.append(page)
                lives.append(asyncio.create_task(_live(page)))
        await ended
        then(server)
        await server.start()
        await asyncio.gather(*lives)
        for turn, page in zip(turns, pages, strict=True):
            await judge(world, turn, world.tally, pages=[page], url=server.url)
            await page.leave()
        await world.check_health(server)

    # One after another: they share the server that dies.
    sample = 2 if disk is None else 1
    await world.each(world.points(points, sample), strike, at_once=free.qsize())
    while not free.empty():
        await free.get_nowait().stop()


async def _live(page: Page) -> None:
    await page.deliver()
    await to_the_end(page)
    await _persist(page)


async def _persist(page: Page) -> None:
    # Landing is a write too; a page whose server dies meanwhile lands again.
    while True:
        with suppress(httpx.TransportError):
            if await page.save():
                return
        await asyncio.sleep(0.05)


async def _writes_of_a_turn(world: World, server: Server, thoughts: int, by: str) -> int:
    turn = world.turn(words=_WORDS, paced=True, thoughts=thoughts)
    page = world.page(turn, server.url)
    await page.open()
    before = (await server.tell())[by]
    await _live(page)
    after = (await server.tell())[by]
    await page.leave()
    return int(after - before)
