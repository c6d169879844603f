"""The verdict on one turn: what a fresh page finds, against what the provider said and got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import httpx

from .notebook import Run, cells_of, pair_state, replies_of, thoughts_of
from .page import Page
from .tally import Tally, compare
from .turn import Turn

if TYPE_CHECKING:
    from .world import World

WAIT = 40.0
"""Seconds after which a turn that is not where it should be never gets there."""


async def judge(
    world: World,
    turn: Turn,
    tally: Tally,
    *,
    pages: Collection[Page] = (),
    text: str | None = None,
    states: Collection[str] = ("done",),
    code: str | None = None,
    attempts: int | None = None,
    requests: int | None = None,
    url: str | None = None,
    seams: list[int] | None = None,
) -> Run | None:
    """Count one injection; `text` is what the pair must say, by default all that the model says.

    `pages` are those that lived through the fault; `seams` are the places at which the file must
    say that the reply was joined, if that is to be judged. Gives the newest run.
    """
    tally.injected += 1
    if text is None:
        text = turn.text
    where = f"{tally.fault}, {turn.pair}"
    for page in pages:
        await _judge_page(page, tally, where, text)
    fresh = Page(world.pages, url or world.server.url, turn)
    if await _several(fresh):
        tally.duplicated += 1
        tally.notes.append(f"{where}: several replies are in the file")
    try:
        await fresh.open()
        newest = await _judge(
            world, turn, tally, fresh, where, text, states, code, attempts, requests
        )
        if seams is not None:
            _judge_seams(await fresh.file(), turn, tally, where, seams)
        return newest
    finally:
        await fresh.leave()


async def _several(page: Page) -> bool:
    """Whether the file has more than one reply, before a page puts that right."""
    try:
        return len(replies_of(await page.file(), page.turn.pair)) > 1
    except httpx.HTTPStatusError:
        # There is none, and the page makes one.
        return False


async def _judge_page(page: Page, tally: Tally, where: str, text: str) -> None:
    """What a page that lived through the fault shows, if it came to the end."""
    if page.complaints:
        tally.amiss(f"{where}: a page complains: {page.complaints[:3]}")
    if page.lives and page.settled and page.newest is not None:
        lost, more = compare(text, await page.text(page.newest))
        tally.lost += lost
        tally.duplicated += more
        if lost or more:
            tally.notes.append(f"{where}: a page shows {lost} bytes too few, {more} too many")


async def _judge(
    world: World,
    turn: Turn,
    tally: Tally,
    page: Page,
    where: str,
    text: str,
    states: Collection[str],
    code: str | None,
    attempts: int | None,
    requests: int | None,
) -> Run | None:
    for run in await page.list():
        # A page that opens a chat hears only of those that have not landed.
        page.hear(run)

    def there(page: Page) -> bool:
        newest = page.newest
        return page.settled and newest is not None and newest["state"] in states

    if not await page.until(there, WAIT):
        newest = page.newest
        state = f"{newest['state']}, {newest['end']}, {newest['turn']}" if newest else "no run"
        tally.amiss(f"{where}: {state}; should be {', '.join(states)}")
    newest = page.newest
    if newest is None:
        tally.lost += len(text.encode())
        return None
    if page.complaints:
        tally.amiss(f"{where}: a fresh page complains: {page.complaints[:3]}")
    if code is not None and (newest["end"] or {}).get("code") != code:
        tally.amiss(f"{where}: ended with {newest['end']}; should be {code}")
    if not await page.save():
        tally.amiss(f"{where}: the notebook cannot be saved")
    saved = await page.file()
    replies = replies_of(saved, turn.pair)
    lost, more = compare(text, replies[0] if replies else "")
    tally.lost += lost
    tally.duplicated += more + sum(len(one.encode()) for one in replies[1:])
    if lost or more:
        tally.notes.append(f"{where}: {lost} bytes lost, {more} too many: {replies[:1]!r:.300}")
    kept = {"journal": await page.thoughts(newest), "file": thoughts_of(saved, turn.pair)}
    for place, thoughts in kept.items():
        lost, more = compare(turn.thoughts, thoughts)
        tally.lost += lost
        tally.duplicated += more
        if lost or more:
            tally.notes.append(f"{where}: {lost} bytes of thoughts lost, {more} too many: {place}")
    cells = cells_of(saved, turn.pair)
    if len(cells) != 1:
        tally.duplicated += max(0, len(cells) - 1)
        tally.amiss(f"{where}: the pair is there {len(cells)} times")
    elif cells[0]["metadata"]["turnbook_run"]["state"] != pair_state(newest):
        tally.amiss(f"{where}: the pair shows {cells[0]['metadata']['turnbook_run']}")
    runs = await page.list()
    _count_requests(world, turn, tally, runs, where, requests)
    if attempts is not None and len(runs) != attempts:
        tally.amiss(f"{where}: {len(runs)} attempts; should be {attempts}")
    if [run["attempt"] for run in runs] != list(range(1, len(runs) + 1)):
        tally.amiss(f"{where}: attempts are numbered {[run['attempt'] for run in runs]}")
    return newest


def _judge_seams(
    saved: dict[str, Any], turn: Turn, tally: Tally, where: str, wanted: list[int]
) -> None:
    """A reply that was put together says where: what is not from one piece must not look so."""
    for cell in cells_of(saved, turn.pair):
        marked = [seam["at"] for seam in cell["metadata"]["turnbook_run"].get("seams", [])]
        if marked != wanted:
            tally.amiss(f"{where}: joined at {marked}; should be {wanted}")


def _count_requests(
    world: World, turn: Turn, tally: Tally, runs: list[Run], where: str, wanted: int | None
) -> None:
    got = world.requests(turn)
    listed = Counter(run["hash"] for run in runs)
    extra = sum((Counter(request.sha256 for request in got) - listed).values())
    if wanted is not None:
        extra = max(extra, len(got) - wanted)
        if len(got) < wanted:
            tally.amiss(f"{where}: {len(got)} requests; should be {wanted}")
    tally.extra += extra
    world.judged.append((tally, turn, len(got)))
    if extra:
        tally.notes.append(f"{where}: {len(got)} requests for {len(runs)} attempts")
    if world.replies[turn.model].wrong_prefix:
        tally.amiss(f"{where}: it asked to go on from a text that was never said")
