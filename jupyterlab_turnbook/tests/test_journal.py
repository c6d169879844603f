"""The journal: what it has confirmed is on disk, whatever happens to the process."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.base.outcome import Outcome
from jupyterlab_turnbook.runs import commands, queries, schema
from jupyterlab_turnbook.runs.journal import Journal, JournalError
from jupyterlab_turnbook.runs.model import Claim, Run
from jupyterlab_turnbook.runs.states import ALIVE
from jupyterlab_turnbook.runs.transaction import Change, Tx

BODY = b'{"model": "m", "messages": []}'


def claim(number: int = 1, chat: str | None = None) -> Claim:
    return Claim(
        id=f"00000000-0000-4000-8000-{number:012}",
        chat=chat or f"chat-{number}",
        pair="pair",
        cell={"id": "pair"},
        after=None,
        provider="test",
        model="m",
        body=BODY,
    )


@asynccontextmanager
async def opened(directory: Path) -> AsyncIterator[tuple[Journal, list[Change]]]:
    """A journal and the changes it announces."""
    changes: list[Change] = []
    journal = Journal(
        directory, recover=lambda tx: commands.recover(tx, 99), announce=changes.extend
    )
    try:
        yield journal, changes
    finally:
        await journal.close()


async def test_writes_return_in_order_and_are_announced_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, changes):
        run, made = await journal.write(lambda tx: commands.claim(tx, claim(), 1, retry=False))
        assert made
        assert changes == [Change(run.id, "chat-1", True, now=run)]
        numbers = await asyncio.gather(
            *(
                journal.write(lambda tx, n=n: commands.append(tx, run.id, run.chat, [f"{n}"]))  # type: ignore[misc]
                for n in range(200)
            )
        )
        assert numbers == list(range(1, 201))
        page = await journal.read(lambda db: queries.page(db, run.id, 0))
        assert [event.data for event in page.events] == [f"{n}" for n in range(200)]


async def test_waiting_writes_share_a_commit(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        begun, go = threading.Event(), threading.Event()
        commits = 0

        def hold(tx: Tx) -> None:
            begun.set()
            go.wait(10)

        def count(statement: str) -> None:
            nonlocal commits
            commits += statement == "COMMIT"

        await journal.write(lambda tx: tx.db.set_trace_callback(count))
        commits = 0
        held = asyncio.create_task(journal.write(hold))
        await asyncio.to_thread(begun.wait, 10)
        waiting = [asyncio.create_task(journal.write(lambda tx: None)) for _ in range(50)]
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(held, *waiting)
        assert commits == 2


async def test_a_failing_job_does_not_affect_others(tmp_path: Path) -> None:
    def broken(tx: Tx) -> None:
        commands.claim(tx, claim(7), 1, retry=False)
        raise LookupError("mine")

    async with opened(tmp_path) as (journal, changes):
        done = await asyncio.gather(
            journal.write(lambda tx: commands.claim(tx, claim(1), 1, retry=False)),
            journal.write(broken),
            journal.write(lambda tx: tx.db.execute("SELECT nonsense") and None),
            journal.write(lambda tx: commands.claim(tx, claim(2), 1, retry=False)),
            return_exceptions=True,
        )
        assert isinstance(done[1], LookupError)
        assert isinstance(done[2], JournalError)
        runs = await journal.read(lambda db: queries.select(db, open_only=False))
        assert [run.id[-1] for run in runs] == ["1", "2"]
        assert [change.run[-1] for change in changes] == ["1", "2"]


async def test_runs_are_listed_in_order_whatever_the_clock_says(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        for number, at in ((1, 5_000), (2, 10), (3, 7_000), (4, 1)):
            await journal.write(
                lambda tx, number=number, at=at: commands.claim(tx, claim(number), at, retry=False)  # type: ignore[misc]
            )
        runs = await journal.read(lambda db: queries.select(db, open_only=False))
        assert [run.id[-1] for run in runs] == ["1", "2", "3", "4"]


async def test_the_claim_is_synced_and_events_are_not(tmp_path: Path) -> None:
    def level(tx: Tx) -> int:
        found: int = tx.db.execute("PRAGMA synchronous").fetchone()[0]
        return found

    async with opened(tmp_path) as (journal, _):
        assert await journal.write(level, durable=True) == 2
        assert await journal.write(level) == 1


async def test_a_cancelled_writer_does_not_undo_its_write(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        await journal.open()
        task = asyncio.create_task(
            journal.write(lambda tx: commands.claim(tx, claim(), 1, retry=False))
        )
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await journal.write(lambda tx: None)
        assert len(await journal.read(lambda db: queries.select(db, open_only=False))) == 1


async def test_the_loop_is_free_while_the_disk_is_slow(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        await journal.open()
        go = threading.Event()
        writing = asyncio.create_task(journal.write(lambda tx: go.wait(10)))
        reading = asyncio.create_task(
            journal.read(lambda db: db.execute("SELECT count(*) FROM runs").fetchone()[0])
        )
        # A read does not wait for the writer, and neither blocks this coroutine.
        assert await asyncio.wait_for(reading, 5) == 0
        assert not writing.done()
        go.set()
        assert await writing


async def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite"
    with sqlite3.connect(file) as db:
        db.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    db.close()
    async with opened(tmp_path) as (journal, _):
        with pytest.raises(JournalError, match="newer Turnbook"):
            await journal.open()
    with sqlite3.connect(file) as db:
        assert db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    db.close()


async def test_after_close(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        await journal.open()
        await journal.close()
        with pytest.raises(JournalError, match="closed"):
            await journal.write(lambda tx: None)


async def test_the_lock_is_in_the_file_itself(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        await journal.write(lambda tx: commands.claim(tx, claim(1, "c"), 1, retry=False))

        def around(tx: Tx) -> None:
            tx.db.execute(
                "INSERT INTO runs (id, chat, pair, attempt, provider, model, state, owner, hash, body,"
                " cell, created_at, updated_at) SELECT 'x', chat, 'other', 1, provider, model,"
                " state, owner, hash, body, cell, 1, 1 FROM runs"
            )

        with pytest.raises(JournalError, match="in progress"):
            await journal.write(around)


@pytest.mark.parametrize(
    "other", [{"chat": "d"}, {"pair": "other"}, {"provider": "other"}, {"body": BODY + b" "}]
)
async def test_a_claim_with_the_same_id_must_be_equal(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    async with opened(tmp_path) as (journal, _):
        wanted = claim(1, "c")
        await journal.write(lambda tx: commands.claim(tx, wanted, 1, retry=False))
        _, made = await journal.write(lambda tx: commands.claim(tx, wanted, 2, retry=False))
        assert not made
        changed = replace(wanted, **other)
        with pytest.raises(commands.BodyDiffers):
            await journal.write(lambda tx: commands.claim(tx, changed, 3, retry=False))


async def test_an_attempt_is_claimed_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        run, _ = await journal.write(lambda tx: commands.claim(tx, claim(), 1, retry=False))
        await journal.write(lambda tx: commands.happen(tx, run.id, "fail", 2, Outcome("server")))
        wanted = replace(claim(2, run.chat), attempt=2)
        again, _ = await journal.write(lambda tx: commands.claim(tx, wanted, 3, retry=True))
        assert again.attempt == 2
        await journal.write(lambda tx: commands.happen(tx, again.id, "fail", 4, Outcome("server")))
        # A server that still takes the first attempt for the last one is too late.
        late = replace(claim(3, run.chat), attempt=2)
        with pytest.raises(commands.AttemptExists):
            await journal.write(lambda tx: commands.claim(tx, late, 5, retry=True))


CHILD = textwrap.dedent(
    """
    import asyncio, sys, time
    from pathlib import Path
    from jupyterlab_turnbook.runs import commands, queries
    from jupyterlab_turnbook.runs.journal import Journal
    from jupyterlab_turnbook.tests.test_journal import claim

    async def main():
        journal = Journal(
            Path(sys.argv[1]), recover=lambda tx: commands.recover(tx, 1), announce=lambda changes: None
        )
        for number, state in enumerate(("claimed", "sending", "streaming"), 1):
            run, _ = await journal.write(
                lambda tx: commands.claim(tx, claim(number), 1, retry=False), durable=True
            )
            if state != "claimed":
                await journal.write(lambda tx: commands.happen(tx, run.id, "send", 2))
            if state == "streaming":
                await journal.write(lambda tx: commands.happen(tx, run.id, "answer", 3))
        n = 0
        while True:
            n += 1
            written = await journal.write(lambda tx: commands.append(tx, run.id, run.chat, [f"event {n}"]))
            print(written, flush=True)

    asyncio.run(main())
    """
)


def start(directory: Path) -> subprocess.Popen[str]:
    """A process that keeps writing events and prints which are on disk."""
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(directory)], stdout=subprocess.PIPE, text=True
    )


async def test_confirmed_events_survive_a_kill(tmp_path: Path) -> None:
    child = await asyncio.to_thread(start, tmp_path)
    assert child.stdout is not None
    told = 0
    try:
        while told < 100:
            told = int(await asyncio.to_thread(child.stdout.readline))
        # While it is alive, another process must not end its runs.
        async with opened(tmp_path) as (journal, _):
            runs = await journal.read(lambda db: queries.select(db, states=ALIVE, open_only=False))
            assert len(runs) == 3
    finally:
        os.kill(child.pid, signal.SIGKILL)
        rest = await asyncio.to_thread(child.stdout.read)
        child.wait()
        child.stdout.close()
    told = int((rest.split("\n")[:-1] or [str(told)])[-1])

    async with opened(tmp_path) as (journal, _):
        runs = await journal.read(lambda db: queries.select(db, open_only=False))
        assert [run.state for run in runs] == ["interrupted", "unknown", "interrupted"]
        assert all(run.end is not None and run.end.message for run in runs)
        assert [run.turn.failures for run in runs] == [1, 1, 1]
        page = await journal.read(lambda db: queries.page(db, runs[2].id, 0))
        data = [event.data for event in page.events[:-1]]
        assert len(data) >= told >= 100
        assert data == [f"event {n}" for n in range(1, len(data) + 1)]
        assert page.events[-1].state == "interrupted"
    assert list((tmp_path / "owners").iterdir()) == []


async def test_a_claim_takes_the_lock_of_a_dead_process(tmp_path: Path) -> None:
    wanted = replace(claim(9, "chat-3"), pair="other")
    child = await asyncio.to_thread(start, tmp_path)
    assert child.stdout is not None
    async with opened(tmp_path) as (journal, _):
        try:
            await asyncio.to_thread(child.stdout.readline)
            await journal.open()
            with pytest.raises(commands.ChatBusy):
                await journal.write(lambda tx: commands.claim(tx, wanted, 5, retry=False))
        finally:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            child.stdout.close()
        run, made = await journal.write(lambda tx: commands.claim(tx, wanted, 5, retry=False))
        assert made
        assert run.state == "claimed"


async def test_an_end_is_written_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, changes):
        run, _ = await journal.write(lambda tx: commands.claim(tx, claim(), 1, retry=False))

        async def end(happening: Any, at: int) -> Any:
            return await journal.write(
                lambda tx: commands.happen(tx, run.id, happening, at, Outcome(message=happening))
            )

        first = await end("stop", 2)
        told = len(changes)
        assert await end("finish", 3) == first
        assert len(changes) == told
        assert await journal.write(lambda tx: commands.append(tx, run.id, run.chat, ["late"])) == 0
        page = await journal.read(lambda db: queries.page(db, run.id, 0))
        assert [event.n for event in page.events] == [1]


@pytest.mark.parametrize(
    ("happenings", "billed"),
    [
        (["fail"], 0),
        (["lose"], 0),
        (["send", "fail"], 0),
        (["send", "lose"], 1),
        (["send", "answer", "fail"], 1),
        (["send", "answer", "lose"], 1),
    ],
)
async def test_attempts_that_may_have_been_billed_are_counted(
    tmp_path: Path, happenings: list[Any], billed: int
) -> None:
    async with opened(tmp_path) as (journal, _):
        run, _ = await journal.write(lambda tx: commands.claim(tx, claim(), 1, retry=False))
        for happening in happenings:
            run = await journal.write(
                lambda tx: commands.happen(tx, run.id, happening, 2, Outcome("server"))  # noqa: B023
            )
        assert run.turn.billed == billed


@pytest.mark.parametrize("damage", ["x'7b20207d'", "'{}'"])
async def test_bytes_that_do_not_match_their_hash_are_not_returned(
    tmp_path: Path, damage: str
) -> None:
    async with opened(tmp_path) as (journal, _):
        run, _ = await journal.write(lambda tx: commands.claim(tx, claim(), 1, retry=False))
        assert (await journal.read(lambda db: queries.body(db, run.id)))[0] == BODY
        await journal.write(lambda tx: tx.db.execute(f"UPDATE runs SET body = {damage}") and None)
        with pytest.raises(queries.Damaged):
            await journal.read(lambda db: queries.body(db, run.id))


async def test_a_new_folder_is_private(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        async with opened(tmp_path / "new") as (journal, _):
            await journal.open()
    finally:
        os.umask(old)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


async def test_a_finished_reply_is_not_read_again_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    plain = queries.reply_so_far

    def noted(db: sqlite3.Connection, run: Run) -> Any:
        read.append(run.id)
        return plain(db, run)

    monkeypatch.setattr(queries, "reply_so_far", noted)
    async with opened(tmp_path) as (journal, _):
        for number, happening in enumerate(("finish", "stop", "lose"), 1):
            wanted = claim(number)
            await journal.write(partial(commands.claim, wanted=wanted, at=1, retry=False))
            for step in ("send", "answer"):
                await journal.write(partial(commands.happen, run=wanted.id, happening=step, at=2))
            end = Outcome("network", "network") if happening == "lose" else Outcome()
            ended = await journal.write(
                partial(commands.happen, run=wanted.id, happening=happening, at=3, outcome=end)  # type: ignore[arg-type]
            )
            assert not ended.alive
    # How far a reply came counts only if it was lost.
    assert read == [claim(3).id]
