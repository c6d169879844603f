"""A message to several models, in tabs that are loaded again or stand side by side."""

from __future__ import annotations

import asyncio

from .grouping import MODELS, Group
from .page import Page
from .world import World

_WORDS = 4
# The words, the chunk that says why it ended, and the end itself, of each reply.
_EVENTS = MODELS * (_WORDS + 2)


async def reloaded(world: World) -> None:
    """The page is killed after so many events of all replies, and opened again."""

    async def strike(seen: int) -> None:
        group = Group(world, world.server.url, words=_WORDS, lets_go=seen)
        first = group.page
        await first.open()
        await group.send()
        await first.until(lambda page: _seen(page) >= seen)
        first.kill()
        group.page = Page(world.pages, world.server.url, group.turn, autosave=True)
        await group.page.open()
        group.let_go()
        await group.follow()
        await group.judge()
        await first.leave()
        await group.page.leave()

    await world.each(world.points(range(_EVENTS + 1), 2), strike)


async def two_tabs(world: World) -> None:
    """Another tab opens the chat after so many events; both follow all replies and save."""

    async def strike(seen: int) -> None:
        group = Group(world, world.server.url, words=_WORDS, lets_go=seen)
        first = group.page
        await first.open()
        await group.send()
        await first.until(lambda page: _seen(page) >= seen)
        other = Page(world.pages, world.server.url, group.turn, autosave=True)
        await other.open()
        group.let_go()
        await group.follow()
        group.page = other
        await group.follow()
        if first.complaints:
            world.tally.amiss(f"{group.turn.pair}: the first tab: {first.complaints[:3]}")
        await group.judge()
        await asyncio.gather(first.leave(), other.leave())

    await world.each(world.points(range(_EVENTS + 1), 2), strike)


def _seen(page: Page) -> int:
    return sum(len(events) for events in page.events.values())
