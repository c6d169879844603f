"""`python -m soak`: random use with faults for a while, then one table.

Exit code 1 says that something was lost, duplicated or sent unseen, that memory, listeners or timers
grow, or that too little worked for a verdict. In the last third of the time nothing is killed or
reloaded: what one server and one page hold is watched then.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from faults.browser import Browser, BrowserError
from faults.client import HEADERS
from faults.judge import judge
from faults.notebook import new_notebook
from faults.page import Page
from faults.proxy import Proxy
from faults.replies import Attempt, broken_after, refusal
from faults.resuming import ONLY_BY_HAND, to_the_end
from faults.server import ROOT
from faults.tally import Tally
from faults.turn import Turn
from faults.world import World

from .memory import ENOUGH, PAGE, Sample
from .report import show, show_memory
from .talk import MODEL, Talk, marks_of
from .user import ACTS, Chat, User
from .verdict import judge_chats

CHATS = 50
CONTROLS = 12
"""How many plain notebooks are opened for comparison."""
REST_SECONDS = 40.0
"""How long the user goes on at most between two looks at what the page and the server hold."""
QUIET = 1 / 3
"""The last part of the time, in which neither page nor server begins anew."""
BY_HAND = 5
"""How often the user sends again, in the end, what only they may: what may have been answered."""
LOG = ROOT / ".logs"


class Soak:
    """One run."""

    def __init__(self, world: World, proxy: Proxy, minutes: float, seed: int) -> None:
        self.world = world
        self.proxy = proxy
        self.talk = Talk(seed)
        self.random = random.Random(f"{seed}/faults")
        self.browser = Browser("soak/browser.mjs")
        self.chats = [Chat(f"soak{n:02}.chat.ipynb") for n in range(CHATS)]
        self.user = User(self.browser, self.chats, seed)
        self.samples: dict[str, list[Sample]] = {name: [] for name in (*PAGE, "server")}
        self.own: dict[str, float] = {}
        """What a plain notebook leaves behind in JupyterLab when it is closed."""
        self.faults: Counter[str] = Counter()
        self.page_tally = Tally("chats in the browser", "browser")
        self.api_tally = Tally("turns on the API")
        self.minutes = minutes
        self.used_minutes = 0.0
        """How long the user went on."""
        self._began = 0.0
        self._lives = 0
        self._steady = asyncio.Lock()
        """Held while the server must not be killed."""
        self._quiet = False
        """Whether nothing is killed or reloaded any more."""

    @property
    def minute(self) -> float:
        """Minutes since the beginning."""
        return (time.monotonic() - self._began) / 60

    async def run(self) -> None:
        """Use it, look at what it holds now and then, and judge."""
        self._write_chats()
        await self.browser.start()
        try:
            await self._run()
        finally:
            await self.browser.stop()

    async def _run(self) -> None:
        await self.browser.do("start", self.proxy.url)
        self._began = time.monotonic()
        self.world.tally = self.api_tally
        beside = [
            asyncio.create_task(self.beside("what breaks things", self._break())),
            asyncio.create_task(self.beside("the user of the API", self._use_api())),
        ]
        try:
            looks = 0
            while self._goes_on(looks) and not any(task.done() for task in beside):
                ends = time.monotonic() + min(REST_SECONDS, self.minutes * 60 / 18)
                while time.monotonic() < ends:
                    await self.user.act()
                await self._look(note=self._quiet)
                looks += self._quiet
                if not self._quiet and self.minute >= self.minutes * (1 - QUIET):
                    await self._be_quiet()
            self.used_minutes = self.minute
        finally:
            for task in beside:
                task.cancel()
            for task in beside:
                with suppress(asyncio.CancelledError):
                    await task
        await self._settle()
        await judge_chats(self.world, self.chats, self.talk, self.page_tally)
        self.world.sweep()
        # The same files, with all that was said in them, as plain notebooks.
        plain = [chat.path for chat in self.chats[:CONTROLS]]
        before, after = await self.browser.do("control", plain)
        self.own = {name: (after[name] - before[name]) / CONTROLS for name in PAGE}

    def _goes_on(self, looks: int) -> bool:
        """Until the time is over, and somewhat longer if there were too few looks until then."""
        return self.minute < self.minutes or (
            len(self.samples["server"]) < ENOUGH and looks < 2 * ENOUGH
        )

    async def _be_quiet(self) -> None:
        """From now on, page and server live to the end."""
        async with self._steady:
            self._quiet = self.user.stays = True
        print(
            f"    minute {self.minute:.1f}: nothing is killed or reloaded from now on", flush=True
        )

    async def beside(self, name: str, work: Awaitable[None]) -> None:
        """Do something until it is cancelled; that it ended for another reason is told at once."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - whatever it is, the table has it
            self.page_tally.amiss(f"{name} died in minute {self.minute:.1f}: {error!r:.300}")
            print(f"    {self.page_tally.notes[-1]}", flush=True)

    def _write_chats(self) -> None:
        for chat in self.chats:
            notebook = new_notebook(str(uuid.uuid4()), f"prefill/{MODEL}")
            (self.world.server.root / chat.path).write_text(json.dumps(notebook))

    async def _look(self, *, note: bool = False) -> None:
        """Close all chats and see what is held."""
        async with self._steady:
            if not self.world.server.lives:
                await self._start_server()
            self.user.did["rest"] += 1
            try:
                held = await self.browser.do("rest")
            except BrowserError as error:
                self.user.problems.append(f"rest: {error}")
                self.user.hindered["rest"] += 1
                return
            self.user.rested()
            memory = self.world.server.memory()
        if note:
            for name in PAGE:
                self._note(name, held["loads"], held[name])
            self._note("server", self._lives, memory)
        shown = ", ".join(f"{name} {held[name]:,}" for name in PAGE)
        print(f"    minute {self.minute:.1f}: {shown}, server {memory:,}", flush=True)

    def _note(self, name: str, life: int, value: float) -> None:
        self.samples[name].append(Sample(self.minute, self.user.opened, life, value))

    async def _break(self) -> None:
        """Break something every now and then."""
        while True:
            await asyncio.sleep(self.random.uniform(5, 25))
            kind = self.random.choices(("network", "offline", "kill"), (4, 2, 2))[0]
            if kind == "kill" and self._quiet:
                kind = "network"
            self.faults[kind] += 1
            if kind == "network":
                self.proxy.cut()
            elif kind == "offline":
                # All that the pages ask for fails, for a while.
                self.proxy.refuse(True)
                try:
                    await asyncio.sleep(self.random.uniform(0.5, 4))
                finally:
                    self.proxy.refuse(False)
            else:
                await self._kill()

    async def _kill(self) -> None:
        async with self._steady:
            if self._quiet:
                return
            await self.world.server.kill()
            await asyncio.sleep(self.random.uniform(0, 2))
            await self._start_server()

    async def _start_server(self) -> None:
        self._lives += 1
        await self.world.server.start()

    async def _use_api(self) -> None:
        """Turns of the shipped client, one after another; faults hit all of each but its verdict."""
        while True:
            attempts = [self._attempt() for _ in range(self.random.choice((0, 0, 1, 2)))]
            turn = self.world.turn(*attempts, words=self.random.randint(2, 40))
            page = await self._opened(turn)
            try:
                await page.deliver()
                if self.random.random() < 0.3:
                    await page.leave()
                    # Somebody opens the chat again.
                    page = await self._opened(turn)
                await to_the_end(page)
                async with self._steady:
                    await judge(self.world, turn, self.api_tally, pages=[page])
            finally:
                await page.leave()
            await asyncio.sleep(self.random.uniform(0.5, 3))

    async def _opened(self, turn: Turn) -> Page:
        """A page with the turn's chat, as soon as one can have it."""
        deadline = time.monotonic() + 60
        while True:
            page = self.world.page(turn, self.proxy.url)
            try:
                await page.open()
                for run in await page.list():
                    page.hear(run)
            except httpx.HTTPError:
                await page.leave()
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.2)
            else:
                return page

    def _attempt(self) -> Attempt:
        if self.random.random() < 0.3:
            return refusal(self.random.choice((500, 502, 503)))
        return broken_after(self.random.randint(0, 2), {"cut": True})

    async def _settle(self) -> None:
        """Wait until no run lives or waits; then open every chat, so that all replies land."""
        if not self.world.server.lives:
            await self._start_server()
        for _ in range(BY_HAND):
            by_hand = await self._ended()
            await self._look()
            for chat in self.chats:
                if chat.sent or chat.unsure:
                    await self._land(chat, by_hand)
            if not by_hand:
                break
        await self._look()

    async def _ended(self) -> list[str]:
        """Wait until no run lives or waits; gives the pairs that only their user may send again."""
        deadline = time.monotonic() + 120
        async with httpx.AsyncClient(headers=HEADERS, timeout=30, trust_env=False) as client:
            url = f"{self.world.server.url}/turnbook/api/runs"
            while True:
                runs = (await client.get(url)).json()["runs"]
                newest = {run["pair"]: run for run in runs}.values()
                if not any(_pending(run) for run in newest):
                    break
                if time.monotonic() > deadline:
                    self.page_tally.amiss("runs neither end nor give up")
                    break
                await asyncio.sleep(0.5)
        return [run["pair"] for run in newest if is_by_hand(run)]

    async def _land(self, chat: Chat, by_hand: list[str]) -> None:
        try:
            chat.back.update(marks_of(await self.browser.do("settle", chat.path, by_hand)))
        except BrowserError as error:
            LOG.mkdir(exist_ok=True)
            await self.browser.do("picture", str(LOG / "soak.png"))
            self.page_tally.amiss(f"{chat.path} does not settle: {error!s:.200}")


def _pending(run: dict[str, Any]) -> bool:
    return run["end"] is None or run["turn"]["retryAt"] is not None


def is_by_hand(run: dict[str, Any]) -> bool:
    """Whether only the user may send this again: the next message, Stop and Delete end retries."""
    if run["model"] != MODEL or run["state"] in ("done", "stopped"):
        return False
    turn = run["turn"]
    return run["state"] in ONLY_BY_HAND or not turn["auto"] or turn["paused"] is not None


async def _soak(minutes: float, seed: int) -> Soak:
    with tempfile.TemporaryDirectory(prefix="turnbook-soak-") as folder:
        async with World(Path(folder), seed, everything=False) as world:
            await world.server.stop()
            world.server = world.new_server("lab", lab=True)
            await world.server.start()
            proxy = await world.new_proxy()
            soak = Soak(world, proxy, minutes, seed)

            def script(request: Any) -> Any:
                of = soak.talk if request["model"] == MODEL else world.replies
                return of.script(request)

            world.provider.fallback = script
            await soak.run()
            return soak


def main() -> int:
    """Run it for as long as it was told to."""
    parser = argparse.ArgumentParser(prog="python -m soak")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1, help="the same use and faults again")
    parser.add_argument(
        "--verbose", action="store_true", help="what the user could not do, and why"
    )
    args = parser.parse_args()
    print(f"==> {CHATS} chats for {args.minutes:g} minutes, seed {args.seed}", flush=True)
    soak = asyncio.run(_soak(args.minutes, args.seed))
    if args.verbose:
        print("\n".join(soak.user.problems))
    good = show(
        (soak.page_tally, soak.api_tally),
        soak.user.did,
        soak.user.hindered,
        {**soak.faults, "provider": soak.talk.breaks},
        [act.__name__.strip("_") for act, _ in ACTS],
        soak.used_minutes,
    )
    good &= show_memory(soak.samples, soak.own)
    load = os.getloadavg()[0]
    print(f"\n{'All is well' if good else 'NOT WELL'}, seed {args.seed}, load {load:.1f}.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
