"""Replies that break off, by providers that go on, repeat, overlap or apologise when asked."""

from __future__ import annotations

from itertools import product

from jupyterlab_turnbook.runs.joining import units
from jupyterlab_turnbook.scripted_provider.resuming import APOLOGY, Resuming
from jupyterlab_turnbook.scripted_provider.script import words

from .judge import judge
from .replies import broken_after
from .world import World

_WORDS = 12
_CUT = broken_after
# As users have it, where a test found out, and by choice.
_PROVIDERS = ("default", "prefill", "instruct")


async def goes_on(world: World) -> None:
    """It goes on at the next character, after one cut or two."""
    await _everywhere(world, "goes on", cuts=(1, 2))


async def repeats(world: World) -> None:
    """It begins again, and is cut again in the middle of that, too."""
    await _everywhere(world, "repeats", cuts=(1, 2))


async def overlaps(world: World) -> None:
    """It takes up its last words again."""
    await _everywhere(world, "overlaps", cuts=(1,))


async def apologises(world: World) -> None:
    """It says something to the user first, and then goes on or begins again."""
    await _everywhere(world, "apologises", cuts=(1,))
    await _everywhere(world, "apologises and repeats", cuts=(1,), providers=("default", "instruct"))


async def _everywhere(
    world: World,
    way: Resuming,
    *,
    cuts: tuple[int, ...],
    providers: tuple[str, ...] = _PROVIDERS,
) -> None:
    # After more words than an overlap has, and with some left for two more attempts.
    places = range(5, _WORDS - 1)

    async def strike(point: tuple[str, int, int]) -> None:
        provider, place, times = point
        again = _again(way, place) if provider != "default" else place + 1
        attempts = [_CUT(place, {"cut": True})]
        if times == 2:
            attempts.append(_CUT(again, {"cut": True}))
        turn = world.turn(*attempts, words=_WORDS, provider=provider, resumes=way)
        text, seams = _expected(turn.text, way, provider, place, again, times)
        page = await world.sent(turn)
        await page.until(lambda page: page.settled, 30)
        await judge(
            world,
            turn,
            world.tally,
            pages=[page],
            text=text,
            seams=seams,
            requests=times + 1,
            attempts=times + 1,
        )
        await page.leave()

    # In a sample every provider is struck, at places that the seed chooses.
    for provider in providers:
        points = list(product([provider], places, cuts))
        await world.each(world.points(points, 2), strike)


def _again(way: Resuming, place: int) -> int:
    """The words of a second attempt, so that it adds some."""
    return place + 2 if way == "repeats" else 1


def _expected(
    text: str, way: Resuming, provider: str, place: int, again: int, times: int
) -> tuple[str, list[int]]:
    """What the pair must say, and where it must be marked as joined."""
    if provider == "default" or way == "repeats":
        # One attempt said all of it.
        return text, []
    said = words(text)
    ends = [place, place + again][:times]
    seams = [units("".join(said[:end])) for end in ends]
    if way == "apologises":
        # Nobody can tell prose from a reply; the mark must be where it begins.
        before = "".join(said[:place])
        return before + APOLOGY + text[len(before) :], seams
    if way == "apologises and repeats":
        return APOLOGY + text, []
    return text, seams
