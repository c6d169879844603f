"""Faults of the provider's answer: every status, every form of Retry-After, redirects."""

from __future__ import annotations

import time
from email.utils import formatdate

from jupyterlab_turnbook.scripted_provider import ScriptedProvider

from .judge import judge
from .replies import refusal
from .world import World

HOUR = 3600


async def retried(world: World) -> None:
    """Statuses after which the server tries again by itself, once it may."""

    async def strike(status: int) -> None:
        turn = world.turn(refusal(status))
        page = await world.sent(turn)
        await page.until(lambda page: page.settled, 30)
        await judge(world, turn, world.tally, pages=[page], requests=2, attempts=2)
        await page.leave()
        first, second = (request.at for request in world.requests(turn)[:2])
        if second - first < 0.9:
            world.tally.amiss(f"{status}: tried again after {second - first:.2f} s")

    await world.each(world.points((408, 409, 429, 500, 502, 503, 504, 529), 3), strike)


async def retry_after(world: World) -> None:
    """Each form of Retry-After is a floor under the wait; what makes no sense is none."""
    forms: list[tuple[str, float]] = [
        ("2", 2),
        ("2.5", 2.5),
        ("0", 1),
        ("-5", 1),
        ("inf", 1),
        ("Infinity", 1),
        ("nan", 1),
        ("1e9999", 1),
        ("soon", 1),
        ("", 1),
        ("date", 1),
        ("past", 1),
        ("Mon, 99 Foo 9999 99:99:99 GMT", 1),
    ]

    async def strike(form: tuple[str, float]) -> None:
        said, floor = form
        named = time.time() + {"date": 4, "past": -HOUR}.get(said, 0)
        if said in ("date", "past"):
            said = formatdate(named, usegmt=True)
        turn = world.turn(refusal(429, headers={"Retry-After": said}))
        page = await world.sent(turn)
        await page.until(lambda page: page.settled, 30)
        await judge(world, turn, world.tally, pages=[page], requests=2, attempts=2)
        await page.leave()
        second = world.requests(turn)[1].at + time.time() - time.monotonic()
        if form[0] == "date" and second < int(named) - 0.1:
            world.tally.amiss(f"Retry-After: {said}: tried again {named - second:.2f} s early")
        waited = world.requests(turn)[1].at - world.requests(turn)[0].at
        if not floor - 0.1 <= waited < floor + 8:
            world.tally.amiss(f"Retry-After: {said}: waited {waited:.2f} s; should be {floor}")

    await world.each(world.points(forms, 4), strike, at_once=len(forms))


async def retry_after_an_hour(world: World) -> None:
    """A long wait is kept, told, and ended by the user alone."""
    headers = [{"Retry-After": str(HOUR)}, {"retry-after-ms": str(HOUR * 1000)}]
    headers.append({"Retry-After": formatdate(time.time() + HOUR, usegmt=True)})

    async def strike(header: dict[str, str]) -> None:
        turn = world.turn(refusal(429, headers=header))
        page = await world.sent(turn)
        await page.until(lambda page: page.waits)
        wait = (page.retry_at or 0) - time.time()
        if not HOUR - 30 < wait < HOUR + 5:
            world.tally.amiss(f"{header}: the next attempt is in {wait:.0f} s")
        await page.retry(now=True)
        await page.until(lambda page: page.settled and len(page.runs) > 1)
        await judge(world, turn, world.tally, pages=[page], requests=2, attempts=2)
        await page.leave()

    await world.each(world.points(headers, 2), strike)


async def not_retried(world: World) -> None:
    """Statuses after which trying again would not help: one attempt, and it says why."""
    quota = {"message": "You exceeded your current quota", "code": "insufficient_quota"}
    too_long = {"message": "too long", "code": "context_length_exceeded"}
    cases: list[tuple[int, dict[str, str] | None, str]] = [
        (400, None, "400"),
        (400, too_long, "context_length_exceeded"),
        (401, None, "auth"),
        (402, None, "quota"),
        (403, None, "auth"),
        (404, {"message": "no", "code": "model_not_found"}, "model_not_found"),
        (422, None, "422"),
        (429, quota, "quota"),
    ]

    async def strike(case: tuple[int, dict[str, str] | None, str]) -> None:
        status, error, code = case
        turn = world.turn(refusal(status, error))
        page = await world.sent(turn)
        await page.until(lambda page: page.settled)
        await judge(
            world,
            turn,
            world.tally,
            pages=[page],
            text="",
            states=("failed",),
            code=code,
            requests=1,
            attempts=1,
        )
        await page.leave()

    await world.each(world.points(cases, 4), strike)


async def redirected(world: World) -> None:
    """A redirect to another host is never followed: neither key nor text goes there."""
    other = ScriptedProvider()
    await other.start()

    async def strike(status: int) -> None:
        target = f"http://localhost:{other.port}/v1/chat/completions"
        turn = world.turn(refusal(status, headers={"Location": target}))
        page = await world.sent(turn)
        await page.until(lambda page: page.settled)
        await judge(
            world,
            turn,
            world.tally,
            pages=[page],
            text="",
            states=("failed",),
            code="redirect",
            requests=1,
            attempts=1,
        )
        await page.leave()

    await world.each((301, 302, 303, 307, 308), strike)
    world.tally.extra += len(other.requests)
    await other.stop()
