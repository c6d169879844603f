"""The wall clock jumps: while a reply streams, and while a retry waits."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from email.utils import formatdate

from .judge import judge
from .replies import refusal
from .world import World

_DAY = 86_400
_JUMPS = (-10 * 365 * _DAY, -_DAY, -3600, -5, 5, 3600, _DAY, 10 * 365 * _DAY)


async def while_streaming(world: World) -> None:
    """A reply goes on as if nothing had happened."""
    server = world.new_server("clock")
    await server.start()

    async def strike(jump: float) -> None:
        turn = world.turn(paced=True)
        page = await world.sent(turn, server.url, lets_go=3)
        await page.until(lambda page: page.seen(turn.run) >= 3)
        await server.tell(clock=jump)
        world.let_go(turn)
        await page.until(lambda page: page.settled)
        run = await judge(
            world, turn, world.tally, pages=[page], requests=1, attempts=1, url=server.url
        )
        if run and run["updatedAt"] < run["createdAt"]:
            world.tally.amiss(f"clock {jump}: ended before it began")
        await page.leave()
        await server.tell(clock=0)

    await world.each(world.points(_JUMPS, 3), strike, at_once=1)
    await server.stop()


async def while_waiting(world: World) -> None:
    """A retry that waits is made once, no later than its own wait allows."""
    server = world.new_server("clock-backoff")
    await server.start()

    async def strike(jump: float) -> None:
        turn = world.turn(refusal(503), refusal(503))
        page = await world.sent(turn, server.url)
        await page.until(lambda page: page.waits)
        await server.tell(clock=jump)
        began = time.monotonic()
        await page.until(lambda page: page.settled, 30)
        if time.monotonic() - began > 15:
            world.tally.amiss(f"clock {jump}: the retries took {time.monotonic() - began:.1f} s")
        await judge(world, turn, world.tally, pages=[page], requests=3, attempts=3, url=server.url)
        await page.leave()
        await server.tell(clock=0)

    await world.each(world.points(_JUMPS, 2), strike, at_once=1)
    await server.stop()


# When the clocks of these places change: an hour, and half an hour.
_CHANGES = (
    ("Europe/Berlin", datetime(2026, 3, 29, 1)),
    ("Europe/Berlin", datetime(2026, 10, 25, 1)),
    ("America/New_York", datetime(2026, 3, 8, 7)),
    ("America/New_York", datetime(2026, 11, 1, 6)),
    ("Australia/Lord_Howe", datetime(2026, 4, 4, 15)),
    ("Australia/Lord_Howe", datetime(2026, 10, 3, 15, 30)),
)


async def summer_time(world: World) -> None:
    """Summer time begins or ends while a reply streams, and while a retry waits for a date."""

    async def strike(change: tuple[str, datetime]) -> None:
        zone, moment = change
        change_at = moment.replace(tzinfo=timezone.utc).timestamp()
        server = world.new_server(f"zone-{moment:%m%d}", zone=zone)
        await server.start(clock=change_at - time.time() - 1)
        for header in (None, "2", formatdate(change_at + 1, usegmt=True)):
            headers = {"Retry-After": header} if header else {}
            attempts = [refusal(503, headers=headers)] if header else []
            turn = world.turn(*attempts, paced=not header)
            page = await world.sent(turn, server.url, lets_go=3)
            if not header:
                await page.until(lambda page: page.seen(page.turn.run) >= 3)
                await server.tell(clock=change_at - time.time() + 1)
                world.let_go(turn)
            began = time.monotonic()
            await page.until(lambda page: page.settled, 30)
            if time.monotonic() - began > 15:
                world.tally.amiss(f"{zone}: it took {time.monotonic() - began:.1f} s")
            count = len(attempts) + 1
            await judge(
                world,
                turn,
                world.tally,
                pages=[page],
                requests=count,
                attempts=count,
                url=server.url,
            )
            await page.leave()
            # Each meets the change.
            await server.tell(clock=change_at - time.time() - 1)
        await server.stop()

    await world.each(world.points(_CHANGES, 1), strike, at_once=3)


async def across_a_restart(world: World) -> None:
    """The clock is set while the server is down and a retry waits; the wait is not prolonged."""
    server = world.new_server("clock-restart")
    await server.start()

    async def strike(jump: float) -> None:
        turn = world.turn(refusal(503))
        page = await world.sent(turn, server.url)
        await page.until(lambda page: page.waits)
        await server.kill()
        if server.attempts(turn) > 1:
            # The wait had ended before the server did; that is another story.
            await server.start()
            await page.leave()
            await strike(jump)
            return
        await server.start(clock=jump)
        await page.until(lambda page: page.settled, 30)
        await judge(world, turn, world.tally, pages=[page], requests=2, attempts=2, url=server.url)
        await page.leave()
        await server.tell(clock=0)

    await world.each(world.points(_JUMPS, 2), strike, at_once=1)
    await server.stop()
