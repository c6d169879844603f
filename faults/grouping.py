"""The server dies at each write of a message to several models."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress

import httpx

from .notebook import Run, cells_of, replies_of
from .page import ALIVE, Event, Page
from .resuming import ONLY_BY_HAND
from .tally import compare
from .turn import Turn
from .world import World

MODELS = 3
"""How many models a message goes to."""
_WAIT = 40.0


async def killed(world: World) -> None:
    """SIGKILL, with the transaction open and right after it."""
    await at_every_write(world, "KILL", {})


async def terminated(world: World) -> None:
    """SIGTERM, which lets the server end in order."""
    await at_every_write(world, "TERM", {})


async def at_every_write(world: World, signal: str, disk: dict[str, object]) -> None:
    """The server dies at each write of a message to several models."""
    server = world.new_server(f"dies-with-a-group-{signal}-{len(disk)}", disk=disk or None)
    await server.start()
    group = Group(world, server.url)
    await group.page.open()
    before = (await server.tell())["commits"]
    await group.live()
    writes = (await server.tell())["commits"] - before
    await group.page.leave()
    points = [(n, when) for n in range(1, int(writes) + 1) for when in ("before", "after")]

    async def strike(point: tuple[int, str]) -> None:
        n, when = point
        groups = [Group(world, server.url)]
        await groups[0].page.open()
        await server.tell(signal=signal, when=when, commit=n)
        ended = asyncio.create_task(server.ended())
        lives = [asyncio.create_task(groups[0].live())]
        while not ended.done():
            await asyncio.wait({ended, lives[-1]}, return_when=asyncio.FIRST_COMPLETED)
            if lives[-1].done() and not ended.done():
                # What queues up is committed together, so this group took fewer writes: one more.
                group = Group(world, server.url)
                try:
                    await group.page.open()
                except httpx.HTTPError:
                    # It was the last write, and the server is ending in order.
                    await group.page.leave()
                    break
                groups.append(group)
                lives.append(asyncio.create_task(groups[-1].live()))
        await ended
        await server.start()
        await asyncio.gather(*lives)
        for each in groups:
            await each.judge()
            await each.page.leave()
        await world.check_health(server)

    # One after another: they share the server that dies.
    await world.each(world.points(points, 1), strike, at_once=1)
    await server.stop()


class Group:
    """A message to several models, each of which says something else."""

    def __init__(
        self, world: World, url: str, *, words: int = 4, lets_go: int | None = None
    ) -> None:
        """With `lets_go`, the replies grow with what the page sees, up to that many events of all."""
        self._world = world
        paced = lets_go is not None
        self._turns = [world.turn(words=words, paced=paced) for _ in range(MODELS)]
        self.turn: Turn = self._turns[0]
        """The pair, with its first model."""
        self._url = url
        self._seen = 0
        self._lets_go = lets_go or 0
        self.page = Page(world.pages, url, self.turn, saw=self._saw)

    @property
    def said(self) -> dict[str, str]:
        """What each model says."""
        return {one.model: one.text for one in self._turns}

    async def live(self) -> None:
        """Send it, see all replies to their end, and save them."""
        await self.send()
        await self.follow()

    async def send(self) -> None:
        """Send it to all models."""
        await self.page.deliver(models=[f"{one.provider}/{one.model}" for one in self._turns])

    def let_go(self) -> None:
        """Let paced replies run on by themselves."""
        for turn in self._turns:
            self._world.let_go(turn)

    def _saw(self, run: Run, event: Event) -> None:
        self._seen += 1
        if self._seen < self._lets_go and "data" in event and "model" in run:
            gate = self._world.replies.gate(run["model"])
            self._world.provider.release(f"{gate}{event['n']}")

    async def follow(self) -> None:
        """See all replies to their end, and save them."""
        deadline = time.monotonic() + _WAIT
        while time.monotonic() < deadline:
            # It answers that it is ending, or not at all.
            with suppress(httpx.HTTPError):
                if await self._over() and await self.page.save():
                    return
            await asyncio.sleep(0.05)

    async def judge(self) -> None:
        """Count what the file and the provider have against what was said."""
        tally = self._world.tally
        tally.injected += 1
        where = f"{tally.fault}, {self.turn.pair}"
        newest = await self._newest()
        if [run["state"] for run in newest] != ["done"] * MODELS:
            tally.amiss(f"{where}: {[run['state'] for run in newest]}")
        fresh = Page(self._world.pages, self._url, self.turn)
        await fresh.open()
        # What the journal still has for the chat is landed after it was opened, then saved.
        deadline = time.monotonic() + _WAIT
        while time.monotonic() < deadline:
            await fresh.save()
            if all(run["landed"] for run in await self._newest()):
                break
            await asyncio.sleep(0.05)
        saved = await fresh.file()
        await fresh.leave()
        [cell] = cells_of(saved, self.turn.pair)
        info = cell["metadata"]["turnbook_run"]
        versions = cell["metadata"].get("turnbook_versions", [])
        replies = {info["sibling"]: "".join(replies_of(saved, self.turn.pair))}
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
            if run["pair"] == self.turn.pair:
                found[run.get("sibling", 0)] = run
        return [found[number] for number in sorted(found)]

    async def _over(self) -> bool:
        """Whether all replies are there; what only the user may send again is sent again."""
        newest = await self._newest()
        for run in newest:
            if run["state"] in ONLY_BY_HAND:
                await self.page.retry(now=True, sibling=run["sibling"])
                return False
        return len(newest) == MODELS and all(
            run["state"] not in ALIVE and run["turn"]["retryAt"] is None for run in newest
        )
