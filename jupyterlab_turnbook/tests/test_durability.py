"""Journals that are old, torn, damaged or too large."""

from __future__ import annotations

import logging
import random
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.base.outcome import Outcome
from jupyterlab_turnbook.runs import commands, opening, quarantine, queries, retention, schema
from jupyterlab_turnbook.runs import journal as journal_module
from jupyterlab_turnbook.runs.journal import Journal
from jupyterlab_turnbook.runs.model import Run
from jupyterlab_turnbook.runs.retention import Limits, Retention
from jupyterlab_turnbook.runs.transaction import Tx
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, ended, new_run
from .test_journal import claim, opened

VERSION_1 = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY, chat TEXT NOT NULL, pair TEXT NOT NULL, attempt INTEGER NOT NULL,
    provider TEXT NOT NULL, model TEXT NOT NULL, state TEXT NOT NULL, owner TEXT NOT NULL,
    hash TEXT NOT NULL, body BLOB NOT NULL, cell TEXT NOT NULL, previous_cell TEXT,
    continues TEXT REFERENCES runs (id), created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    outcome TEXT, landed INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0,
    UNIQUE (chat, pair, attempt)
);
CREATE UNIQUE INDEX runs_alive ON runs (chat) WHERE state IN ('claimed', 'sending', 'streaming');
CREATE TABLE events (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, n INTEGER NOT NULL,
    data TEXT NOT NULL, PRIMARY KEY (run, n)
) WITHOUT ROWID;
CREATE TABLE turns (
    chat TEXT NOT NULL, pair TEXT NOT NULL, auto INTEGER NOT NULL DEFAULT 1, retry_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0, generation INTEGER NOT NULL DEFAULT 1, paused TEXT,
    PRIMARY KEY (chat, pair)
) WITHOUT ROWID;
CREATE TABLE chats (id TEXT PRIMARY KEY, path TEXT NOT NULL, copied_from TEXT);
CREATE INDEX chats_path ON chats (path);
INSERT INTO runs VALUES (
    '11111111-1111-4111-8111-111111111111', 'c', 'p', 1, 'test', 'm', 'interrupted',
    '22222222-2222-4222-8222-222222222222',
    'cc3a4f4c8d65c3b8d9c0a0f5b5dcb51c9d8a5c1c8b6b0d9c4d5b3a0f1e2d3c4b', x'7b7d', '{"id": "p"}',
    NULL, NULL, 1, 2, '{"type": "network", "code": "network", "status": null, "message": "x",
    "retryAfter": null, "finish": null}', 0, 0
);
INSERT INTO events VALUES ('11111111-1111-4111-8111-111111111111', 1,
    '{"choices":[{"delta":{"content":"old"}}]}');
INSERT INTO turns (chat, pair, failures) VALUES ('c', 'p', 1);
INSERT INTO chats VALUES ('c', 'old.chat.ipynb', NULL);
PRAGMA user_version = 1;
"""

OLD = "11111111-1111-4111-8111-111111111111"
EMPTY = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def chunk(text: str) -> str:
    return f'{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}'


async def test_a_journal_of_version_1_opens(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    db.executescript(VERSION_1)
    db.execute("UPDATE runs SET hash = ?", (EMPTY,))
    db.commit()
    db.close()
    async with opened(tmp_path) as (journal, _):
        page = await journal.read(lambda db: queries.page(db, OLD, 0))
        assert (page.run.state, page.run.replaces, page.run.automatic) == (
            "interrupted",
            None,
            False,
        )
        # A run that broke before there was a scheduler is not retried.
        assert (page.run.turn.auto, page.run.turn.retry_at, page.run.turn.billed) == (True, None, 0)
        assert [event.n for event in page.events] == [1, 2]
        again = replace(claim(1, "c"), pair="p", attempt=2)
        made, _ = await journal.write(lambda tx: commands.claim(tx, again, 9, retry=True))
        assert made.attempt == 2
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    assert db.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    db.close()


def test_an_old_file_and_a_new_one_have_the_same_tables(tmp_path: Path) -> None:
    made: list[list[tuple[Any, ...]]] = []
    for name, script in (("old", VERSION_1), ("new", "")):
        db = sqlite3.connect(tmp_path / name, isolation_level=None)
        db.executescript(script)
        opening.prepare(db, tmp_path / name)
        tables = ("runs", "events", "turns", "chats")
        made.append([tuple(r) for t in tables for r in db.execute(f"PRAGMA table_info({t})")])
        made[-1] += sorted(
            tuple(r) for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
        )
        db.close()
    assert made[0] == made[1]


@asynccontextmanager
async def recovered(directory: Path) -> AsyncIterator[Journal]:
    """A journal that checks for damage when it is opened, like the engine's."""

    def recover(tx: Tx) -> None:
        quarantine.inspect(tx)
        commands.recover(tx, 99)

    journal = Journal(directory, recover=recover, announce=lambda changes: None)
    try:
        yield journal
    finally:
        await journal.close()


def checkpoint(directory: Path) -> None:
    """Move the content of SQLite's log into the file."""
    db = sqlite3.connect(directory / "journal.sqlite")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


async def fill(directory: Path, runs: int, events: int) -> dict[str, list[str]]:
    """Make a journal with some finished runs; returns the data of each."""
    told: dict[str, list[str]] = {}
    async with opened(directory) as (journal, _):
        for number in range(1, runs + 1):
            wanted = claim(number)
            await journal.write(lambda tx: commands.claim(tx, wanted, 1, retry=False))  # noqa: B023
            data = [chunk(f"{number}-{n} " + "x" * 40) for n in range(events)]
            await journal.write(lambda tx: commands.append(tx, wanted.id, wanted.chat, data))  # noqa: B023
            await journal.write(
                lambda tx: commands.happen(tx, wanted.id, "finish", 2, Outcome(finish="stop"))  # noqa: B023
            )
            told[wanted.id] = data
    return told


async def what_is_left(directory: Path, told: dict[str, list[str]]) -> tuple[int, int]:
    """Check that each run is complete or reported; returns how many of each there are."""
    async with recovered(directory) as journal:
        runs = await journal.read(lambda db: queries.select(db, open_only=False))
        damaged = await journal.read(quarantine.report)
        for run in runs:
            page = await journal.read(lambda db: queries.page(db, run.id, 0))  # noqa: B023
            assert [event.data for event in page.events[:-1]] == told[run.id]
        for each in damaged:
            assert each.why
            assert each.id not in {run.id for run in runs}
        # The journal can still be used.
        fresh = claim(999, "fresh")
        assert (await journal.write(lambda tx: commands.claim(tx, fresh, 5, retry=False)))[1]
        return len(runs), len(damaged)


async def test_a_torn_tail_of_the_log_is_cut_to_the_last_good_record(tmp_path: Path) -> None:
    source = tmp_path / "source"
    async with opened(source) as (journal, _):
        run, _ = await journal.write(lambda tx: commands.claim(tx, claim(), 1, retry=False))
        checkpoint(source)
        for n in range(40):
            await journal.write(lambda tx: commands.append(tx, run.id, run.chat, [chunk(f"{n}")]))  # noqa: B023
        log = (source / "journal.sqlite-wal").read_bytes()
        main = (source / "journal.sqlite").read_bytes()
    chosen = random.Random(5)
    seen = set()
    for length in (0, 31, 32, len(log), *(chosen.randrange(len(log)) for _ in range(40))):
        torn = tmp_path / f"torn-{length}"
        torn.mkdir(exist_ok=True)
        (torn / "journal.sqlite").write_bytes(main)
        (torn / "journal.sqlite-wal").write_bytes(log[:length])
        async with opened(torn) as (journal, _):
            page = await journal.read(lambda db: queries.page(db, run.id, 0))
            data = [event.data for event in page.events if event.data is not None]
            assert data == [chunk(f"{n}") for n in range(len(data))]
            assert await journal.read(quarantine.report) == []
            seen.add(len(data))
        assert list(torn.glob("*damaged*")) == []
        shutil.rmtree(torn)
    assert max(seen) == 40
    assert len(seen) > 10


async def test_damaged_pages_cost_only_the_runs_in_them(tmp_path: Path) -> None:
    source = tmp_path / "source"
    told = await fill(source, runs=60, events=12)
    whole = (source / "journal.sqlite").read_bytes()
    pages = len(whole) // 4096
    chosen = random.Random(7)
    saved = []
    for number in chosen.sample(range(2, pages), 25):
        torn = tmp_path / f"page-{number}"
        torn.mkdir()
        place = (number - 1) * 4096
        junk = chosen.randbytes(4096)
        (torn / "journal.sqlite").write_bytes(whole[:place] + junk + whole[place + 4096 :])
        good, bad = await what_is_left(torn, told)
        # Each run is there or reported, unless everything about it was in that page.
        assert good + bad >= 55
        saved.append(good)
        shutil.rmtree(torn)
    assert sorted(saved)[len(saved) // 2] >= 45


async def test_a_file_that_was_cut_off(tmp_path: Path) -> None:
    source = tmp_path / "source"
    told = await fill(source, runs=30, events=12)
    whole = (source / "journal.sqlite").read_bytes()
    for part in (0.999, 0.9, 0.5, 0.1):
        torn = tmp_path / f"cut-{part}"
        torn.mkdir()
        (torn / "journal.sqlite").write_bytes(whole[: int(len(whole) * part)])
        good, bad = await what_is_left(torn, told)
        if part >= 0.9:
            assert good + bad >= 25
            assert good >= 20
        assert len(list(torn.glob("journal.damaged-*.sqlite"))) == 1


async def test_a_file_that_is_not_a_journal_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite").write_bytes(b"not SQLite at all" * 1000)
    assert await what_is_left(tmp_path, {}) == (0, 0)
    aside = tmp_path / "journal.damaged-1.sqlite"
    assert aside.read_bytes().startswith(b"not SQLite")


async def test_damage_found_while_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = await fill(tmp_path, runs=40, events=40)
    file = tmp_path / "journal.sqlite"
    db = sqlite3.connect(file)
    (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
    db.close()
    whole = bytearray(file.read_bytes())
    whole[(root - 1) * 4096 : root * 4096] = b"\xff" * 4096
    file.write_bytes(bytes(whole))
    # As with a file that is too large to check when it is opened.
    monkeypatch.setattr(journal_module, "_CHECKED_BYTES", 0)
    monkeypatch.setattr(quarantine, "inspect", lambda tx: [])
    async with opened(tmp_path) as (journal, _):
        runs = await journal.read(lambda db: queries.select(db, open_only=False))
        damaged = await journal.read(quarantine.report)
        assert {run.id for run in runs} | {each.id for each in damaged} == set(told)
        assert damaged
    assert (tmp_path / "journal.damaged-1.sqlite").exists()


async def test_a_journal_is_not_replaced_while_another_server_uses_it(tmp_path: Path) -> None:
    await fill(tmp_path, runs=20, events=20)
    async with opened(tmp_path) as (_, _):
        pass
    async with opened(tmp_path / "other") as (other, _):
        await other.open()
        shutil.copytree(tmp_path / "other" / "owners", tmp_path / "owners", dirs_exist_ok=True)
        # A held lock: the same file, through a hard link.
        for lock in (tmp_path / "other" / "owners").iterdir():
            (tmp_path / "owners" / lock.name).unlink()
            (tmp_path / "owners" / lock.name).hardlink_to(lock)
        (tmp_path / "journal.sqlite").write_bytes(b"not SQLite at all" * 1000)
        async with opened(tmp_path) as (journal, _):
            with pytest.raises(journal_module.JournalError, match="other Jupyter servers"):
                await journal.open()


DAMAGE: dict[str, str] = {
    "the cell": "UPDATE runs SET cell = '{\"id\": ' WHERE id = :run",
    "the cell's bytes": "UPDATE runs SET cell = CAST(x'7bff7d' AS TEXT) WHERE id = :run",
    "the outcome": "UPDATE runs SET outcome = '[]' WHERE id = :run",
    "the state": "UPDATE runs SET state = 'flying' WHERE id = :run",
    "the request": "UPDATE runs SET body = x'7b20207d' WHERE id = :run",
    "an event": "UPDATE events SET data = 'junk' WHERE run = :run AND n = 2",
    "an event's bytes": "UPDATE events SET data = CAST(x'7b22c3227d' AS TEXT) WHERE run = :run AND n = 2",
    "an event that is gone": "DELETE FROM events WHERE run = :run AND n = 2",
}


@pytest.mark.parametrize("what", DAMAGE)
async def test_a_damaged_record_is_set_apart_and_the_others_load(tmp_path: Path, what: str) -> None:
    told = await fill(tmp_path, runs=3, events=3)
    one, two, three = told
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    db.execute(DAMAGE[what], {"run": two})
    db.commit()
    db.close()
    for _ in range(2):
        async with recovered(tmp_path) as journal:
            runs = await journal.read(lambda db: queries.select(db, open_only=True))
            assert [run.id for run in runs] == [one, three]
            (damaged,) = await journal.read(quarantine.report)
            assert (damaged.id, damaged.chat, damaged.attempt) == (two, "chat-2", 1)
            assert damaged.text.startswith("2-0")
            with pytest.raises(queries.Damaged):
                await journal.read(lambda db: queries.page(db, two, 0))
    async with recovered(tmp_path) as journal:
        # Its chat can be used, and the damaged attempt counts.
        again = replace(claim(9, "chat-2"), resend=True)
        made, _ = await journal.write(lambda tx: commands.claim(tx, again, 5, retry=False))
        assert made.attempt == 2


async def test_the_api_reports_damage(
    api: Api, turnbook: TurnbookApp, provider: ThreadedScriptedProvider, journal_dir: Path
) -> None:
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])

    def spoil(tx: Any) -> None:
        tx.db.execute("UPDATE runs SET cell = 'x'")

    await turnbook.engine.journal.write(spoil)
    # Other requests work, even before it has been set apart.
    assert (await api("listRuns")).body["runs"] == []
    answer = await api("getRun", asked["id"])
    assert (answer.status, answer.body["code"]) == (410, "damaged")
    await turnbook.engine.journal.write(quarantine.inspect)
    report = (await api("getJournal")).body
    assert [each["id"] for each in report["damaged"]] == [asked["id"]]
    assert report["damaged"][0]["text"].startswith("You said")
    assert report["file"] == str(journal_dir / "journal.sqlite")
    assert report["bytes"] > 0
    assert (await api("createRun", body=new_run())).status == 201


# Retention


DAY = 24 * 3600 * 1000


async def keep(
    journal: Journal, number: int, *, at: int, mark: str | None, size: int = 10, attempts: int = 1
) -> Run:
    """A turn whose last attempt succeeded."""
    made: list[Run] = []
    for attempt in range(1, attempts + 1):
        # No two are alike, since the journal would store what they share once.
        body = f'{{"{number}-{attempt}": "{number}-{attempt} {"-" * size}"}}'.encode()
        wanted = replace(
            claim(number * 100 + attempt, f"chat-{number}"), body=body, resend=attempt > 1
        )
        run, _ = await journal.write(lambda tx: commands.claim(tx, wanted, at, retry=False))  # noqa: B023
        made.append(run)
        await journal.write(lambda tx: commands.append(tx, run.id, run.chat, [chunk("a")]))  # noqa: B023
        await journal.write(lambda tx: commands.happen(tx, run.id, "finish", at, Outcome()))  # noqa: B023
        if mark is not None:
            note = commands.land if mark == "landed" else commands.drop
            await journal.write(lambda tx: note(tx, run.chat, run.id))  # noqa: B023
    return made[-1]


def tidier(journal: Journal, limits: Limits, now: int) -> Retention:
    return Retention(journal, limits, logging.getLogger("test"), lambda: now)


async def ids(journal: Journal) -> set[str]:
    runs = await journal.read(lambda db: queries.select(db, open_only=False))
    return {f"{run.chat}/{run.attempt}" for run in runs}


async def test_only_landed_or_dropped_turns_expire(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        await keep(journal, 1, at=0, mark="landed")
        await keep(journal, 2, at=0, mark="dropped")
        await keep(journal, 3, at=0, mark=None)
        await keep(journal, 4, at=2 * DAY, mark="landed")
        waiting = await keep(journal, 5, at=0, mark="landed")
        await journal.write(
            lambda tx: (
                tx.db.execute("UPDATE turns SET retry_at = 5 WHERE chat = ?", (waiting.chat,))
                and None
            )
        )
        for number in range(10, 60):
            await keep(journal, number, at=0, mark="landed")
        gone = await tidier(journal, Limits(days=1), now=DAY + 1).tidy()
        assert gone == 52
        assert await ids(journal) == {"chat-3/1", "chat-4/1", "chat-5/1"}
        rows = await journal.read(
            lambda db: db.execute("SELECT count(*) FROM events").fetchone()[0]
        )
        assert rows == 3
        # 0 days means no limit.
        assert await tidier(journal, Limits(), now=10**15).tidy() == 0


async def test_too_large_a_journal_drops_what_no_notebook_needs(tmp_path: Path) -> None:
    size = 200_000
    async with opened(tmp_path) as (journal, _):
        await keep(journal, 1, at=1, mark="landed", size=size, attempts=3)
        await keep(journal, 2, at=2, mark="dropped", size=size)
        await keep(journal, 3, at=3, mark=None, size=size, attempts=2)
        await keep(journal, 4, at=4, mark="landed", size=size)
        before = await journal.read(retention.used_bytes)
        enough = tidier(journal, Limits(bytes=before), now=5)
        assert await enough.tidy() == 0
        await tidier(journal, Limits(bytes=before - size), now=5).tidy()
        # The deleted pair went first, and that was enough.
        assert "chat-2/1" not in await ids(journal)
        assert "chat-1/1" in await ids(journal)
        await tidier(journal, Limits(bytes=1), now=5).tidy()
        assert await ids(journal) == {"chat-1/3", "chat-3/1", "chat-3/2", "chat-4/1"}
        checkpoint(tmp_path)
        pages = await journal.read(lambda db: db.execute("PRAGMA freelist_count").fetchone()[0])
        assert pages == 0
    assert (tmp_path / "journal.sqlite").stat().st_size < before - 2 * size


async def test_landing_a_reply_lands_those_it_continues(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):

        async def attempt(number: int, chunks: list[str], continues: str | None) -> Run:
            wanted = replace(claim(number, "c"), continues=continues, resend=True)
            run, _ = await journal.write(lambda tx: commands.claim(tx, wanted, 1, retry=False))
            await journal.write(lambda tx: commands.append(tx, run.id, run.chat, chunks))
            return await journal.write(
                lambda tx: commands.happen(tx, run.id, "lose", 2, Outcome("network"))
            )

        other = await attempt(1, [chunk("an older version")], None)
        first = await attempt(2, [chunk("a")], None)
        empty = await attempt(3, [], first.id)
        last = await attempt(4, [chunk("b")], empty.id)
        await journal.write(lambda tx: commands.land(tx, last.chat, last.id))
        runs = await journal.read(lambda db: queries.select(db, open_only=False))
        assert {run.id: run.landed for run in runs} == {
            other.id: False,
            first.id: True,
            empty.id: True,
            last.id: True,
        }


def test_settings_reach_the_retention(turnbook: TurnbookApp) -> None:
    assert turnbook.engine.retention.limits == Limits(90.0, 2**30)


async def attempts_of_one_turn(
    journal: Journal, marks: list[str | None], **second: Any
) -> list[Run]:
    """Ended attempts of a turn, each with its mark; `second` names fields of the second attempt
    that refer to the first one.
    """
    made: list[Run] = []
    for number, mark in enumerate(marks, 1):
        wanted = replace(claim(number, "c"), resend=number > 1)
        if number == 2:
            refers: dict[str, Any] = {key: made[0].id for key in second if second[key]}
            wanted = replace(wanted, **refers)
        run, _ = await journal.write(lambda tx: commands.claim(tx, wanted, 1, retry=False))  # noqa: B023
        await journal.write(lambda tx: commands.append(tx, run.id, run.chat, [chunk("a")]))  # noqa: B023
        await journal.write(lambda tx: commands.happen(tx, run.id, "finish", 1, Outcome()))  # noqa: B023
        made.append(run)
        if mark:
            # Set directly in the file, since `land` would also land what the reply continues.
            await journal.write(
                lambda tx: (
                    tx.db.execute(f"UPDATE runs SET {mark} = 1 WHERE id = ?", (run.id,)) and None  # noqa: B023
                )
            )
    return made


@pytest.mark.parametrize("marks", [[None, "landed"], ["landed", None], [None, "dropped"]])
async def test_a_turn_stays_while_one_of_its_attempts_has_not_landed(
    tmp_path: Path, marks: list[str | None]
) -> None:
    async with opened(tmp_path) as (journal, _):
        await attempts_of_one_turn(journal, marks)
        assert await tidier(journal, Limits(days=1), now=100 * DAY).tidy() == 0
        assert await ids(journal) == {"c/1", "c/2"}


async def test_a_turn_with_a_live_attempt_stays(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        await attempts_of_one_turn(journal, ["landed"])
        again = replace(claim(9, "c"), resend=True)
        await journal.write(lambda tx: commands.claim(tx, again, 1, retry=False))
        # A faulty page may have reported a live run as landed.
        await journal.write(lambda tx: tx.db.execute("UPDATE runs SET landed = 1") and None)
        assert await tidier(journal, Limits(days=1), now=100 * DAY).tidy() == 0
        assert await ids(journal) == {"c/1", "c/2"}


@pytest.mark.parametrize("how", ["continues", "replaces"])
async def test_what_a_later_attempt_refers_to_stays_at_any_size(tmp_path: Path, how: str) -> None:
    async with opened(tmp_path) as (journal, _):
        await attempts_of_one_turn(journal, ["landed", "landed"], **{how: True})
        await tidier(journal, Limits(bytes=1), now=5).tidy()
        assert await ids(journal) == {"c/1", "c/2"}
    async with opened(tmp_path / "other") as (journal, _):
        await attempts_of_one_turn(journal, ["landed", "landed"])
        await tidier(journal, Limits(bytes=1), now=5).tidy()
        assert await ids(journal) == {"c/2"}
