"""The server ends while a retry waits, and comes back before or after its time."""

from __future__ import annotations

import time

from .judge import judge
from .replies import broken_after, refusal
from .world import World


async def while_waiting(world: World) -> None:
    """What is left of the wait goes on; the attempt is made once."""
    server = world.new_server("backoff")
    await server.start()
    points = [
        (signal, words, wait)
        for signal in ("KILL", "TERM")
        for words in (None, 3)
        for wait in ("", "3")
    ]

    async def strike(point: tuple[str, int | None, str]) -> None:
        signal, words, wait = point
        headers = {"Retry-After": wait} if wait else {}
        broken = broken_after(words, {"cut": True}) if words else refusal(429, headers=headers)
        turn = world.turn(broken)
        page = await world.sent(turn, server.url)
        await page.until(lambda page: page.waits)
        due = page.retry_at or 0
        await server.kill(signal)
        was_over = server.attempts(turn) > 1
        await server.start()
        if was_over:
            # The wait had ended before the server did; that is another story.
            await page.leave()
            await strike(point)
            return
        await page.until(lambda page: page.settled, 30)
        second = world.requests(turn)[1].at + time.time() - time.monotonic()
        if second < due - 0.1:
            world.tally.amiss(f"{point}: tried again {due - second:.1f} s too early")
        await judge(world, turn, world.tally, pages=[page], requests=2, attempts=2, url=server.url)
        await page.leave()

    await world.each(world.points(points, 3), strike, at_once=1)
    await world.check_health(server)
    await server.stop()


async def after_stop(world: World) -> None:
    """A turn that was stopped while it waited stays so over a restart."""
    server = world.new_server("stopped-restart")
    await server.start()

    async def strike(how: str) -> None:
        turn = world.turn(refusal(503))
        page = await world.sent(turn, server.url)
        await page.until(lambda page: page.waits)
        await (page.stop() if how == "stop" else page.retry(auto=False))
        if len(await page.list()) > 1:
            # The wait was over before the stop came; that is another story.
            await page.leave()
            await strike(how)
            return
        await page.until(lambda page: page.settled)
        await server.kill("KILL")
        await server.start()
        # When this one, which failed later, has been tried again, that one would have been.
        witness = await world.sent(world.turn(refusal(503)), server.url)
        await witness.until(lambda page: page.settled, 30)
        await witness.leave()
        await judge(
            world,
            turn,
            world.tally,
            pages=[page],
            text="",
            states=("failed",),
            requests=1,
            attempts=1,
            url=server.url,
        )
        await page.leave()

    await world.each(["stop", "auto"], strike, at_once=1)
    await server.stop()
