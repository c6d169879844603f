"""The counting, put to the test: servers and pages that are wrong on purpose must be found out."""

from __future__ import annotations

from jupyterlab_turnbook.scripted_provider.resuming import Resuming

from . import powercut
from .broken import BREAKAGES
from .disks import NETWORK
from .judge import judge
from .replies import Attempt, broken_after
from .tally import Tally
from .world import World

_COLUMNS = {
    "loses an event": "lost",
    "stores events twice": "duplicated",
    "sends a request twice": "extra",
    "calls a broken reply done": "wrong",
    "never syncs": "extra",
    "leaves a commit's journal unsynced": "extra",
}
# Those that only a power cut finds out, with the disk that they are wrong on.
_BY_POWER_CUT: dict[str, dict[str, object]] = {
    "never syncs": {},
    "leaves a commit's journal unsynced": NETWORK,
}


_JOINS = "joins without looking"
# How the client is broken (faults/client/wrong.ts), the column that must count it, and the provider.
_PAGES: dict[str, tuple[str, str, Resuming]] = {
    "forgets an event": ("forgets an event", "lost", "goes on"),
    "takes events twice": ("takes events twice", "duplicated", "goes on"),
    "lands a reply twice": ("lands a reply twice", "duplicated", "goes on"),
    "joins a reply that repeats": (_JOINS, "duplicated", "repeats"),
    "joins a reply that overlaps": (_JOINS, "duplicated", "overlaps"),
    "joins an apology": (_JOINS, "duplicated", "apologises"),
}


async def found_out(world: World) -> list[tuple[str, bool]]:
    """Each wrong server and page, with whether the right column counted it."""
    results: list[tuple[str, bool]] = []
    for name in BREAKAGES:
        by = _with_power_cut if name in _BY_POWER_CUT else _with_server
        tally = await by(world, name)
        results.append((f"a server that {name} is found out", getattr(tally, _COLUMNS[name]) > 0))
    for name, (wrong, column, resumes) in _PAGES.items():
        tally = await _with_page(world, wrong, resumes)
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


async def _with_power_cut(world: World, name: str) -> Tally:
    file = world.home / "wrong.record"
    file.unlink(missing_ok=True)
    disk = {**_BY_POWER_CUT[name], "record": str(file)}
    server = world.new_server(name.replace(" ", "-"), broken=name, disk=disk)
    await server.start()
    record = await powercut.whole_reply(world, server, file)
    await server.stop()
    world.tally = Tally(name)
    # In a sample too: what is found by chance is missed by chance.
    await powercut.judge_images(world, record, until_extra=True)
    return world.tally


async def _with_page(world: World, wrong: str, resumes: Resuming) -> Tally:
    # Only what is resumed can be joined wrongly.
    attempts = [broken_after(5, {"cut": True})] if wrong == _JOINS else []
    turn = world.turn(*attempts, words=8, provider="instruct", resumes=resumes)
    page = await world.sent(turn, wrong=wrong)
    await page.until(lambda page: page.settled)
    await page.save()
    tally = Tally(wrong)
    await judge(world, turn, tally, pages=[page])
    await page.leave()
    return tally
