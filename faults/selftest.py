"""The counting, put to the test: servers and pages that are wrong on purpose must be found out."""

from __future__ import annotations

from typing import Any

from jupyterlab_turnbook.scripted_provider.resuming import Resuming

from .broken import BREAKAGES
from .judge import judge
from .notebook import Run, land
from .page import Event, Page
from .replies import Attempt, broken_after
from .tally import Tally
from .world import World

_COLUMNS = {
    "loses an event": "lost",
    "stores events twice": "duplicated",
    "sends a request twice": "extra",
    "calls a broken reply done": "wrong",
}


class Forgetful(Page):
    """Passes over the third event that comes."""

    async def _take(self, run: str, event: Event) -> None:
        if event["n"] == 3:
            self.events[run].append({"n": 3})
        else:
            await super()._take(run, event)


class Doubling(Page):
    """Takes an event that it has for a new one, as after a reconnection without `after`."""

    async def text(self, run: Run) -> str:
        said = await super().text(run)
        return said[:5] + said


class Piling(Page):
    """Puts a reply into the notebook without looking whether it is there."""

    async def land(self) -> bool:
        await super().land()
        run = self.newest
        assert run is not None
        once: dict[str, Any] = {"cells": [], "metadata": {}}
        land(once, run, await self.text(run))
        self.notebook["cells"][0]["outputs"] += once["cells"][0]["outputs"]
        return await self.save()


class Splicing(Page):
    """Puts what attempts brought one after the other, without a look at what they say."""

    async def reply(self, run: Run) -> tuple[str, list[dict[str, int]]]:
        own, _ = await super().reply({**run, "continues": None})
        if run["continues"] is None:
            return own, []
        answer = await self.ask("GET", f"runs/{run['continues']}?after=0")
        before, _ = await self.reply(answer.json()["run"])
        return before + own, []


_PAGES: dict[str, tuple[type[Page], str, Resuming]] = {
    "forgets an event": (Forgetful, "lost", "goes on"),
    "takes events twice": (Doubling, "duplicated", "goes on"),
    "lands a reply twice": (Piling, "duplicated", "goes on"),
    "joins a reply that repeats": (Splicing, "duplicated", "repeats"),
    "joins a reply that overlaps": (Splicing, "duplicated", "overlaps"),
    "joins an apology": (Splicing, "duplicated", "apologises"),
}


async def found_out(world: World) -> list[tuple[str, bool]]:
    """Each wrong server and page, with whether the right column counted it."""
    results: list[tuple[str, bool]] = []
    for name in BREAKAGES:
        tally = await _with_server(world, name)
        results.append((f"a server that {name} is found out", getattr(tally, _COLUMNS[name]) > 0))
    for name, (kind, column, resumes) in _PAGES.items():
        tally = await _with_page(world, kind, resumes)
        results.append((f"a page that {name} is found out", getattr(tally, column) > 0))
    world.judged.clear()
    return results


async def _with_server(world: World, name: str) -> Tally:
    server = world.new_server(name.replace(" ", "-"), broken=name)
    await server.start()
    attempts: list[Attempt] = [broken_after(3, {"cut": True})] if "done" in name else []
    turn = world.turn(*attempts)
    page = await world.sent(turn, server.url)
    await page.until(lambda page: page.settled)
    tally = Tally(name)
    await judge(world, turn, tally, pages=[page], attempts=len(attempts) + 1, url=server.url)
    await page.leave()
    await server.stop()
    return tally


async def _with_page(world: World, kind: type[Page], resumes: Resuming) -> Tally:
    # Only what is resumed can be joined wrongly.
    attempts = [broken_after(5, {"cut": True})] if kind is Splicing else []
    turn = world.turn(*attempts, words=8, provider="instruct", resumes=resumes)
    page = kind(world.server.url, turn)
    await page.open()
    page.follow()
    await page.send()
    await page.until(lambda page: page.settled)
    await page.land()
    tally = Tally(kind.__name__)
    await judge(world, turn, tally, pages=[page])
    await page.leave()
    return tally
