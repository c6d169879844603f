"""Stop, at the moments where it meets something else."""

from __future__ import annotations

import asyncio

from jupyterlab_turnbook.scripted_provider.script import Script

from .judge import judge
from .page import Answer, Page
from .replies import END, Attempt, broken_after, deltas, refusal
from .world import World

_WORDS = 6


async def racing_the_end(world: World) -> None:
    """Stop and the end of the reply come together: no word is lost, and the finish decides."""

    async def strike(when: float | str) -> None:
        gate = f"stop-{world.random.getrandbits(48):012x}"
        turn = world.turn(_waiting_at(when, gate), words=_WORDS)
        page = await world.sent(turn)
        told = _WORDS + (when != "before the finish")
        await page.until(lambda page: page.seen(turn.run) >= told)
        if when == "after the end":
            world.provider.release(gate)
            await page.until(lambda page: page.settled)
            # The page has nothing to stop; a tab that has not heard of the end yet would ask.
            await page.stop()
        elif isinstance(when, float):
            world.provider.release(gate)
            await asyncio.sleep(when)
        answer = await _stop(page)
        await page.until(lambda page: page.settled)
        # What the model has finished is done, whoever stops it then.
        state = "stopped" if when == "before the finish" else "done"
        if answer.status_code != 200 or answer.json()["state"] != state:
            world.tally.amiss(f"stop {when}: {answer.status_code} {answer.text:.200}")
        await judge(world, turn, world.tally, pages=[page], states=(state,), requests=1, attempts=1)
        world.provider.release(gate)
        await page.leave()

    async def race(wait: float) -> None:
        """The finish may come before or after Stop; what was recorded tells which."""
        turn = world.turn(words=_WORDS, paced=True)
        page = await world.sent(turn, lets_go=_WORDS)
        await page.until(lambda page: page.seen(turn.run) >= _WORDS)
        world.let_go(turn)
        await asyncio.sleep(wait)
        answer = await _stop(page)
        await page.until(lambda page: page.settled)
        finished = any(
            '"finish_reason": "stop"' in event.get("data", "") for event in page.events[turn.run]
        )
        state = "done" if finished else "stopped"
        if answer.status_code != 200 or answer.json()["state"] != state:
            world.tally.amiss(f"stop in {wait}: {answer.text:.200}; should be {state}")
        await judge(world, turn, world.tally, pages=[page], states=(state,), requests=1, attempts=1)
        await page.leave()

    fixed: list[float | str] = [
        "before the finish",
        "after the finish",
        "after the end",
        0.0,
        0.001,
        0.003,
    ]
    await world.each(fixed, strike, at_once=3)
    waits = [n / 2000 for n in range(40)]
    await world.each(world.points(waits, 6), race, at_once=4)


async def _stop(page: Page) -> Answer:
    """Press Stop; if the page knows of nothing to stop, ask as one that does not know of the end."""
    answer = await page.stop()
    if answer.status_code:
        return answer
    turn = page.turn
    asked = await page.ask("DELETE", f"runs/{turn.run}?chat={turn.chat}")
    return Answer(asked.status_code, asked.text)


def _waiting_at(when: float | str, gate: str) -> Attempt:
    finish, done = END

    def attempt(rest: list[str]) -> Script:
        held = [{"wait": gate}, finish, done]
        if when != "before the finish":
            held = [finish, {"wait": gate}, done]
        return {"steps": [*deltas(rest), *held]}

    return attempt


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
        if len(await page.list()) > 1:
            # The wait was over before the stop came; that is another story.
            await page.leave()
            await strike(point)
            return
        if answer.status_code != 200:
            world.tally.amiss(f"{how} while waiting: {answer.status_code} {answer.text:.200}")
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
