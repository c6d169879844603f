"""Faults of the provider's stream: ends, silences, errors, and bytes that are not as they should be."""

from __future__ import annotations

import json
from typing import Any

from .judge import judge
from .replies import END, Attempt, Step, broken_after
from .world import World

_WORDS = 6


async def _resumed(world: World, attempt: Attempt, provider: str = "prefill") -> None:
    """A first attempt that breaks and is gone on from, once, by the server itself."""
    turn = world.turn(attempt, words=_WORDS, provider=provider)
    page = await world.sent(turn)
    await page.until(lambda page: page.settled, 30)
    await judge(world, turn, world.tally, pages=[page], requests=2, attempts=2)
    await page.leave()


async def _whole(world: World, attempt: Attempt, text: str | None = None) -> None:
    """An attempt that is as good as any."""
    turn = world.turn(attempt, words=_WORDS, provider="impatient", text=text)
    page = await world.sent(turn)
    await page.until(lambda page: page.settled, 30)
    await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
    await page.leave()


async def stall(world: World) -> None:
    """Nothing more comes: before the answer, before the first word, between words."""

    async def strike(words: int) -> None:
        silent: Attempt = lambda rest: {"steps": [{"stall": True}]}  # noqa: E731
        attempt = silent if words < 0 else broken_after(words, {"stall": True})
        await _resumed(world, attempt, "impatient")

    await world.each(world.points(range(-1, _WORDS + 1), 2), strike)


async def end_without_finish(world: World) -> None:
    """The stream ends, closed or reset, after so many words and before its finish."""
    endings: list[tuple[Step, ...]] = [(), ({"cut": True},), ({"reset": True},)]
    points = [(words, ending, "prefill") for words in range(_WORDS + 1) for ending in endings]
    # Those that are asked to go on, and those that can only begin anew.
    points += [(words, endings[1], how) for words in (0, 3) for how in ("instruct", "restart")]

    async def strike(point: tuple[int, tuple[Step, ...], str]) -> None:
        words, ending, provider = point
        await _resumed(world, broken_after(words, *ending), provider)

    await world.each(world.points(points, 4), strike)


async def cut_inside_an_event(world: World) -> None:
    """The connection breaks inside an event; what was whole before it is kept."""
    event = {"choices": [{"delta": {"content": "never"}}]}
    raw = f"data: {json.dumps(event)}\n\n"

    async def strike(at: int) -> None:
        await _resumed(world, broken_after(3, {"raw": raw[:at]}, {"cut": True}))

    # From the whole event on, less its last line end, it would count.
    await world.each(world.points(range(1, len(raw) - 2), 3), strike)


async def end_with_finish(world: World) -> None:
    """The reply is finished, whatever the connection does then."""
    finish: Step = {"finish": "stop"}
    endings: list[list[Step]] = [
        [finish],
        [finish, {"cut": True}],
        [finish, {"reset": True}],
        [finish, {"stall": True}],
        [{"done": True}],
        [{"done": True}, {"stall": True}],
        [finish, {"done": True}, {"cut": True}],
        [finish, {"raw": "data: [DONE]"}, {"cut": True}],
        [{"finish": "length"}, {"cut": True}],
    ]

    async def strike(ending: list[Step]) -> None:
        await _whole(world, broken_after(_WORDS, *ending))

    await world.each(world.points(endings, 4), strike)


async def error_inside(world: World) -> None:
    """An error as an event of a good stream."""
    errors: list[str] = [
        json.dumps({"error": {"message": "overloaded", "code": 500}}),
        json.dumps({"error": "broken"}),
        json.dumps({"error": {"type": "server_error"}, "choices": []}),
    ]
    points = [(words, said) for words in range(_WORDS + 1) for said in errors]

    async def strike(point: tuple[int, str]) -> None:
        words, said = point
        await _resumed(world, broken_after(words, {"raw": f"data: {said}\n\n"}, {"stall": True}))

    await world.each(world.points(points, 3), strike)


async def malformed(world: World) -> None:
    """Events that are no chunks, between words that are."""
    bad: list[str] = [
        "data: {\n\n",
        "data: {]\n\n",
        "data: nonsense\n\n",
        "data: [1, 2]\n\n",
        'data: "text"\n\n',
        "data: 7\n\n",
        "data: null\n\n",
        "data: " + "[" * 100_000 + "\n\n",
        "data: \ufffd\n\n",
        'data: {"choices": [{"delta": {"content": "a"}}]}{}\n\n',
    ]

    async def strike(raw: str) -> None:
        words = world.random.randrange(_WORDS + 1)
        await _resumed(world, broken_after(words, {"raw": raw}, {"stall": True}))

    await world.each(world.points(bad, 3), strike)


async def odd(world: World) -> None:
    """What a lenient reader passes over: comments, other fields, chunks that say nothing."""
    chunks: list[Any] = [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": "text"},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": None}}]},
        {"choices": [{"delta": {"content": 7}}]},
        {"choices": [{"delta": {"content": {"deep": []}}, "finish_reason": 3}]},
        {"choices": [{"delta": {"role": "assistant"}}], "usage": "many"},
    ]
    odd_ones = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    odd_ones += [": comment\n\n", ":\n", "\n\n\n", "event: ping\nid: 1\nretry: 5\n\n"]
    odd_ones += ["data:\n\n", "data\n\n", "nonsense: 1\n\n", "data:   \n\n", "\ufeff\n\n"]

    async def strike(raw: str) -> None:
        at = world.random.randrange(_WORDS)

        def attempt(rest: list[str]) -> dict[str, Any]:
            steps: list[Step] = [{"delta": word} for word in rest]
            return {"steps": [*steps[:at], {"raw": raw}, *steps[at:], *END]}

        await _whole(world, attempt)

    await world.each(world.points(odd_ones, 4), strike)


async def too_large(world: World) -> None:
    """An event of 50 MB: the run ends with a clear error and takes up no such memory."""

    async def strike(ended: bool) -> None:
        before = world.server.peak_memory()
        # A bomb costs the provider nothing, so it sends all of it, line end or not.
        raw = "data: " + "x" * 50_000_000 + ("\n\n" if ended else "")
        turn = world.turn(broken_after(2, {"raw": raw}, {"stall": True}), words=_WORDS)
        page = await world.sent(turn)
        if not await page.until(lambda page: page.seen(turn.run) >= 3, 60):
            world.tally.amiss("a 50 MB event: no end")
        end = page.events[turn.run][-1].get("end", {})
        if end.get("code") != "malformed" or "larger than" not in end.get("message", ""):
            world.tally.amiss(f"a 50 MB event ended with {end}")
        await page.until(lambda page: page.settled, 30)
        await judge(world, turn, world.tally, pages=[page], requests=2, attempts=2)
        await page.leave()
        grown = world.server.peak_memory() - before
        if grown > 100_000_000:
            world.tally.amiss(f"a 50 MB event took {grown} bytes of memory")

    await world.each([True, False], strike, at_once=1)


async def duplicated(world: World) -> None:
    """Events that come twice: from the provider they are text, to a page they are told once."""

    async def said_twice(times: int) -> None:
        def attempt(rest: list[str]) -> dict[str, Any]:
            steps: list[Step] = [{"delta": word} for word in rest for _ in range(times)]
            return {"steps": [*steps, *END, *END]}

        words = world.turn(words=_WORDS).text.split(" ")
        # A model may say a word twice; nobody else can know better.
        turn = world.turn(attempt, text=" ".join(words))
        page = await world.sent(turn)
        await page.until(lambda page: page.settled)
        pieces = [word if n == 0 else f" {word}" for n, word in enumerate(words)]
        said = "".join(piece * times for piece in pieces)
        await judge(world, turn, world.tally, pages=[page], text=said, requests=1, attempts=1)
        await page.leave()

    async def several_pages(count: int) -> None:
        turn = world.turn(words=_WORDS, paced=True)
        page = await world.sent(turn)
        others = [world.page(turn) for _ in range(count)]
        for other in others:
            await other.open()
        for one in (page, *others):
            await one.until(lambda page: page.settled)
            await one.save()
        await judge(world, turn, world.tally, pages=[page, *others], requests=1, attempts=1)
        for one in (page, *others):
            await one.leave()

    await world.each(world.points((2, 3, 5), 1), said_twice)
    await world.each(world.points((1, 2, 3, 5, 10), 2), several_pages)
