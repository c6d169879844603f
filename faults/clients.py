"""Faults of the browser and of the way to it."""

from __future__ import annotations

from collections.abc import Sequence

from .judge import judge
from .proxy import Plan
from .world import World

_WORDS = 6
# The words, the chunk that says why it ended, and the end itself.
_EVENTS = _WORDS + 2
# For a page that finds out soon that nothing comes any more.
_SHORT = {"heartbeat": 200, "silence": 800}


async def killed_at_every_event(world: World) -> None:
    """A page dies after so many events, and another one opens the chat."""
    await killed_after(world, range(_EVENTS + 1), words=_WORDS)


async def killed_after(
    world: World, events: Sequence[int], *, words: int, thoughts: int = 0
) -> None:
    """A page dies after each of these numbers of events, and another one opens the chat."""

    async def strike(seen: int) -> None:
        turn = world.turn(words=words, thoughts=thoughts, paced=True)
        first = await world.sent(turn, lets_go=seen)
        await first.until(lambda page: page.seen(turn.run) >= seen)
        first.kill()
        second = world.page(turn, autosave=True)
        await second.open()
        if not await second.until(lambda page: page.landed):
            world.tally.amiss(f"killed after {seen}: the next page does not save the reply")
        await judge(world, turn, world.tally, pages=[first, second], requests=1, attempts=1)
        await first.leave()
        await second.leave()

    await world.each(world.points(events, 3), strike)


async def cut_at_every_event(world: World) -> None:
    """The connection breaks after so many events, and the same page goes on."""

    async def strike(seen: int) -> None:
        proxy = await world.new_proxy()
        turn = world.turn(words=_WORDS, paced=True)
        page = await world.sent(turn, socket_url=proxy.url, lets_go=seen)
        await page.until(lambda page: page.seen(turn.run) >= seen and page.connections > 0)
        proxy.cut()
        world.let_go(turn)
        await page.until(lambda page: page.settled and page.connections > 1)
        await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
        await page.leave()
        await proxy.stop()

    await world.each(world.points(range(_EVENTS), 3), strike)


async def cut_at_random_bytes(world: World) -> None:
    """The connection breaks after so many bytes, wherever in a frame that is."""
    text = world.turn(words=_WORDS).text
    probe = await world.new_proxy()
    page = await world.sent(world.turn(text=text, paced=True), socket_url=probe.url)
    await page.until(lambda page: page.settled)
    size = probe.passed()[1]
    await page.leave()

    async def strike(offset: int) -> None:
        proxy = await world.new_proxy()
        proxy.plans = [Plan(down=offset)]
        turn = world.turn(text=text, paced=True)
        page = world.page(turn, socket_url=proxy.url)
        await page.open()
        await page.until(lambda page: page.connections > 0)
        await page.send()
        await page.until(lambda page: page.settled)
        if proxy.cuts:
            await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
        else:
            # How often the state is told varies a little, so this one ended before its cut.
            await strike(offset * 9 // 10)
        await page.leave()
        await proxy.stop()

    offsets = [world.random.randrange(size) for _ in range(200)]
    await world.each(world.points(offsets, 12), strike)


async def half_open(world: World) -> None:
    """The connection goes silent without being closed: both ends find out and let go."""
    server = world.new_server("half-open", ping_seconds=0.2, silence_seconds=1)
    await server.start()

    async def strike(seen: int) -> None:
        proxy = await world.new_proxy(server)
        turn = world.turn(words=_WORDS, paced=True)
        page = await world.sent(turn, server.url, socket_url=proxy.url, lets_go=seen, times=_SHORT)
        await page.until(lambda page: page.seen(turn.run) >= seen and page.connections > 0)
        proxy.freeze()
        world.let_go(turn)
        if not await page.until(lambda page: page.settled and page.connections > 1):
            world.tally.amiss(f"half-open after {seen}: the page does not come back")
        if not await proxy.server_left(10):
            world.tally.amiss(f"half-open after {seen}: the server keeps the dead connection")
        await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1, url=server.url)
        await page.leave()
        await proxy.stop()

    await world.each(world.points(range(_EVENTS), 2), strike)
    await world.check_health(server)
    await server.stop()
