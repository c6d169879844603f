"""The server dies at each write of a message to several models."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress

import httpx

from .notebook import Run, cells_of, replies_of
from .page import ALIVE, Page
from .resuming import ONLY_BY_HAND
from .tally import compare
from .turn import Turn
from .world import World

_MODELS = 3
_WAIT = 40.0


async def killed(world: World) -> None:
    """SIGKILL, with the transaction open and right after it."""
    server = world.new_server("dies-with-a-group")
    await server.start()
    group = _Group(world, server.url)
    await group.page.open()
    before = (await server.tell())["commits"]
    await group.live()
    writes = (await server.tell())["commits"] - before
    await group.page.leave()
    points = [(n, when) for n in range(1, int(writes) + 1) for when in ("before", "after")]

    async def strike(point: tuple[int, str]) -> None:
        n, when = point
        groups = [_Group(world, server.url)]
        await groups[0].page.open()
        await server.tell(signal="KILL", when=when, commit=n)
        ended = asyncio.create_task(server.ended())
        lives = [asyncio.create_task(groups[0].live())]
        while not ended.done():
            await asyncio.wait({ended, lives[-1]}, return_when=asyncio.FIRST_COMPLETED)
            if lives[-1].done() and not ended.done():
                # What queues up is committed together, so this group took fewer writes: one more.
                groups.append(_Group(world, server.url))
                await groups[-1].page.open()
                lives.append(asyncio.create_task(groups[-1].live()))
        await server.start()
        await asyncio.gather(*lives)
        for each in groups:
            await each.judge()
            await each.page.leave()
        await world.check_health(server)

    # One after another: they share the server that dies.
    await world.each(world.points(points, 3), strike, at_once=1)
    await server.stop()


class _Group:
    """A message to several models, each of which says something else."""

    def __init__(self, world: World, url: str) -> None:
        self._world = world
        self._turns = [world.turn(words=4) for _ in range(_MODELS)]
        self._turn: Turn = self._turns[0]
        self._url = url
        self.page = world.page(self._turn, url)

    async def live(self) -> None:
        """Send it, see all replies to their end, and save them."""
        await self.page.deliver(models=[f"{one.provider}/{one.model}" for one in self._turns])
        deadline = time.monotonic() + _WAIT
        while time.monotonic() < deadline:
            with suppress(httpx.TransportError):
                if await self._over() and await self.page.save():
                    return
            await asyncio.sleep(0.05)

    async def judge(self) -> None:
        """Count what the file and the provider have against what was said."""
        tally = self._world.tally
        tally.injected += 1
        where = f"{tally.fault}, {self._turn.pair}"
        newest = await self._newest()
        if [run["state"] for run in newest] != ["done"] * _MODELS:
            tally.amiss(f"{where}: {[run['state'] for run in newest]}")
        fresh = Page(self._world.pages, self._url, self._turn)
        await fresh.open()
        await fresh.save()
        saved = await fresh.file()
        await fresh.leave()
        [cell] = cells_of(saved, self._turn.pair)
        info = cell["metadata"]["turnbook_run"]
        versions = cell["metadata"].get("turnbook_versions", [])
        replies = {info["sibling"]: "".join(replies_of(saved, self._turn.pair))}
        for version in versions:
            if version.get("group") == info["group"]:
                if version["sibling"] in replies:
                    tally.duplicated += 1
                    tally.notes.append(f"{where}: reply {version['sibling']} is there twice")
                replies[version["sibling"]] = version["reply"]
        for number, one in enumerate(self._turns):
            lost, more = compare(one.text, replies.get(number, ""))
            tally.lost += lost
            tally.duplicated += more
            if lost or more:
                tally.notes.append(f"{where}: reply {number}: {lost} bytes lost, {more} too many")
        runs = await self.page.list()
        listed = Counter(run["hash"] for run in runs)
        for one in self._turns:
            got = self._world.requests(one)
            extra = sum((Counter(each.sha256 for each in got) - listed).values())
            tally.extra += extra
            if extra:
                tally.notes.append(f"{where}: {len(got)} requests to {one.model}")
            self._world.judged.append((tally, one, len(got)))
        if self.page.complaints:
            tally.amiss(f"{where}: a page complains: {self.page.complaints[:3]}")

    async def _newest(self) -> list[Run]:
        found: dict[int, Run] = {}
        for run in await self.page.list():
            if run["pair"] == self._turn.pair:
                found[run.get("sibling", 0)] = run
        return [found[number] for number in sorted(found)]

    async def _over(self) -> bool:
        """Whether all replies are there; what only the user may send again is sent again."""
        newest = await self._newest()
        for run in newest:
            if run["state"] in ONLY_BY_HAND:
                await self.page.retry(now=True, sibling=run["sibling"])
                return False
        return len(newest) == _MODELS and all(
            run["state"] not in ALIVE and run["turn"]["retryAt"] is None for run in newest
        )
