"""Little is left of what a process needs: files and connections, memory, a quick disk."""

from __future__ import annotations

import asyncio
from functools import partial

from .disks import NETWORK
from .judge import judge
from .replies import broken_after
from .resuming import to_the_end
from .server import Server
from .world import World

_WORDS = 6
_BIG = "x" * 100_000


async def no_descriptors(world: World) -> None:
    """A stream breaks, and no file or connection can be opened for a while to go on with it."""
    server = world.new_server("descriptors")
    await server.start()
    points = [(count, words) for count in (1, 2, 3, 5, 8) for words in (0, 1, 3)]

    async def strike(point: tuple[int, int]) -> None:
        count, words = point
        turn = world.turn(broken_after(words, {"cut": True}), words=_WORDS)
        page = await world.sent(turn, server.url)
        await page.until(lambda page: page.waits)
        await server.tell(descriptors=count)
        # Those who knock take what is left, and wait to be let in.
        crowd = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(count + 5)]
        await page.until(lambda page: page.settled, 3)
        await server.tell(descriptors=0)
        for _, writer in crowd:
            writer.close()
        await to_the_end(page)
        await judge(world, turn, world.tally, pages=[page], url=server.url)
        await page.leave()
        await world.check_health(server)

    await world.each(world.points(points, 1), strike, at_once=1)
    await server.stop()


async def no_memory(world: World) -> None:
    """No memory can be had for a while; the server survives it, or is started again."""
    server = world.new_server("memory")
    await server.start()
    points = [(more, seen) for more in (2**20, 2**22, 2**24) for seen in (0, 3)]

    async def strike(point: tuple[int, int]) -> None:
        more, seen = point
        text = " ".join(f"{n}{_BIG}" for n in range(_WORDS))
        turn = world.turn(text=text, paced=True)
        page = world.page(turn, server.url, lets_go=seen or 1_000_000)
        await page.open()
        if seen:
            await page.send()
            await page.until(lambda page: page.seen(turn.run) >= seen)
        await server.tell(memory=more)
        sending = None if seen else asyncio.create_task(page.deliver())
        world.let_go(turn)
        await page.until(lambda page: page.settled, 1.5)
        await server.free_memory()
        if sending is not None:
            await sending
        await to_the_end(page)
        await judge(world, turn, world.tally, pages=[page], url=server.url)
        await page.leave()
        await world.check_health(server)

    await world.each(world.points(points, 1), strike, at_once=1)
    await server.stop()


async def slow_disk(world: World) -> None:
    """Each sync takes long, on a local disk and on one of the network; then the server is killed."""
    disks: list[tuple[str, dict[str, object]]] = [("slow", {}), ("slow-net", NETWORK)]
    for name, disk in world.points(disks, 1):
        server = world.new_server(name, disk=disk)
        await server.start()
        points = [
            (server, seconds, kill) for seconds in (0.01, 0.05, 0.2) for kill in (False, True)
        ]
        await world.each(world.points(points, 1), partial(_slowly, world), at_once=1)
        await server.stop()


async def _slowly(world: World, point: tuple[Server, float, bool]) -> None:
    server, seconds, kill = point
    await server.tell(slowness=seconds)
    turns = [world.turn(words=_WORDS, paced=True) for _ in range(3)]
    pages = [world.page(turn, server.url, lets_go=3 if kill else 1_000_000) for turn in turns]
    for page in pages:
        await page.open()
    await asyncio.gather(*(page.deliver() for page in pages))
    if kill:
        await asyncio.gather(
            *(page.until(lambda page: page.seen(page.turn.run) >= 3, 60) for page in pages)
        )
        await server.kill()
        await server.start()
    for page in pages:
        world.let_go(page.turn)
        await to_the_end(page, 60)
        count = 2 if kill else 1
        await judge(
            world,
            page.turn,
            world.tally,
            pages=[page],
            url=server.url,
            requests=count,
            attempts=count,
        )
        await page.leave()
    await server.tell(slowness=0)
    await world.check_health(server)
