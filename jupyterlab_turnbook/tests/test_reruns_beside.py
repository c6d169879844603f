"""Two servers with the same reruns, and a rerun that begins while its server ends."""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.rerun.jobs import Reruns
from jupyterlab_turnbook.rerun.kept import Kept
from jupyterlab_turnbook.rerun.plan import CannotRerun
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api
from .test_reruns import begin, over, put, wish

STALLS: dict[str, Any] = {"steps": [{"delta": "One"}, {"stall": True}]}


@asynccontextmanager
async def another(turnbook: TurnbookApp, journal_dir: Path) -> AsyncIterator[Reruns]:
    """The reruns of another server of the same user, with the same root."""
    mine: Any = turnbook.reruns
    made = Reruns(mine._planner, turnbook.registry, journal_dir, logging.getLogger("another"))
    try:
        yield made
    finally:
        await made.close()


async def ends(reruns: Reruns) -> dict[str, Any]:
    """The only rerun, when it sends no more."""
    while True:
        [found] = await reruns.all()
        if found["state"] not in ("running", "ending"):
            return found
        await asyncio.sleep(0.02)


async def test_what_another_server_goes_on_with_is_its_own(
    api: Api,
    jp_root_dir: Path,
    provider: ThreadedScriptedProvider,
    turnbook: TurnbookApp,
    journal_dir: Path,
) -> None:
    put(jp_root_dir, "a")
    provider.script(*[STALLS] * 2)
    rerun = (await begin(api, wish("a.replay.ipynb", repeats=2)))["id"]
    await provider.requested(2)
    for params in ({}, {"now": "1"}):
        await api("stopRerun", rerun, params=params)
    assert (await over(api, rerun))["state"] == "stopped"
    async with another(turnbook, journal_dir) as other:
        provider.script(*[STALLS] * 2)
        await other.go_on(rerun, again=True)
        await provider.requested(4)
        [listed] = (await api("listReruns")).body["reruns"]
        assert (listed["state"], listed["elsewhere"]) == ("running", True)
        assert (await api("forgetRerun", rerun)).status == 409
        assert (await api("stopRerun", rerun)).status == 409
        # The list cannot be read, and it is stopped all the same.
        kept: Any = other._kept
        good = kept._file.path.read_bytes()
        kept._file.path.write_text("{")
        assert (await other.stop(rerun, now=False))["state"] == "ending"
        kept._file.path.write_bytes(good)
        await other.stop(rerun, now=True)
        assert (await ends(other))["state"] == "stopped"
        [listed] = (await api("listReruns")).body["reruns"]
        assert (listed["state"], listed["elsewhere"]) == ("stopped", False)


async def test_a_rerun_is_over_once_other_servers_can_read_that(
    api: Api, jp_root_dir: Path, turnbook: TurnbookApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(jp_root_dir, "a")
    change, ending, go = Kept.change, threading.Event(), threading.Event()
    told: list[str] = []
    reruns: Any = turnbook.reruns
    monkeypatch.setattr(reruns, "_changed", lambda view: told.append(view["state"]))

    def slow(self: Kept, rerun: str, owner: str, changes: dict[str, Any]) -> None:
        if changes["state"] == "done":
            ending.set()
            assert go.wait(60)
        change(self, rerun, owner, changes)

    monkeypatch.setattr(Kept, "change", slow)
    rerun = (await begin(api, wish("a.replay.ipynb", repeats=2)))["id"]
    assert await asyncio.to_thread(ending.wait, 60)
    [listed] = (await api("listReruns")).body["reruns"]
    assert listed["state"] == "running"
    job = reruns._jobs[rerun]
    go.set()
    # The event loop is busy until the end has been kept, and told of.
    job.join()
    assert told == ["running"]
    assert (await over(api, rerun))["state"] == "done"
    assert told == ["running", "done"]


@pytest.mark.parametrize("is_new", [True, False])
async def test_what_begins_while_the_server_stops_is_not_sent(
    api: Api,
    jp_root_dir: Path,
    provider: ThreadedScriptedProvider,
    turnbook: TurnbookApp,
    monkeypatch: pytest.MonkeyPatch,
    is_new: bool,
) -> None:
    put(jp_root_dir, "a")
    wanted = wish("a.replay.ipynb", repeats=2, maxRequests=1, out="results.ipynb")
    if not is_new:
        await over(api, (await begin(api, wanted))["id"])
    before = (await api("listReruns")).body["reruns"]
    sent = len(provider.completions())
    blocked, go = threading.Event(), threading.Event()
    put_it: Callable[..., None] = Kept.put

    def slow(self: Kept, *arguments: Any) -> None:
        blocked.set()
        go.wait()
        put_it(self, *arguments)

    monkeypatch.setattr(Kept, "put", slow)
    if is_new:
        plan = (await turnbook.reruns.preview(wanted))["plan"]
        coming: Any = turnbook.reruns.start(str(uuid.uuid4()), wanted, plan)
    else:
        coming = turnbook.reruns.go_on(before[0]["id"], again=False)
    starting = asyncio.ensure_future(coming)
    await asyncio.to_thread(blocked.wait)
    await turnbook.reruns.close()
    go.set()
    with pytest.raises(CannotRerun):
        await starting
    assert (await api("listReruns")).body["reruns"] == before
    assert len(provider.completions()) == sent
