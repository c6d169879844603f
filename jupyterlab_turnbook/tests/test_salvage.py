"""Salvaging a damaged journal: everything readable or, for now, nothing, and always reported."""

from __future__ import annotations

import asyncio
import json
import logging
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.runs import commands, opening, quarantine, queries, salvage
from jupyterlab_turnbook.runs import journal as journal_module
from jupyterlab_turnbook.runs.journal import JournalError
from jupyterlab_turnbook.runs.owner import Owner
from jupyterlab_turnbook.runs.transaction import Tx

from .conftest import Api
from .test_durability import fill
from .test_journal import claim, opened


def damage(directory: Path, words: bytes = b"3-20 ") -> None:
    """Overwrite the page that contains `words`, by default one with events of the third run."""
    file = directory / "journal.sqlite"
    db = sqlite3.connect(file)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    place = file.read_bytes().index(words) // 4096 * 4096
    with file.open("r+b") as opened_file:
        opened_file.seek(place)
        opened_file.write(b"\xff" * 4096)


def found(db: sqlite3.Connection) -> tuple[set[str], set[str]]:
    """The runs that can be read, and those that are reported."""
    runs = {run.id for run in queries.select(db, open_only=False)}
    return runs, {each.id for each in quarantine.report(db)}


async def test_reads_use_the_file_that_a_write_salvaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = await fill(tmp_path, runs=20, events=40)
    damage(tmp_path)
    # As with a file that is too large to check when it is opened.
    monkeypatch.setattr(journal_module, "_CHECKED_BYTES", 0)
    async with opened(tmp_path) as (journal, _):
        count = "SELECT count(*) FROM chats"
        assert await journal.read(lambda db: db.execute(count).fetchone()[0]) == 0

        def meets_it(tx: Tx) -> None:
            tx.db.execute("SELECT count(data) FROM events").fetchone()

        with pytest.raises(JournalError, match="malformed"):
            await journal.write(meets_it)
        fresh = claim(999, "fresh")
        await journal.write(lambda tx: commands.claim(tx, fresh, 5, retry=False))
        assert (tmp_path / "journal.damaged-1.sqlite").exists()
        runs, damaged = await journal.read(found)
        assert fresh.id in runs
        assert damaged and runs | damaged == {*told, fresh.id}


async def test_a_salvaged_file_is_not_used_if_another_server_has_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(tmp_path, runs=20, events=40)
    damage(tmp_path)
    rebuild = salvage.rebuild
    others = [False]

    def slowly(*args: Any) -> salvage.Salvaged:
        saved = rebuild(*args)
        others[0] = True
        return saved

    monkeypatch.setattr(salvage, "rebuild", slowly)
    monkeypatch.setattr(Owner, "neighbours", lambda self: ["another"] if others[0] else [])
    async with opened(tmp_path) as (journal, _):
        with pytest.raises(JournalError, match="other Jupyter servers"):
            await journal.open()
    # The other server uses the old file.
    assert not salvage.is_rebuilt(tmp_path / "journal.sqlite")
    assert (tmp_path / "journal.sqlite").exists()


async def test_a_disk_that_is_full_keeps_the_damaged_journal_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told = await fill(tmp_path, runs=20, events=40)
    damage(tmp_path)
    size = (tmp_path / "journal.sqlite").stat().st_size
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    caplog.set_level(logging.ERROR)
    async with opened(tmp_path) as (journal, _):
        for room in (4096 * 8, size // 2, size * 3 // 4):
            # No file may grow beyond this.
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, most))
            try:
                for use in (lambda: journal.write(lambda tx: None), lambda: journal.read(found)):
                    with pytest.raises(JournalError, match=r"is damaged.*could not be saved") as no:
                        await use()
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
            assert "Free disk space" in str(no.value)
            assert "could not be saved" in caplog.text
            caplog.clear()
            assert list(tmp_path.glob("journal.damaged-*")) == []
        signal.signal(signal.SIGXFSZ, old)
        # As soon as there is room it works, without a restart.
        runs, damaged = await journal.read(found)
        assert damaged and runs | damaged == set(told)
    assert len(list(tmp_path.glob("journal.damaged-*.sqlite"))) == 1
    assert "The damaged file is" in caplog.text


DYING = textwrap.dedent(
    """
    import asyncio, json, os, shutil, sys
    from pathlib import Path
    from jupyterlab_turnbook.runs import opening
    from jupyterlab_turnbook.tests.test_journal import opened
    from jupyterlab_turnbook.tests.test_salvage import found

    source, place = Path(sys.argv[1]), Path(sys.argv[2])
    steps = 0

    def step(what=""):
        global steps
        # One row of many is like another.
        if "INTO events" in what or "FROM turns" in what or "INTO turns" in what:
            return
        steps -= 1
        if steps == 0:
            os._exit(9)

    def traced(file, connect=opening.connect):
        db = connect(file)
        db.set_trace_callback(step)
        return db

    def watch(event, args):
        if event in ("os.rename", "os.remove", "os.truncate", "open", "sqlite3.connect"):
            step()

    async def use():
        async with opened(place) as (journal, _):
            runs, damaged = await journal.read(found)
            chats = "SELECT id FROM chats"
            runs |= {row[0] for row in await journal.read(lambda db: db.execute(chats).fetchall())}
            names = [each["file"] for each in journal.set_aside()]
            return [sorted(runs), sorted(damaged), names]

    def in_a_child(die_at):
        global steps
        reader, writer = os.pipe()
        if (pid := os.fork()) == 0:
            steps = die_at
            if die_at:
                sys.addaudithook(watch)
                opening.connect = traced
            code = 1
            try:
                os.write(writer, json.dumps(asyncio.run(use())).encode())
                code = 0
            finally:
                os._exit(code)
        os.close(writer)
        said = b"".join(iter(lambda: os.read(reader, 65536), b""))
        os.close(reader)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert code == 9 or said, code
        return code, said

    die_at = 0
    while True:
        die_at += 1
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(source, place)
        code, _ = in_a_child(die_at)
        _, said = in_a_child(0)
        left = sorted(file.name for file in place.iterdir() if file.is_file())
        print(json.dumps([die_at, code, json.loads(said), left]), flush=True)
        if code == 0:
            break
    """
)


async def test_dying_at_any_step_of_a_salvage_loses_nothing(tmp_path: Path) -> None:
    source = tmp_path / "source"
    told = await fill(tmp_path / "used", runs=3, events=24)
    damage(tmp_path / "used")
    # As left by a killed server: with a row that is only in SQLite's log.
    db = sqlite3.connect(tmp_path / "used" / "journal.sqlite")
    db.execute("INSERT INTO chats VALUES ('in the log', 'x', NULL)")
    db.commit()
    shutil.copytree(tmp_path / "used", source)
    db.close()
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", DYING, str(source), str(tmp_path / "place")],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(cases) > 60
    assert [code for _, code, _, _ in cases] == [9] * (len(cases) - 1) + [0]
    _, _, (runs, damaged, names), left = cases[-1]
    assert damaged
    assert {*runs, *damaged} == {*told, "in the log"}
    assert names == [str(tmp_path / "place" / "journal.damaged-1.sqlite")]
    assert left == ["journal.damaged-1.sqlite", "journal.sqlite"]
    for number, _, outcome, files in cases:
        assert (outcome, files) == ([runs, damaged, names], left), f"died at step {number}"


async def test_a_long_event_costs_only_its_own_run(tmp_path: Path) -> None:
    told = await fill(tmp_path, runs=3, events=2)
    one, two, three = told
    async with opened(tmp_path) as (journal, _):
        await journal.write(
            lambda tx: (
                tx.db.execute(
                    "UPDATE events SET data = ? WHERE run = ? AND n = 1", ("y" * 20_000, two)
                )
                and None
            )
        )
    damage(tmp_path, b"y" * 4092)
    async with opened(tmp_path) as (journal, _):
        assert await journal.read(found) == ({one, three}, {two})


async def test_a_damaged_index_is_found_and_repaired(tmp_path: Path) -> None:
    told = await fill(tmp_path, runs=5, events=2)
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    db.execute("PRAGMA writable_schema = 1")
    # A row is missing from this index, whose pages are intact.
    row = db.execute("SELECT * FROM sqlite_master WHERE name = 'runs_age'").fetchone()
    db.execute("DELETE FROM sqlite_master WHERE name = 'runs_age'")
    db.commit()
    db.close()
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    one = next(iter(told))
    db.execute("UPDATE runs SET updated_at = 77 WHERE id = ?", (one,))
    db.execute("PRAGMA writable_schema = 1")
    db.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", row)
    db.commit()
    db.close()
    async with opened(tmp_path) as (journal, _):
        forget = "DELETE FROM runs WHERE id = ?"

        def delete(tx: Tx) -> None:
            tx.db.execute("DELETE FROM events WHERE run = ?", (one,))
            tx.db.execute(forget, (one,))

        with pytest.raises(JournalError, match="malformed"):
            await journal.write(delete)
        await journal.write(delete)
        assert (await journal.read(found)) == (set(told) - {one}, set())


async def test_a_journal_that_is_only_busy_is_not_taken_for_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = await fill(tmp_path, runs=5, events=2)
    file = tmp_path / "journal.sqlite"
    monkeypatch.setattr(opening, "_BUSY_SECONDS", 0)
    holder = sqlite3.connect(file)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("PRAGMA journal_mode = DELETE")
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        salvage.rebuild(file, opening.connect, opening.prepare)
    holder.rollback()
    holder.close()
    assert sorted(each.name for each in tmp_path.glob("journal*")) == ["journal.sqlite"]
    async with opened(tmp_path) as (journal, _):
        assert (await journal.read(found)) == (set(told), set())


async def test_the_api_says_what_was_set_aside(
    api: Api, turnbook: TurnbookApp, journal_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await api("getJournal")).body["setAside"] == []
    for number in (2, 10):
        (journal_dir / f"journal.damaged-{number}.sqlite").write_bytes(b"x" * number)
    (journal_dir / "journal.damaged-old.sqlite").write_bytes(b"mine")
    assert (await api("getJournal")).body["setAside"] == [
        {"file": str(journal_dir / f"journal.damaged-{number}.sqlite"), "bytes": number}
        for number in (2, 10)
    ]


async def test_the_api_says_that_it_could_not_be_saved(
    api: Api, turnbook: TurnbookApp, journal_dir: Path
) -> None:
    await api("getJournal")

    def meets_damage(tx: Tx) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")

    with pytest.raises(JournalError):
        await turnbook.engine.journal.write(meets_damage)
    # Closing the last connection writes to the file.
    await asyncio.to_thread(turnbook.engine.journal._close_reader)
    for ending in ("-wal", "-shm"):
        (journal_dir / f"journal.sqlite{ending}").unlink(missing_ok=True)
    (journal_dir / "journal.sqlite").write_bytes(b"no journal" * 1000)
    # A folder in the way, which cannot be removed like a file.
    (journal_dir / "journal.salvaging.sqlite" / "x").mkdir(parents=True)
    answer = await api("getJournal")
    assert (answer.status, answer.body["code"]) == (503, "journal")
    assert "is damaged, and what can be read of it could not be saved" in answer.body["message"]
    shutil.rmtree(journal_dir / "journal.salvaging.sqlite")
    assert len((await api("getJournal")).body["setAside"]) == 1


async def test_a_turn_whose_settings_are_lost_is_not_retried_automatically(tmp_path: Path) -> None:
    told = await fill(tmp_path, runs=2, events=1)
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    db.execute("DELETE FROM turns WHERE chat = 'chat-1'")
    db.commit()
    db.close()
    salvage.rebuild(tmp_path / "journal.sqlite", opening.connect, opening.prepare)
    salvage.put_in_place(tmp_path / "journal.sqlite")
    async with opened(tmp_path) as (journal, _):
        runs = await journal.read(lambda db: queries.select(db, open_only=False))
        assert {run.id: run.turn.auto for run in runs} == dict(
            zip(told, (False, True), strict=True)
        )


OVERTAKEN = textwrap.dedent(
    """
    import asyncio, os, sys
    from pathlib import Path
    from jupyterlab_turnbook.runs import salvage
    from jupyterlab_turnbook.tests.test_journal import opened

    folder, moment = Path(sys.argv[1]), sys.argv[2]
    rebuild, copy = salvage.rebuild, salvage.copy

    def pause():
        print("now", flush=True)
        sys.stdin.readline()

    def copies(*args):
        saved = copy(*args)
        pause()
        return saved

    def dies(*args):
        saved = rebuild(*args)
        if moment == "renamed":
            pause()
        os._exit(9)

    if moment == "copied":
        salvage.copy = copies
    salvage.rebuild = dies

    async def main():
        async with opened(folder) as (journal, _):
            await journal.open()

    asyncio.run(main())
    """
)


@pytest.mark.parametrize("goes_on", ["to its end", "after the other died"])
@pytest.mark.parametrize("moment", ["copied", "renamed"])
async def test_a_salvaged_file_is_not_used_if_another_server_used_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, goes_on: str
) -> None:
    told = await fill(tmp_path, runs=20, events=40)
    damage(tmp_path)
    child = subprocess.Popen(
        [sys.executable, "-c", OVERTAKEN, str(tmp_path), moment],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert child.stdin is not None and child.stdout is not None

    def let_die() -> None:
        child.communicate("\n")

    early, late = claim(998, "early"), claim(999, "late")
    with monkeypatch.context() as patched:
        # As with a file that is too large to check when it is opened.
        patched.setattr(journal_module, "_CHECKED_BYTES", 0)
        if moment == "renamed":
            # As if it had opened the file before, and only its lock was overlooked.
            patched.setattr(salvage, "is_rebuilt", lambda file: False)
        await asyncio.to_thread(child.stdout.readline)
        async with opened(tmp_path) as (journal, _):
            await journal.write(lambda tx: commands.claim(tx, early, 5, retry=False))
            if goes_on == "after the other died":
                await asyncio.to_thread(let_die)
            await journal.write(lambda tx: commands.claim(tx, late, 5, retry=False))
        if goes_on == "to its end":
            await asyncio.to_thread(let_die)
    async with opened(tmp_path) as (journal, _):
        runs, damaged = await journal.read(found)
    assert runs | damaged == {*told, early.id, late.id}
    assert {early.id, late.id} <= runs
    left = {each.name for each in tmp_path.iterdir() if each.is_file()}
    assert left == {"journal.sqlite", "journal.damaged-1.sqlite"}


def peak_and_steps(folder: Path) -> tuple[int, int]:
    """The peak memory of a salvage, and the steps of SQLite in hundreds."""
    old = opening.connect(folder / "journal.sqlite")
    new = opening.connect(folder / "new.sqlite")
    opening.prepare(new, folder / "new.sqlite")
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        # A salvage that never ends must fail, not hang.
        return steps > 1_000_000

    old.set_progress_handler(count, 100)
    tracemalloc.start()
    try:
        salvage.copy(old, new)
        return tracemalloc.get_traced_memory()[1], steps
    finally:
        tracemalloc.stop()
        old.close()
        new.close()


async def test_memory_does_not_grow_with_the_journal_and_each_event_is_read_once(
    tmp_path: Path,
) -> None:
    found_at = []
    for times in (1, 4):
        folder = tmp_path / str(times)
        await fill(folder, runs=2, events=6_000 * times)
        found_at.append(peak_and_steps(folder))
    (peak, steps), (larger_peak, more_steps) = found_at
    assert larger_peak < peak * 1.5
    assert more_steps < steps * 6


async def test_damaged_events_cost_only_themselves(tmp_path: Path) -> None:
    told = await fill(tmp_path, runs=3, events=1500)
    broken = next(iter(told))
    async with opened(tmp_path) as (journal, _):
        await journal.write(
            lambda tx: (
                tx.db.execute(
                    "UPDATE events SET data = ? || hex(n) WHERE run = ? AND n % 50 = 7",
                    ("y" * 20_000, broken),
                )
                and None
            )
        )
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    pages = bytearray((tmp_path / "journal.sqlite").read_bytes())
    struck = 0
    for start in range(0, len(pages), 4096):
        if bytes(pages[start + 4 : start + 4096]) == b"y" * 4092:
            # Points to a page that does not exist.
            pages[start : start + 4] = b"\xff\xff\xff\x00"
            struck += 1
    assert struck > 30
    (tmp_path / "journal.sqlite").write_bytes(pages)
    peak_and_steps(tmp_path)
    db = sqlite3.connect(tmp_path / "new.sqlite")
    counts = dict(db.execute("SELECT run, count(*) FROM events GROUP BY run"))
    db.close()
    assert counts == {run: 1500 - 30 * (run == broken) for run in told}
