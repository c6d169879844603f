"""Two servers on one data directory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from .judge import judge
from .replies import broken_after, refusal
from .resuming import to_the_end
from .server import Server
from .world import World

Strike = Callable[[World, Server, Server], Awaitable[None]]


async def two_servers(world: World) -> None:
    """They share chats, the send lock and retries, and one takes over what the other left."""
    one = world.new_server("one")
    other = world.new_server("other", journal_dir=one.journal_dir)
    other.root = one.root
    await asyncio.gather(one.start(), other.start())

    async def strike(kind: Strike) -> None:
        await kind(world, one, other)
        for server in (one, other):
            await world.check_health(server)

    kinds: list[Strike] = [_followed, _locked, _same_id, _taken_over, _retry_once, _both_die]
    await world.each(world.points(kinds * 2, 3), strike, at_once=1)
    await one.stop()
    await other.stop()


async def _followed(world: World, one: Server, other: Server) -> None:
    """A run of one server is followed through the other."""
    turn = world.turn(paced=True)
    page = await world.sent(turn, one.url, lets_go=2)
    elsewhere = world.page(turn, other.url)
    await elsewhere.open()
    await elsewhere.until(lambda page: page.settled)
    await judge(
        world, turn, world.tally, pages=[page, elsewhere], requests=1, attempts=1, url=other.url
    )
    await page.leave()
    await elsewhere.leave()


async def _locked(world: World, one: Server, other: Server) -> None:
    """While one server answers a chat, the other refuses to send in it."""
    turn = world.turn(paced=True)
    page = await world.sent(turn, one.url, lets_go=2)
    await page.until(lambda page: page.seen(turn.run) >= 2)
    intruder = world.turn()
    intruder.chat = turn.chat
    rival = world.page(intruder, other.url)
    answer = await rival.ask("POST", "runs", intruder.new_run())
    if (answer.status_code, answer.json().get("code")) != (409, "chat-busy"):
        world.tally.amiss(f"the send lock: {answer.status_code} {answer.text:.200}")
    world.tally.extra += len(world.requests(intruder))
    world.let_go(turn)
    await page.until(lambda page: page.settled)
    await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1, url=one.url)
    await page.leave()
    await rival.leave()


async def _same_id(world: World, one: Server, other: Server) -> None:
    """The same message is posted to both at once."""
    turn = world.turn()
    pages = [world.page(turn, server.url) for server in (one, other)]
    await pages[0].open()
    answers = await asyncio.gather(
        *(page.ask("POST", "runs", turn.new_run()) for page in pages * 3)
    )
    codes = sorted(answer.status_code for answer in answers)
    if codes != [200] * 5 + [201]:
        world.tally.amiss(f"one message to two servers: {codes}")
    await judge(world, turn, world.tally, requests=1, attempts=1, url=one.url)
    for page in pages:
        await page.leave()


async def _taken_over(world: World, one: Server, other: Server) -> None:
    """A server dies in the middle; the other ends its run and goes on from there."""
    turn = world.turn(paced=True)
    page = await world.sent(turn, one.url, lets_go=3)
    await page.until(lambda page: page.seen(turn.run) >= 3)
    page.kill()
    await one.kill()
    elsewhere = world.page(turn, other.url)
    await elsewhere.open()
    await to_the_end(elsewhere)
    await judge(
        world, turn, world.tally, pages=[page, elsewhere], requests=2, attempts=2, url=other.url
    )
    await page.leave()
    await elsewhere.leave()
    await one.start()


async def _retry_once(world: World, one: Server, other: Server) -> None:
    """Both know of a turn that waits; one attempt is made."""
    turn = world.turn(refusal(503), broken_after(2, {"reset": True}))
    page = await world.sent(turn, one.url)
    elsewhere = world.page(turn, other.url)
    await elsewhere.open()
    for each in (page, elsewhere):
        await each.until(lambda page: page.settled, 30)
    await judge(
        world, turn, world.tally, pages=[page, elsewhere], requests=3, attempts=3, url=one.url
    )
    await page.leave()
    await elsewhere.leave()


async def _both_die(world: World, one: Server, other: Server) -> None:
    """Both die with a run each and start at the same time."""
    turns = [world.turn(paced=True) for _ in range(2)]
    pages = [
        await world.sent(turn, server.url, lets_go=3)
        for turn, server in zip(turns, (one, other), strict=True)
    ]
    for page in pages:
        await page.until(lambda page: page.seen(page.turn.run) >= 3)
    await asyncio.gather(one.kill(), other.kill())
    await asyncio.gather(one.start(), other.start())
    for page in pages:
        world.let_go(page.turn)
        await to_the_end(page)
        await judge(
            world, page.turn, world.tally, pages=[page], requests=2, attempts=2, url=one.url
        )
        await page.leave()
