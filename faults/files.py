"""Faults of the notebook's file while its reply is on the way."""

from __future__ import annotations

import json
from typing import Any

from .client import Client
from .judge import judge
from .notebook import new_notebook
from .page import Page
from .turn import Turn
from .world import World

_WORDS = 6


async def _streaming(world: World, words: int, *, autosave: bool = False) -> tuple[Turn, Page]:
    turn = world.turn(words=_WORDS, paced=True)
    page = await world.sent(turn, lets_go=words, autosave=autosave)
    await page.save()
    await page.until(lambda page: page.seen(turn.run) >= words)
    return turn, page


async def _finish(world: World, turn: Turn, page: Page) -> None:
    world.let_go(turn)
    await page.until(lambda page: page.settled)
    await page.leave()


async def renamed(world: World) -> None:
    """The reply lands by the chat's id, wherever its file is now."""

    async def strike(words: int) -> None:
        turn, page = await _streaming(world, words)
        root = world.server.root
        (root / "moved").mkdir(exist_ok=True)
        path = f"moved/{turn.pair} with a space.chat.ipynb"
        (root / turn.path).rename(root / path)
        await _finish(world, turn, page)
        turn.path = path
        await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)

    await world.each(world.points(range(_WORDS + 1), 2), strike)


async def deleted(world: World) -> None:
    """The file is gone: the journal keeps the reply until it is in a file again."""

    async def strike(words: int) -> None:
        turn, page = await _streaming(world, words)
        (world.server.root / turn.path).unlink()
        await _finish(world, turn, page)
        run = (await page_list(world, turn))[-1]
        if run["landed"] or run["dropped"]:
            world.tally.amiss(f"deleted after {words}: taken for landed")
        await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)

    await world.each(world.points(range(_WORDS + 1), 2), strike)


async def edited(world: World) -> None:
    """Someone else writes the file: what they wrote stays, and the reply comes to it."""

    async def strike(words: int) -> None:
        turn, page = await _streaming(world, words, autosave=True)
        file = world.server.root / turn.path
        notebook: dict[str, Any] = json.loads(file.read_text())
        note = {"cell_type": "markdown", "id": "note", "source": "mine", "metadata": {}}
        notebook["cells"] = [note, *(notebook["cells"] if words % 2 else [])]
        file.write_text(json.dumps(notebook))
        world.let_go(turn)
        if not await page.until(lambda page: page.landed):
            world.tally.amiss(f"edited after {words}: the reply is not saved")
        await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
        await page.leave()
        if '"mine"' not in file.read_text():
            world.tally.amiss(f"edited after {words}: the note is gone")

    await world.each(world.points(range(_WORDS + 1), 2), strike)


async def replaced(world: World) -> None:
    """Another chat's file takes its place: its reply goes nowhere near it."""

    async def strike(words: int) -> None:
        turn, page = await _streaming(world, words)
        file = world.server.root / turn.path
        file.rename(file.with_name(f"old-{turn.path}"))
        other = world.turn()
        file.write_text(json.dumps(new_notebook(other.chat, "prefill/other")))
        await _finish(world, turn, page)
        before = file.read_text()
        turn.path = f"old-{turn.path}"
        await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
        if file.read_text() != before:
            world.tally.amiss(f"replaced after {words}: the other chat was written")

    await world.each(world.points(range(0, _WORDS + 1, 2), 1), strike)


async def save_fails(world: World) -> None:
    """Saving fails: the reply is not taken for landed, and lands when it works again."""
    server = world.new_server("unsaved")
    await server.start()

    async def strike(words: int) -> None:
        turn = world.turn(words=_WORDS, paced=True)
        page = await world.sent(turn, server.url, lets_go=words)
        await page.until(lambda page: page.seen(turn.run) >= words)
        await server.tell(save_fails=True)
        world.let_go(turn)
        await page.until(lambda page: page.settled)
        if await page.save():
            world.tally.amiss("a save that fails is answered as good")
        runs = await page.list()
        await server.tell(save_fails=False)
        if runs[-1]["landed"]:
            world.tally.amiss("an unsaved reply counts as landed")
        await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1, url=server.url)
        await page.leave()

    await world.each(world.points(range(_WORDS + 1), 2), strike, at_once=1)
    await server.stop()


async def page_list(world: World, turn: Turn) -> list[dict[str, Any]]:
    """The turn's runs, asked for by nobody in particular."""
    asking = Client(world.server.url, turn)
    try:
        return await asking.list()
    finally:
        await asking.leave()
