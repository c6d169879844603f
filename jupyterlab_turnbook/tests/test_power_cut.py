"""What a page was told survives a power cut, with the disk as it was synced last."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.platter import Operation, Platter, lay_out, recorded
from faults.vfs import Disk
from jupyterlab_turnbook.runs import journal as journal_module
from jupyterlab_turnbook.runs import queries
from jupyterlab_turnbook.runs.model import Run
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .test_engine import FINISH, Setup, claim, finish
from .test_engine import setup as setup
from .test_journal import opened


@pytest.fixture(params=["local", "nfs4"])
def record(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Where the disk below SQLite, a local one or one of the network, puts what is done to it."""
    disk = Disk()
    if request.param != "local":
        disk.shared_memory = False
        monkeypatch.setattr(journal_module, "network_disk", lambda folder: request.param)
    disk.install()
    disk.record(tmp_path / "record")
    yield tmp_path / "record"
    disk.remove()


async def _after_a_cut(record: Path, run: Run) -> Run:
    """A run as the next server finds it if nothing is left but what was synced until now; ask once."""
    platter = Platter()
    for operation in recorded(record):
        platter.do(operation)
    folder = record.parent / "after"
    lay_out(platter.after_a_cut(random.Random(0), 0), folder)
    async with opened(folder) as (journal, _):
        return await journal.read(lambda db: queries.get(db, run.id))


async def test_a_finished_reply_stays_finished(
    record: Path, setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"delta": "b"}, *FINISH]})
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())
        now, events = await asyncio.wait_for(finish(engine, run), 10)
        found = await _after_a_cut(record, run)
        assert (found.state, found.events) == (now.state, len(events)) == ("done", len(events))


async def test_a_stopped_reply_stays_stopped(
    record: Path, setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"stall": True}]})
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())
        await provider.requested(1)
        await engine.stop(run.chat, run.id)
        found = await _after_a_cut(record, run)
        assert (found.state, found.turn.auto) == ("stopped", False)


async def test_retries_that_the_user_ended_stay_ended(
    record: Path, setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"status": 503, "headers": {"Retry-After": "600"}, "steps": []})
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())
        await asyncio.wait_for(finish(engine, run), 10)
        await engine.set_auto(run.turn_key, False)
        found = await _after_a_cut(record, run)
        assert (found.turn.auto, found.turn.retry_at) == (False, None)


def test_what_was_not_synced_may_be_lost_in_any_part() -> None:
    platter = Platter({"f": b"old!"})
    platter.do(Operation("w", "f", 0, b"1" * 1024))
    platter.do(Operation("w", "f", 1024, b"2" * 1024))
    chance = random.Random(1)
    contents = {platter.after_a_cut(chance, 0.5)["f"] for _ in range(200)}
    assert {b"old!", b"1" * 1024 + b"2" * 1024, b"1" * 512} <= contents
    assert any(each.endswith(b"2") and b"\0" in each for each in contents)
    platter.do(Operation("s", "f"))
    assert platter.after_a_cut(chance, 0) == {"f": b"1" * 1024 + b"2" * 1024}


def test_a_deletion_counts_when_its_folder_is_synced() -> None:
    platter = Platter({"f": b"x"})
    platter.do(Operation("c", "f-journal"))
    platter.do(Operation("w", "f-journal", 0, b"y"))
    assert set(platter.after_a_cut(random.Random(1), 0)) == {"f"}
    platter.do(Operation("s", "f-journal"))
    platter.do(Operation("d", "f-journal"))
    assert platter.after_a_cut(random.Random(1), 0) == {"f": b"x", "f-journal": b"y"}
    assert set(platter.after_a_cut(random.Random(1), 1)) == {"f"}
    platter.do(Operation("D", "other"))
    assert set(platter.after_a_cut(random.Random(1), 0)) == {"f"}
