"""Writes runs, events and turns to the journal."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..base.outcome import Outcome
from . import pieces, quarantine, queries, retry, turns, usage
from .model import Claim, Event, Run, TurnKey
from .pieces import Split
from .queries import Damaged, NoSuchRun
from .received import Mark, Received, as_row
from .states import ALIVE, Happening, Progress, advance
from .transaction import Tx

_LARGEST_OUTPUT = 16 * 1024

_LOST = {
    "interrupted": Outcome(
        "network",
        "network",
        message="The Jupyter server ended while this reply was on its way. What arrived is kept; "
        "retry to go on.",
    ),
    "unknown": Outcome(
        "unknown",
        "unknown",
        message="The Jupyter server ended while this request was being sent, so the provider may "
        "or may not have got it. Retry if you want to send it again.",
    ),
}


class BodyDiffers(Exception):
    """A run with this id exists and differs from the claim."""


class AttemptExists(Exception):
    """This attempt of the turn has already been claimed."""


class Superseded(Exception):
    """The planned automatic retry is no longer wanted."""


class PairExists(Exception):
    """The pair was already sent, and this claim is neither a retry nor a resend."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.id)
        self.run = run


class ChatBusy(Exception):
    """Another run of the chat is alive that is no sibling; it holds the send lock."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.id)
        self.run = run


class StillAlive(Exception):
    """The run has not ended yet."""


@dataclass(frozen=True)
class Prepared:
    """What is written of a claim; making it takes a while if the body is large."""

    digest: str
    body: Split
    cell: str
    whole_cell: Split | None
    """The cell, if `cell` lacks some of its outputs."""


def prepare(wanted: Claim) -> Prepared:
    """Hash and split the texts of a claim."""
    light = _without_large_outputs(wanted.cell)
    return Prepared(
        hashlib.sha256(wanted.body).hexdigest(),
        pieces.split(wanted.body),
        json.dumps(light),
        None if light is wanted.cell else pieces.split(json.dumps(wanted.cell).encode()),
    )


def claim(
    tx: Tx,
    wanted: Claim,
    at: int,
    *,
    retry: bool,
    sends: bool = False,
    prepared: Prepared | None = None,
) -> tuple[Run, bool]:
    """Record a run. The flag is False if the same claim was made before; that run is returned.

    With `sends`, it is `sending` from the beginning: its request leaves once this is on disk.
    """
    made = prepared or prepare(wanted)
    digest = made.digest
    known = queries.find(tx.db, wanted.id)
    if known is not None:
        same = (known.hash, known.provider, known.group, known.turn_key)
        if same != (digest, wanted.provider, wanted.group, wanted.turn_key):
            raise BodyDiffers(wanted.id)
        return known, False
    last, newest = _last_attempts(tx.db, wanted)
    sent = queries.find_latest(tx.db, wanted.turn_key) if newest else None
    if sent is not None and not retry and not wanted.resend:
        raise PairExists(sent)
    for busy in queries.alive(tx.db, wanted.chat):
        if tx.owner.is_dead(busy.owner):
            bury(tx, busy.owner, at)
        elif not _are_siblings(busy, wanted):
            raise ChatBusy(busy)
    if wanted.attempt is not None and wanted.attempt != newest + 1:
        raise AttemptExists(f"{wanted.pair} {wanted.attempt}")
    if wanted.generation is not None and (
        sent is None or not turns.may_begin(sent.turn, sent, wanted.generation)
    ):
        raise Superseded(f"{wanted.pair} {wanted.attempt}")
    turns.of_claim(tx, wanted, retry=retry)
    try:
        tx.db.execute(
            "INSERT INTO runs (id, chat, pair, attempt, provider, model, state, owner, hash, body,"
            " cell, previous_cell, continues, created_at, updated_at, automatic, replaces,"
            " page_hash, goes_on, size, whole_cell, grp, sibling)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                wanted.id,
                wanted.chat,
                wanted.pair,
                last + 1,
                wanted.provider,
                wanted.model,
                "sending" if sends else "claimed",
                tx.owner.id,
                digest,
                made.body.rest,
                made.cell,
                wanted.after,
                wanted.continues,
                at,
                at,
                wanted.automatic,
                wanted.replaces,
                wanted.page_hash,
                wanted.goes_on,
                made.body.size,
                None if made.whole_cell is None else made.whole_cell.rest,
                wanted.group,
                wanted.sibling,
            ),
        )
    except sqlite3.IntegrityError as error:
        raise AttemptExists(f"{wanted.pair} {last + 1}") from error
    pieces.store(tx.db, wanted.id, "body", made.body)
    if made.whole_cell is not None:
        pieces.store(tx.db, wanted.id, "cell", made.whole_cell)
    run = queries.get(tx.db, wanted.id)
    tx.changed(run.id, run.chat, now=run)
    return run, True


def append(tx: Tx, run: str, chat: str, data: list[str], marks: Sequence[Mark] = ()) -> int:
    """Add chunks to a run, with what was noted of each if anything was.

    Returns the number of the last one, or 0 if the run has ended.
    """
    row = tx.db.execute(
        "SELECT (SELECT coalesce(max(n), 0) FROM events WHERE run = runs.id) AS last"
        " FROM runs WHERE id = ? AND outcome IS NULL",
        (run,),
    ).fetchone()
    if row is None:
        return 0
    last: int = row["last"]
    noted = marks if len(marks) == len(data) else [(None, None)] * len(data)
    rows = [
        (run, last + index, each, *mark)
        for index, (each, mark) in enumerate(zip(data, noted, strict=True), 1)
    ]
    tx.db.executemany("INSERT INTO events (run, n, data, at, before) VALUES (?, ?, ?, ?, ?)", rows)
    added = tuple(Event(last + index, data=each) for index, each in enumerate(data, 1))
    tx.changed(run, chat, state=False, events=added)
    return last + len(data)


def respond(tx: Tx, run: str, received: Received, sent_at: int) -> None:
    """Record what is known of a run's response, instead of what was known before."""
    row = {"run": run, "headers": json.dumps(received.headers), **as_row(received, sent_at)}
    names = ", ".join(row)
    places = ", ".join(f":{name}" for name in row)
    tx.db.execute(
        f"INSERT OR REPLACE INTO responses ({names}) SELECT {places}"
        " WHERE EXISTS (SELECT 1 FROM runs WHERE id = :run)",
        row,
    )


def happen(
    tx: Tx,
    run: str,
    happening: Happening,
    at: int,
    outcome: Outcome | None = None,
) -> Run:
    """Advance a run, unless it has ended. An end other than a crash needs its outcome."""
    before = queries.get(tx.db, run)
    after = advance(Progress(before.state, before.updated_at), happening, at)
    if after.state == before.state:
        return before
    ended = after.state not in ALIVE
    if ended and outcome is None:
        outcome = _LOST[after.state]
    tx.db.execute(
        "UPDATE runs SET state = ?, updated_at = ?, outcome = ? WHERE id = ?",
        (after.state, after.at, json.dumps(outcome.json()) if ended and outcome else None, run),
    )
    now = replace(before, state=after.state, updated_at=after.at)
    if ended:
        now = queries.get(tx.db, run)
        # Reading a whole reply again takes long, and nobody asks how far a finished one came.
        reached = _reached(tx.db, now) if retry.is_compared(now.state) else None
        turns.ended(tx, now, before.state, reached, at)
        now = queries.get(tx.db, run)
        if turns.billable(before.state, now.state):
            usage.record(tx.db, now)
    tx.changed(run, before.chat, now=now)
    return now


def bury(tx: Tx, owner: str, at: int) -> None:
    """End the live runs of a process that died."""
    rows = tx.db.execute(
        f"SELECT id FROM runs WHERE owner = ? AND state IN {turns.listed(ALIVE)}", (owner,)
    ).fetchall()
    for row in rows:
        try:
            happen(tx, row["id"], "crash", at)
        except Damaged as error:
            quarantine.set_apart(tx, error.run, "What the journal says about it cannot be read.")


def recover(tx: Tx, at: int) -> None:
    """End the live runs of every process that died."""
    for row in tx.db.execute(
        f"SELECT DISTINCT owner FROM runs WHERE state IN {turns.listed(ALIVE)}"
    ).fetchall():
        if tx.owner.is_dead(row["owner"]):
            bury(tx, row["owner"], at)


def land(tx: Tx, chat: str, run: str) -> Run:
    """Record that a run's reply is in a saved notebook."""
    known = queries.of_chat(tx.db, chat, run)
    if known.alive:
        raise StillAlive(run)
    tx.db.execute("UPDATE runs SET landed = 1 WHERE id = ?", (run,))
    _land_beginnings(tx.db, known)
    now = queries.get(tx.db, run)
    tx.changed(run, chat, now=now)
    return now


def drop(tx: Tx, chat: str, run: str, dropped: bool = True) -> Run:
    """Record that a run's pair was deleted or restored."""
    known = queries.of_chat(tx.db, chat, run)
    tx.db.execute("UPDATE runs SET dropped = ? WHERE id = ?", (dropped, run))
    if dropped:
        turns.end(tx, known.turn_key)
    now = queries.get(tx.db, run)
    tx.changed(run, chat, now=now)
    return now


def set_auto(tx: Tx, turn: TurnKey, auto: bool, at: int) -> Run:
    """Turn automatic retries of a turn on or off; returns its newest run."""
    newest = queries.latest(tx.db, turn)
    turns.switch(tx, newest, auto, at)
    return queries.get(tx.db, newest.id)


def _without_large_outputs(cell: dict[str, Any]) -> dict[str, Any]:
    # Runs are sent to every page with each change, and a picture in one would be sent as often.
    outputs = cell.get("outputs")
    if not isinstance(outputs, list):
        return cell
    light = [output for output in outputs if len(json.dumps(output)) <= _LARGEST_OUTPUT]
    return cell if len(light) == len(outputs) else {**cell, "outputs": light}


def _land_beginnings(db: sqlite3.Connection, run: Run) -> None:
    # A reply contains those it continues, and earlier attempts without events have nothing to land.
    db.execute(
        "WITH RECURSIVE chain (id) AS (SELECT continues FROM runs WHERE id = ?1 UNION"
        " SELECT r.continues FROM runs r JOIN chain ON r.id = chain.id)"
        " UPDATE runs SET landed = 1 WHERE landed = 0 AND (id IN (SELECT id FROM chain)"
        " OR chat = ?2 AND pair = ?3 AND sibling = ?4 AND attempt < ?5"
        " AND NOT EXISTS (SELECT 1 FROM events WHERE run = runs.id))",
        (run.id, *run.turn_key, run.attempt),
    )


def _reached(db: sqlite3.Connection, run: Run) -> int | None:
    try:
        return len(queries.reply_so_far(db, run)[1].text)
    except (ValueError, NoSuchRun, Damaged):
        # Part of the reply cannot be read; the run must still get its end.
        return None


def _are_siblings(busy: Run, wanted: Claim) -> bool:
    return (
        wanted.group is not None
        and (busy.pair, busy.group) == (wanted.pair, wanted.group)
        and busy.sibling != wanted.sibling
    )


def _last_attempts(db: sqlite3.Connection, wanted: Claim) -> tuple[int, int]:
    """The number of the last attempt at a pair, and of the last one at the turn itself."""
    # Counts damaged attempts too.
    row = db.execute(
        "SELECT coalesce(max(attempt), 0), coalesce(max(attempt) FILTER (WHERE sibling = ?3), 0)"
        " FROM runs WHERE chat = ?1 AND pair = ?2",
        wanted.turn_key,
    ).fetchone()
    return row[0], row[1]
