"""Faults in front of a real browser: what it saves is what counts."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from .browser import Browser, BrowserError
from .client import Client
from .notebook import Run, cells_of, new_notebook, replies_of
from .replies import END, Attempt, deltas
from .server import Server
from .tally import compare
from .turn import Turn
from .world import World

_WORDS = 6
_HELD = 3

Strike = Callable[["Screen"], Awaitable[None]]


def _held(gate: str) -> Attempt:
    def attempt(rest: list[str]) -> dict[str, Any]:
        parts = deltas(rest)
        return {"steps": [*parts[:_HELD], {"wait": gate}, *parts[_HELD:], *END]}

    return attempt


class Screen:
    """A chat in a browser whose reply is half there, and waits."""

    def __init__(self, world: World, server: Server, browser: Browser) -> None:
        self.world = world
        self.server = server
        self.browser = browser
        self.turn: Turn
        self._gate = ""

    @property
    def file(self) -> Path:
        """The chat's file."""
        return self.server.root / self.turn.path

    async def begin(self) -> None:
        """Send a message and wait until the first words of the reply are on the screen."""
        self._gate = f"screen-{self.world.random.getrandbits(32)}"
        self.turn = self.world.turn(_held(self._gate), words=_WORDS)
        notebook = new_notebook(self.turn.chat, f"prefill/{self.turn.model}")
        self.file.write_text(json.dumps(notebook))
        await self.browser.do("open", self.server.url, self.turn.path)
        await self.browser.do("send", "hi")
        await self.browser.do("shows", self.word(_HELD - 1))

    async def join(self, other: Screen) -> None:
        """Open the chat that another browser has open, and wait for the words that are there."""
        self.turn, self._gate = other.turn, other._gate
        await self.browser.do("open", self.server.url, self.turn.path)
        await self.browser.do("shows", self.word(_HELD - 1))

    def word(self, n: int) -> str:
        """A word of the reply."""
        return self.turn.text.split(" ")[n]

    def go_on(self) -> None:
        """Let the provider say the rest."""
        self.world.provider.release(self._gate)

    async def finish(self) -> None:
        """Wait for the end on the screen, and save."""
        self.go_on()
        await self.browser.do("reaches", "succeeded")
        await self.browser.do("shows", self.word(_WORDS - 1))
        await self.browser.do("save")

    async def judge(self, *, attempts: int = 1) -> None:
        """Count what is in the file, without any landing but the browser's."""
        world, tally = self.world, self.world.tally
        tally.injected += 1
        notebook = await self._landed()
        pairs = [cell["id"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        pair = pairs[0] if pairs else ""
        replies = replies_of(notebook, pair)
        lost, more = compare(self.turn.text, replies[0] if replies else "")
        tally.lost += lost
        tally.duplicated += more + len(replies[1:]) + len(cells_of(notebook, pair)[1:])
        tally.extra += max(0, len(world.requests(self.turn)) - attempts)
        if lost or more or len(pairs) != 1:
            tally.notes.append(f"{tally.fault}: the file has {pairs} with {replies!r:.200}")
        if len(pairs) != 1:
            tally.amiss(f"{tally.fault}: {len(pairs)} pairs in the file")
        runs = await self.runs()
        if len(runs) != attempts or runs[-1]["state"] != "done" or not runs[-1]["landed"]:
            tally.amiss(f"{tally.fault}: {[(run['state'], run['landed']) for run in runs]}")
        await world.check_health(self.server)

    async def runs(self) -> list[Run]:
        """The chat's runs in the journal."""
        asking = Client(self.server.url, self.turn)
        try:
            return await asking.list()
        finally:
            await asking.leave()

    async def until(self, holds: Callable[[dict[str, Any]], bool]) -> None:
        """Wait for something that the server's hooks tell of."""
        deadline = time.monotonic() + 60
        while not holds(await self.server.tell()):
            if time.monotonic() > deadline:
                raise BrowserError("The page does not save.")
            await asyncio.sleep(0.05)

    async def _landed(self) -> dict[str, Any]:
        """The file, once the page has reported that the reply is in it."""
        deadline = time.monotonic() + 30
        notebook: dict[str, Any] = {"cells": []}
        while time.monotonic() < deadline:
            runs = await self.runs()
            with suppress(OSError, ValueError):
                # While it is being written, the file is empty.
                notebook = json.loads(self.file.read_text())
                if runs and runs[-1]["landed"]:
                    break
            await asyncio.sleep(0.1)
        return notebook


async def in_the_browser(world: World) -> None:
    """Each of these once, with JupyterLab in a Chromium."""
    server = world.new_server("lab", lab=True)
    await server.start()
    browser = Browser()
    await browser.start()

    async def strike(kind: Strike) -> None:
        screen = Screen(world, server, browser)
        try:
            await screen.begin()
            await kind(screen)
        except BrowserError as error:
            # What the page shows is worth more than the words.
            picture = Path(f"/tmp/turnbook-faults{kind.__name__}.png")
            await browser.do("picture", str(picture))
            raise BrowserError(f"{kind.__name__}: {error} (see {picture})") from error
        finally:
            await server.tell(save_fails=False)
            await browser.do("close")

    await world.each(world.points(KINDS, 1), strike, at_once=1)
    await browser.stop()
    await server.stop()


async def _killed(screen: Screen) -> None:
    """The browser dies before anything was saved; another one finds pair and reply."""
    await screen.browser.do("kill")
    await screen.browser.do("open", screen.server.url, screen.turn.path)
    await screen.browser.do("shows", screen.word(_HELD - 1))
    await screen.finish()
    await screen.judge()


async def _reloaded(screen: Screen) -> None:
    """The page is loaded anew in the middle."""
    await screen.browser.do("reload")
    await screen.browser.do("show", screen.turn.path)
    await screen.browser.do("shows", screen.word(_HELD - 1))
    await screen.finish()
    await screen.judge()


async def _server_killed(screen: Screen) -> None:
    """The server dies and comes back; the page stays, and the reply goes on by itself."""
    await screen.server.kill()
    await screen.server.start()
    await screen.finish()
    await screen.judge(attempts=2)


async def _renamed(screen: Screen) -> None:
    """The file gets another name while no page has it open: whoever opens it says that it is this chat."""
    moved = f"moved-{screen.turn.path}"
    await screen.browser.do("save")
    await screen.browser.do("close")
    screen.file.rename(screen.server.root / moved)
    screen.turn.path = moved
    await screen.browser.do("open", screen.server.url, moved)
    await screen.browser.do("claim")
    await screen.browser.do("shows", screen.word(_HELD - 1))
    await screen.finish()
    await screen.judge()


async def _renamed_under_it(screen: Screen) -> None:
    """The file gets another name while the page has it open: the page writes its own again."""
    await screen.browser.do("dismiss")
    await screen.browser.do("save")
    screen.file.rename(screen.server.root / f"moved-{screen.turn.path}")
    await screen.finish()
    await screen.judge()


async def _deleted(screen: Screen) -> None:
    """The file is deleted; saving makes it again, with the reply."""
    await screen.browser.do("dismiss")
    await screen.browser.do("save")
    screen.file.unlink()
    await screen.finish()
    await screen.judge()


async def _edited(screen: Screen) -> None:
    """Another program adds a note; after reopening, note and reply are both there."""
    await screen.browser.do("save")
    await screen.browser.do("close")
    notebook = json.loads(screen.file.read_text())
    note = {"cell_type": "markdown", "id": "note", "source": "mine", "metadata": {}}
    notebook["cells"].insert(0, note)
    screen.file.write_text(json.dumps(notebook))
    await screen.browser.do("open", screen.server.url, screen.turn.path)
    await screen.finish()
    await screen.judge()
    if '"mine"' not in screen.file.read_text():
        screen.world.tally.amiss("edited outside: the note is gone")


async def _save_fails(screen: Screen) -> None:
    """Saving fails until after the end; then the reply is saved and reported."""
    await screen.browser.do("dismiss")
    await screen.server.tell(save_fails=True)
    screen.go_on()
    await screen.browser.do("reaches", "succeeded")
    await screen.browser.do("save")
    if (await screen.runs())[-1]["landed"]:
        screen.world.tally.amiss("save fails: an unsaved reply counts as landed")
    await screen.server.tell(save_fails=False)
    await screen.finish()
    await screen.judge()


async def _lands_during_a_save(screen: Screen) -> None:
    """The reply lands while a save without it is under way, and the next save fails."""
    await screen.browser.do("dismiss")
    await screen.server.tell(save_holds=True, failed=0)
    await screen.browser.do("save")
    await screen.until(lambda hooks: bool(hooks["saves"]))
    screen.go_on()
    await screen.browser.do("reaches", "succeeded")
    await screen.server.tell(save_fails=True, save_holds=False)
    await screen.until(lambda hooks: bool(hooks["failed"]))
    if (await screen.runs())[-1]["landed"] and screen.word(
        _WORDS - 1
    ) not in screen.file.read_text():
        screen.world.tally.amiss("a save that began before the landing is taken for one after it")
    await screen.server.tell(save_fails=False)
    await screen.finish()
    await screen.judge()


KINDS: list[Strike] = [
    _killed,
    _reloaded,
    _server_killed,
    _renamed,
    _renamed_under_it,
    _deleted,
    _edited,
    _save_fails,
    _lands_during_a_save,
]
