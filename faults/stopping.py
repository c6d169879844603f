"""Stop, at the moments where it meets something else."""

from __future__ import annotations

import asyncio

from .judge import judge
from .replies import broken_after, refusal
from .world import World

_WORDS = 6


async def racing_the_end(world: World) -> None:
    """Stop and the end of the reply come together: one of them wins, and no word is lost."""

    async def strike(wait: float) -> None:
        turn = world.turn(words=_WORDS, paced=True)
        page = await world.sent(turn, lets_go=_WORDS)
        await page.until(lambda page: page.seen(turn.run) >= _WORDS)
        world.let_go(turn)
        await asyncio.sleep(wait)
        answer = await page.stop()
        if answer.status_code != 200 or answer.json()["state"] not in ("done", "stopped"):
            world.tally.amiss(f"stop at the end: {answer.status_code} {answer.text:.200}")
        await page.until(lambda page: page.settled)
        ended = answer.json()["state"]
        await judge(world, turn, world.tally, pages=[page], states=(ended,), requests=1, attempts=1)
        await page.leave()

    waits = [n / 2000 for n in range(40)]
    await world.each(world.points(waits, 6), strike, at_once=4)


async def racing_the_start(world: World) -> None:
    """Stop right after the message was posted: it never gets a second life."""

    async def strike(wait: float) -> None:
        turn = world.turn(words=_WORDS, paced=True)
        page = await world.sent(turn, lets_go=0)
        await asyncio.sleep(wait)
        answer = await page.stop()
        if answer.status_code != 200 or answer.json()["state"] != "stopped":
            world.tally.amiss(f"stop at the start: {answer.status_code} {answer.text:.200}")
        await page.until(lambda page: page.settled)
        said = turn.text.split(" ")[0] if page.seen(turn.run) > 1 else ""
        await judge(
            world,
            turn,
            world.tally,
            pages=[page],
            text=said,
            states=("stopped",),
            attempts=1,
        )
        await page.leave()

    await world.each(world.points([n / 1000 for n in range(20)], 4), strike, at_once=4)


async def while_waiting(world: World) -> None:
    """Stop, or Stop auto-retry, while the next attempt waits: none is made, also not later."""
    points = [(how, words) for how in ("stop", "auto") for words in (None, 0, 3)]

    async def strike(point: tuple[str, int | None]) -> None:
        how, words = point
        broken = refusal(503) if words is None else broken_after(words, {"cut": True})
        turn = world.turn(broken, words=_WORDS)
        page = await world.sent(turn)
        await page.until(lambda page: page.waits)
        answer = await (page.stop() if how == "stop" else page.retry(auto=False))
        if answer.status_code != 200:
            world.tally.amiss(f"{how} while waiting: {answer.status_code} {answer.text:.200}")
        if len(await page.list()) > 1:
            # The wait was over before the stop came; that is another story.
            await page.leave()
            await strike(point)
            return
        # Failed later and is not stopped: when it has been tried again, this one would have been.
        witness = await world.sent(world.turn(refusal(503)))
        await page.until(lambda page: page.settled)
        await witness.until(lambda page: page.settled, 30)
        await witness.leave()
        said = "" if not words else " ".join(turn.text.split(" ")[:words])
        await judge(
            world,
            turn,
            world.tally,
            pages=[page],
            text=said,
            states=("failed", "interrupted"),
            requests=1,
            attempts=1,
        )
        await page.leave()

    await world.each(world.points(points, 3), strike)


async def new_message_ends_it(world: World) -> None:
    """Sending on in a chat ends the retry that an earlier pair of it waits for."""

    async def strike(n: int) -> None:
        turn = world.turn(refusal(503, headers={"Retry-After": "10"}))
        page = await world.sent(turn)
        await page.until(lambda page: page.waits)
        follower = world.turn()
        follower.chat, follower.path = turn.chat, turn.path
        second = await world.sent(follower)
        await second.until(lambda page: page.settled)
        world.tally.injected += 1
        waiting = (await page.list())[0]["turn"]
        if waiting["retryAt"] is not None:
            world.tally.amiss(f"a new message: the older one still waits: {waiting}")
        # Whether a request comes all the same is seen at the very end.
        world.judged.append((world.tally, turn, 1))
        for one in (page, second):
            await one.leave()

    await world.each(range(3), strike)
