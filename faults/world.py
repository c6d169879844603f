"""The parts that every fault plays with: provider, servers, chance, and the table."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import httpx

from jupyterlab_turnbook.scripted_provider import Recorded, ScriptedProvider
from jupyterlab_turnbook.scripted_provider.resuming import Resuming
from jupyterlab_turnbook.scripted_provider.script import words as words_of

from .client import HEADERS
from .notebook import Run
from .page import Event, Page
from .pages import Pages
from .proxy import Proxy
from .replies import Attempt, Replies, Reply, some_text
from .server import Nursery, Server
from .tally import Tally
from .turn import Turn

T = TypeVar("T")

# Long enough for a browser to start in between.
PATIENT = {"connect": 5, "first_byte": 60, "between_bytes": 120}
# A silence is a matter of seconds here, and longer than a busy machine takes for an answer.
IMPATIENT = {"connect": 5, "first_byte": 4, "between_bytes": 4}


class World:
    """A provider and a Jupyter server, with all files below one folder."""

    def __init__(self, home: Path, seed: int, *, everything: bool) -> None:
        self.home = home
        self.seed = seed
        self.everything = everything
        """Whether every point is hit, or a sample of them."""
        self.random = random.Random(seed)
        self.provider = ScriptedProvider()
        self.replies = Replies()
        self.nursery = Nursery()
        self.pages = Pages(self._broken)
        self.tally = Tally("")
        self.judged: list[tuple[Tally, Turn, int]] = []
        """Turns on which there is a verdict, with the requests until then: no more may come."""
        self._servers: list[Server] = []
        self._proxies: list[Proxy] = []
        self.server: Server

    async def __aenter__(self) -> World:
        await self.provider.start()
        self.provider.fallback = self.replies.script
        await asyncio.gather(self.nursery.start(), self.pages.start())
        self.server = self.new_server("main")
        await self.server.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        for proxy in self._proxies:
            await proxy.stop()
        for server in self._servers:
            await server.stop()
        await self.pages.stop()
        await self.nursery.stop()
        await self.provider.stop()

    # Parts

    def new_server(self, name: str, **options: Any) -> Server:
        """A server that is not started yet; it knows the provider under several names."""
        more = options.pop("settings", {})
        at = {"base_url": self.provider.url, "timeouts": PATIENT}
        providers: dict[str, Any] = {
            how: {**at, "continuation": how} for how in ("prefill", "instruct", "restart")
        }
        providers["default"] = at
        providers["impatient"] = {**providers["prefill"], "timeouts": IMPATIENT}
        settings = {"providers": providers, **more}
        server = Server(self.nursery, self.home / name, settings, **options)
        self._servers.append(server)
        return server

    async def new_proxy(self, server: Server | None = None) -> Proxy:
        """A proxy in front of a server."""
        proxy = Proxy((server or self.server).port)
        await proxy.start()
        self._proxies.append(proxy)
        return proxy

    def turn(
        self,
        *attempts: Attempt,
        text: str | None = None,
        words: int = 6,
        paced: bool = False,
        provider: str = "prefill",
        resumes: Resuming = "goes on",
        thoughts: int | str = 0,
    ) -> Turn:
        """A message in a chat of its own, whose model speaks after so many broken attempts."""
        said = some_text(self.random, words) if text is None else text
        model = f"m{self.random.getrandbits(48):012x}"
        thought = some_text(self.random, thoughts) if isinstance(thoughts, int) else thoughts
        self.replies[model] = Reply(said, list(attempts), paced, resumes, thought)
        return Turn(said, model, provider, thoughts=thought)

    def page(
        self, turn: Turn, url: str | None = None, *, lets_go: int = 1_000_000, **options: Any
    ) -> Page:
        """A page that lets a paced reply go on with what it sees, up to event `lets_go`."""

        def saw(run: Run, event: Event) -> None:
            if "data" in event and event["n"] < lets_go:
                self.provider.release(f"{self.replies.gate(turn.model)}{event['n']}")

        return Page(self.pages, url or self.server.url, turn, saw=saw, **options)

    def let_go(self, turn: Turn) -> None:
        """Let a paced reply run on by itself."""
        reply = self.replies[turn.model]
        reply.paced = False
        for n in range(len(words_of(reply.thoughts)) + len(words_of(reply.text)) + 1):
            self.provider.release(f"{turn.model}/{reply.requests}/{n}")

    async def sent(self, turn: Turn, url: str | None = None, **options: Any) -> Page:
        """A page that has sent the turn and follows it."""
        page = self.page(turn, url, **options)
        await page.open()
        await page.send()
        return page

    # Chance

    def points(self, all_of_them: Sequence[T], sample: int) -> list[T]:
        """Where to strike: everywhere, or at a seeded sample of the places, in their order."""
        if self.everything or len(all_of_them) <= sample:
            return list(all_of_them)
        chosen = sorted(self.random.sample(range(len(all_of_them)), sample))
        return [all_of_them[n] for n in chosen]

    # Facts

    def requests(self, turn: Turn) -> list[Recorded]:
        """The requests that the provider got for a turn."""
        return [one for one in self.provider.completions() if one.model == turn.model]

    async def each(
        self, points: Iterable[T], strike: Callable[[T], Awaitable[None]], at_once: int = 8
    ) -> None:
        """Strike at all points, some of them at the same time."""
        room = asyncio.Semaphore(at_once)

        async def one(point: T) -> None:
            async with room:
                try:
                    await strike(point)
                except Exception as error:  # noqa: BLE001 - what broke is counted, the rest goes on
                    self.tally.injected += 1
                    self.tally.amiss(f"{self.tally.fault} at {point!r:.80}: {error!r:.300}")

        await asyncio.gather(*(one(point) for point in points))

    def sweep(self) -> None:
        """Count requests that came after the verdict on their turn."""
        counts = Counter(one.model for one in self.provider.completions())
        for tally, turn, before in self.judged:
            late = counts[turn.model] - before
            if late > 0:
                tally.extra += late
                tally.notes.append(f"{tally.fault}, {turn.pair}: {late} requests after the end")
        self.judged.clear()

    async def until_over(self, turn: Turn, timeout: float = 20) -> None:
        """Wait until none of a turn's requests is being answered."""
        deadline = time.monotonic() + timeout
        while not all(one.ended for one in self.requests(turn)):
            if time.monotonic() > deadline:
                self.tally.amiss(f"{self.tally.fault}: the server does not leave the provider")
                return
            await asyncio.sleep(0.01)

    async def until(self, holds: Callable[[], Awaitable[bool]], timeout: float = 20) -> None:
        """Wait for something that has to be asked for."""
        deadline = time.monotonic() + timeout
        while not await holds():
            if time.monotonic() > deadline:
                self.tally.amiss(f"{self.tally.fault}: what is waited for does not come")
                return
            await asyncio.sleep(0.02)

    async def check_health(self, server: Server | None = None) -> None:
        """After a fault the journal is sound and the server answers."""
        server = server or self.server
        async with httpx.AsyncClient(headers=HEADERS, timeout=20, verify=False) as client:
            answer = await client.get(f"{server.url}/turnbook/api/runs?state=alive")
        if answer.status_code != 200:
            self.tally.amiss(f"{self.tally.fault}: the server answers {answer.status_code}")
        damage = await asyncio.to_thread(server.damage)
        if damage:
            self.tally.amiss(f"{self.tally.fault}: the journal is damaged: {damage}")

    def _broken(self, why: str) -> None:
        """Something in the client failed and nobody there took note."""
        self.tally.amiss(f"{self.tally.fault}: the client broke: {why}")

    def say(self, text: str) -> None:
        """Progress, beside the table."""
        print(text, file=sys.stderr, flush=True)
