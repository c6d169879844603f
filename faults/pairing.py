"""Two faults at once, drawn at random: what neither does alone, both together must not do either."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from pathlib import Path

from .judge import judge
from .notebook import Run
from .page import Event, Page
from .platter import Platter, lay_out, recorded
from .proxy import Proxy
from .replies import Attempt, broken_after, refusal, some_text
from .resuming import to_the_end
from .server import Server
from .turn import Turn
from .world import World

_WORDS = 5
_SERVERS = 4
_TIMES = 1
"""How often each pair is drawn, at other places."""
_AGAIN = 8
"""How often it is drawn again if one of its faults had no effect."""
_LONGEST_WRITE = 3.0
"""Seconds in which the server writes to the journal if the reply, or a retry of it, is to come."""
_LONG = "x" * 20_000
"""It makes a word so long that no free page of the journal has room for it."""


@dataclass
class Scene:
    """A server of its own, and a page that sees a reply grow."""

    world: World
    server: Server
    proxy: Proxy
    record: Path
    turn: Turn
    pages: list[Page]
    on_disk: dict[str, bytes]
    dying: asyncio.Lock
    holds: list[int]
    """The numbers of events at which the reply waits for a fault."""
    gate: str = ""
    """Where the reply waits for its page, or did."""
    missed: list[str] = field(default_factory=list)
    """What was full or read-only while nobody wrote to it."""

    @property
    def page(self) -> Page:
        """The one that follows the reply now."""
        return self.pages[-1]

    def new_page(self) -> Page:
        """One more page with the chat."""
        self.pages.append(
            Page(
                self.world.pages,
                self.server.url,
                self.turn,
                socket_url=self.proxy.url,
                saw=self._saw,
            )
        )
        return self.page

    def _saw(self, run: Run, event: Event) -> None:
        if "data" in event:
            self.gate = f"{self.world.replies.gate(self.turn.model)}{event['n']}"
            self._let_go()

    def go_on(self) -> None:
        """Do not wait any more for the faults that are striking now."""
        self.holds = [place for place in self.holds if place > self.seen]
        self._let_go()

    def _let_go(self) -> None:
        if self.gate and not any(place <= self.seen for place in self.holds):
            self.world.provider.release(self.gate)

    @property
    def seen(self) -> int:
        """How many events of all attempts the page that saw most has; one that was killed hears no more."""
        return max(sum(map(len, page.events.values())) for page in self.pages)

    @property
    def settled(self) -> bool:
        """Whether a page that lives shows the end."""
        return any(page.lives and page.settled for page in self.pages)


Strike = Callable[[Scene], Awaitable[None]]


async def _killed(scene: Scene, signal: str = "KILL", kept: float = 1) -> None:
    async with scene.dying:
        await scene.server.kill(signal)
        platter = Platter(scene.on_disk)
        for operation in recorded(scene.record):
            platter.do(operation)
        scene.record.unlink(missing_ok=True)
        scene.on_disk.clear()
        scene.on_disk.update(platter.after_a_cut(scene.world.random, kept))
        if kept < 1:
            lay_out(scene.on_disk, scene.server.journal_dir)
        await scene.server.start()


async def _ended(scene: Scene) -> None:
    await _killed(scene, "TERM")


async def _power_cut(scene: Scene) -> None:
    await _killed(scene, kept=0.5)


async def _connection_cut(scene: Scene) -> None:
    scene.proxy.cut()


async def _page_killed(scene: Scene) -> None:
    scene.page.kill()
    await _opened(scene)


async def _opened(scene: Scene) -> None:
    """One more page; its server may be away."""
    page = scene.new_page()
    async with scene.dying:
        await page.open()


async def _for_a_while(scene: Scene, hook: str) -> None:
    async with scene.dying:
        before = (await scene.server.tell(**{hook: True}))["refused"]
        scene.go_on()
        deadline = time.monotonic() + _LONGEST_WRITE
        while (await scene.server.tell())["refused"] == before:
            if time.monotonic() > deadline:
                scene.missed.append(hook)
                break
            await asyncio.sleep(0.02)
        await scene.page.until(lambda page: page.settled, 0.3)
        await scene.server.tell(**{hook: False})


async def _disk_full(scene: Scene) -> None:
    await _for_a_while(scene, "full")


async def _read_only(scene: Scene) -> None:
    await _for_a_while(scene, "query_only")


async def _damaged(scene: Scene) -> None:
    async with scene.dying:
        await scene.server.tell(damaged=True)


async def _disk_slow(scene: Scene) -> None:
    async with scene.dying:
        await scene.server.tell(slowness=0.1)


async def _clock_ahead(scene: Scene) -> None:
    async with scene.dying:
        await scene.server.tell(clock=86_400)


async def _clock_back(scene: Scene) -> None:
    async with scene.dying:
        await scene.server.tell(clock=-86_400)


async def _no_descriptors(scene: Scene) -> None:
    async with scene.dying:
        await scene.server.tell(descriptors=1)
        scene.go_on()
        await scene.page.until(lambda page: page.settled, 0.3)
        await scene.server.tell(descriptors=0)


async def _save_fails(scene: Scene) -> None:
    async with scene.dying:
        await scene.server.tell(save_fails=True)
        await scene.page.save()
        await scene.server.tell(save_fails=False)


PROVIDER: dict[str, Callable[[int], Attempt]] = {
    "provider cuts": lambda at: broken_after(at, {"cut": True}),
    "provider resets": lambda at: broken_after(at, {"reset": True}),
    "provider says an error": lambda at: broken_after(
        at, {"raw": 'data: {"error": {"message": "overloaded", "code": 500}}\n\n'}
    ),
    "provider refuses": lambda at: refusal(503),
    "provider wants time": lambda at: refusal(429, headers={"Retry-After": "1"}),
}
"""Faults of an attempt, which break it after so many words."""

OTHERS: dict[str, Strike] = {
    "server killed": _killed,
    "server ended": _ended,
    "power cut": _power_cut,
    "connection cut": _connection_cut,
    "page killed": _page_killed,
    "another page": _opened,
    "disk full": _disk_full,
    "read-only": _read_only,
    "journal damaged": _damaged,
    "disk slow": _disk_slow,
    "clock ahead": _clock_ahead,
    "clock back": _clock_back,
    "no descriptors": _no_descriptors,
    "save fails": _save_fails,
}
"""Faults that strike when a page has seen so many events."""


async def random_pairs(world: World) -> None:
    """Each pair of these, at random places, now together and now one after the other."""
    names = [*PROVIDER, *OTHERS]
    pairs = [pair for pair in combinations_with_replacement(names, 2) for _ in range(_TIMES)]
    cases = [
        (pair, (world.random.randint(1, _WORDS), world.random.randint(1, _WORDS)))
        for pair in world.points(pairs, 4)
    ]
    world.random.shuffle(cases)
    stages = asyncio.Queue[tuple[Server, Proxy, Path, dict[str, bytes]]]()
    for n in range(min(_SERVERS, len(cases))):
        record = world.home / f"pair-{n}.record"
        server = world.new_server(f"pair-{n}", disk={"record": str(record)})
        await server.start()
        stages.put_nowait((server, await world.new_proxy(server), record, {}))

    async def strike(case: tuple[tuple[str, str], tuple[int, int]]) -> None:
        stage = await stages.get()
        try:
            pair, places = case
            for _ in range(_AGAIN):
                if await _play(world, stage, pair, places):
                    return
                places = (world.random.randint(1, _WORDS), world.random.randint(1, _WORDS))
            world.tally.amiss(f"{pair}: one of them never had an effect")
        finally:
            stages.put_nowait(stage)

    await world.each(cases, strike, at_once=_SERVERS)
    while not stages.empty():
        await stages.get_nowait()[0].stop()


async def _play(
    world: World,
    stage: tuple[Server, Proxy, Path, dict[str, bytes]],
    pair: tuple[str, str],
    places: tuple[int, int],
) -> bool:
    """Whether both had an effect; if not, it is judged, but not counted."""
    server, proxy, record, on_disk = stage
    attempts = [
        PROVIDER[name](at) for name, at in zip(pair, places, strict=True) if name in PROVIDER
    ]
    text = some_text(world.random, _WORDS)
    if "disk full" in pair:
        text = " ".join(f"{word}{_LONG}" for word in text.split(" "))
    turn = world.turn(*attempts, text=text, paced=True)
    holds = [place for name, place in zip(pair, places, strict=True) if name in OTHERS]
    scene = Scene(world, server, proxy, record, turn, [], on_disk, asyncio.Lock(), holds)
    await scene.new_page().open()
    await scene.page.deliver()

    async def at(name: str, place: int) -> None:
        async def reached() -> bool:
            return scene.seen >= place or scene.settled

        await world.until(reached)
        await OTHERS[name](scene)
        scene.go_on()

    strikes = [(name, at_) for name, at_ in zip(pair, places, strict=True) if name in OTHERS]
    await asyncio.gather(*(at(*each) for each in strikes))
    world.let_go(turn)
    await to_the_end(scene.page)
    before = world.tally.wrong
    await judge(world, turn, world.tally, pages=scene.pages, url=server.url)
    if world.tally.wrong > before:
        world.tally.notes.append(f"   that was {pair} at {places}")
    for page in scene.pages:
        await page.leave()
    await server.tell(slowness=0, clock=0, full=False, query_only=False, damaged=False)
    await world.check_health(server)
    left = world.replies[turn.model].attempts
    struck = not scene.missed and not left
    world.tally.injected -= not struck
    return struck
