"""Faults while the model thinks: its reasoning cannot be continued, so the reply begins again."""

from __future__ import annotations

import json
from collections.abc import Sequence

from .clients import killed_after
from .judge import judge
from .killing import at_every_write
from .replies import Attempt, Step, broken_after
from .world import World

_THOUGHTS = 4
_WORDS = 2
_ALL = _THOUGHTS + _WORDS


async def broken(world: World) -> None:
    """The stream ends, is reset or goes silent after so many thoughts, or right after them."""
    endings: list[Sequence[Step]] = [(), ({"cut": True},), ({"reset": True},)]
    points = [
        (count, ending, how)
        for count in range(1, _ALL + 1)
        for ending in endings
        for how in ("prefill", "restart")
    ]
    points += [(count, endings[1], "instruct") for count in (1, _THOUGHTS, _THOUGHTS + 1)]
    points += [(count, ({"stall": True},), "impatient") for count in (1, _THOUGHTS)]

    async def strike(point: tuple[int, Sequence[Step], str]) -> None:
        count, ending, provider = point
        await _resumed(world, provider, broken_after(count, *ending))

    await world.each(world.points(points, 4), strike)


async def cut_inside_an_event(world: World) -> None:
    """The connection breaks inside a thought; what was whole before it is not said twice."""
    event = {"choices": [{"delta": {"reasoning_content": "never"}}]}
    raw = f"data: {json.dumps(event)}\n\n"

    async def strike(at: int) -> None:
        await _resumed(world, "prefill", broken_after(2, {"raw": raw[:at]}, {"cut": True}))

    await world.each(world.points(range(1, len(raw) - 2, 4), 2), strike)


async def several_times(world: World) -> None:
    """Attempts in a row break while the model thinks, and the last one is whole."""

    async def strike(count: int) -> None:
        attempts = [broken_after(n, {"cut": True}) for n in range(1, count + 1)]
        await _resumed(world, "prefill", *attempts)

    await world.each(world.points((2, 3), 1), strike)


async def killed(world: World) -> None:
    """The server is killed at each write of a turn that begins with thoughts."""
    await at_every_write(world, "KILL", thoughts=_THOUGHTS)


async def reloaded(world: World) -> None:
    """The page is closed after so many thoughts, and opened again."""
    await killed_after(world, range(_ALL + 2), words=_WORDS, thoughts=_THOUGHTS)


async def _resumed(world: World, provider: str, *attempts: Attempt) -> None:
    turn = world.turn(*attempts, words=_WORDS, thoughts=_THOUGHTS, provider=provider)
    page = await world.sent(turn)
    await page.until(lambda page: page.settled, 30)
    count = len(attempts) + 1
    await judge(world, turn, world.tally, pages=[page], requests=count, attempts=count)
    await page.leave()
