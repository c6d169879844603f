"""Reading and writing runs, events and turns in the journal."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .. import dialect
from . import continuation, joining, quarantine, turns
from .continuation import Partial
from .journal import Tx
from .model import Claim, Event, Outcome, Run
from .states import ALIVE, Happening, Progress, State, advance

_RUN = f"""
SELECT r.id, r.chat, r.pair, r.attempt, r.provider, r.model, r.state, r.hash,
    length(r.body) AS size, r.created_at, r.updated_at, r.outcome, r.continues, r.landed, r.dropped,
    r.damage, r.cell, r.previous_cell, r.owner, r.automatic, r.replaces, r.page_hash,
    r.goes_on,
    (SELECT coalesce(max(n), 0) FROM events WHERE run = r.id) AS chunks,
    {turns.COLUMNS}
FROM runs r JOIN turns t ON t.chat = r.chat AND t.pair = r.pair
"""

_PAGE_LENGTH = 1024 * 1024
"""Characters after which a page of events ends."""
_LOG = logging.getLogger(__name__)

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


class NoSuchRun(KeyError):
    """The journal does not know this run or turn."""


class Damaged(Exception):
    """The journal's record of a run cannot be read."""

    def __init__(self, run: str) -> None:
        super().__init__(run)
        self.run = run


class BodyDiffers(Exception):
    """The id of a claim is taken by a run with other bytes."""


class AttemptExists(Exception):
    """Another process claimed the same attempt of this turn first."""


class Superseded(Exception):
    """The attempt that the server planned is not wanted any more."""


class PairExists(Exception):
    """The pair was sent before, and this claim is not meant as another attempt of it."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.id)
        self.run = run


class ChatBusy(Exception):
    """Another run of the chat is alive; it holds the send lock."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.id)
        self.run = run


class StillAlive(Exception):
    """The run has not ended yet."""


@dataclass(frozen=True)
class Page:
    """A run and some of its events, read at one moment."""

    run: Run
    events: list[Event]


@dataclass(frozen=True)
class Attempt:
    """A run and the tokens that its provider counted, if it told."""

    run: Run
    usage: dict[str, Any] | None


def claim(tx: Tx, wanted: Claim, at: int, *, retry: bool) -> tuple[Run, bool]:
    """Put a run on record, or find the one that this very claim made before (False)."""
    digest = hashlib.sha256(wanted.body).hexdigest()
    known = find(tx.db, wanted.id)
    if known is not None:
        same = (known.hash, known.chat, known.pair, known.provider)
        if same != (digest, wanted.chat, wanted.pair, wanted.provider):
            raise BodyDiffers(wanted.id)
        return known, False
    sent = find_latest(tx.db, wanted.chat, wanted.pair)
    if sent is not None and not retry and not wanted.resend:
        raise PairExists(sent)
    busy = _alive(tx.db, wanted.chat)
    if busy is not None and tx.owner.is_dead(busy.owner):
        bury(tx, busy.owner, at)
        busy = None
    if busy is not None:
        raise ChatBusy(busy)
    last = _last_attempt(tx.db, wanted)
    if wanted.attempt is not None and wanted.attempt != last + 1:
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
            " page_hash, goes_on)"
            " VALUES (?, ?, ?, ?, ?, ?, 'claimed', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                wanted.id,
                wanted.chat,
                wanted.pair,
                last + 1,
                wanted.provider,
                wanted.model,
                tx.owner.id,
                digest,
                wanted.body,
                json.dumps(wanted.cell),
                wanted.after,
                wanted.continues,
                at,
                at,
                wanted.automatic,
                wanted.replaces,
                wanted.page_hash,
                wanted.goes_on,
            ),
        )
    except sqlite3.IntegrityError as error:
        raise AttemptExists(f"{wanted.pair} {last + 1}") from error
    made = get(tx.db, wanted.id)
    tx.changed(made.id, made.chat, now=made)
    return made, True


def append(tx: Tx, run: str, chat: str, data: list[str]) -> int:
    """Add chunks to a living run and give the last one's number; 0 if the run has ended."""
    row = tx.db.execute(
        "SELECT (SELECT coalesce(max(n), 0) FROM events WHERE run = runs.id) AS last"
        " FROM runs WHERE id = ? AND outcome IS NULL",
        (run,),
    ).fetchone()
    if row is None:
        return 0
    last: int = row["last"]
    rows = [(run, last + index, each) for index, each in enumerate(data, 1)]
    tx.db.executemany("INSERT INTO events (run, n, data) VALUES (?, ?, ?)", rows)
    added = tuple(Event(last + index, data=each) for index, each in enumerate(data, 1))
    tx.changed(run, chat, state=False, events=added)
    return last + len(data)


def happen(tx: Tx, run: str, happening: Happening, at: int, outcome: Outcome | None = None) -> Run:
    """Let something happen to a run; an end needs its outcome. Ended runs stay as they are."""
    before = get(tx.db, run)
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
    now = get(tx.db, run)
    if ended:
        turns.ended(tx, now, before.state, _reached(tx.db, now), at)
        now = get(tx.db, run)
    tx.changed(run, before.chat, now=now)
    return now


def bury(tx: Tx, owner: str, at: int) -> None:
    """End the living runs of a process that died."""
    rows = tx.db.execute(
        f"SELECT id FROM runs WHERE owner = ? AND state IN {turns.listed(ALIVE)}", (owner,)
    ).fetchall()
    for row in rows:
        try:
            happen(tx, row["id"], "crash", at)
        except Damaged as error:
            quarantine.set_apart(tx, error.run, "What the journal says about it cannot be read.")


def recover(tx: Tx, at: int) -> None:
    """End the living runs of every process that died."""
    for row in tx.db.execute(
        f"SELECT DISTINCT owner FROM runs WHERE state IN {turns.listed(ALIVE)}"
    ).fetchall():
        if tx.owner.is_dead(row["owner"]):
            bury(tx, row["owner"], at)


def land(tx: Tx, chat: str, run: str) -> Run:
    """Note that the reply of a run of this chat is in a saved notebook."""
    known = of_chat(tx.db, chat, run)
    if known.alive:
        raise StillAlive(run)
    tx.db.execute("UPDATE runs SET landed = 1 WHERE id = ?", (run,))
    _land_beginnings(tx.db, known)
    now = get(tx.db, run)
    tx.changed(run, chat, now=now)
    return now


def drop(tx: Tx, chat: str, run: str, dropped: bool = True) -> Run:
    """Note that the pair of a run of this chat was deleted, or brought back."""
    known = of_chat(tx.db, chat, run)
    tx.db.execute("UPDATE runs SET dropped = ? WHERE id = ?", (dropped, run))
    if dropped:
        turns.end(tx, chat, known.pair)
    now = get(tx.db, run)
    tx.changed(run, chat, now=now)
    return now


def set_auto(tx: Tx, chat: str, pair: str, auto: bool, at: int) -> Run:
    """Switch the retrying of a turn on or off; gives its newest run."""
    newest = latest(tx.db, chat, pair)
    turns.switch(tx, newest, auto, at)
    return get(tx.db, newest.id)


def find(db: sqlite3.Connection, run: str) -> Run | None:
    """A run, if there is one with this id."""
    row = db.execute(f"{_RUN} WHERE r.id = ?", (run,)).fetchone()
    return None if row is None else _run(row)


def get(db: sqlite3.Connection, run: str) -> Run:
    """A run that must be there."""
    found = find(db, run)
    if found is None:
        raise NoSuchRun(run)
    return found


def of_chat(db: sqlite3.Connection, chat: str, run: str) -> Run:
    """A run that must be there and belong to this chat; what is another chat's is not there."""
    found = get(db, run)
    if found.chat != chat:
        raise NoSuchRun(run)
    return found


def find_latest(db: sqlite3.Connection, chat: str, pair: str) -> Run | None:
    """The newest attempt of a turn, if there is one."""
    row = db.execute(
        f"{_RUN} WHERE r.chat = ? AND r.pair = ? AND r.damage IS NULL"
        " ORDER BY r.attempt DESC LIMIT 1",
        (chat, pair),
    ).fetchone()
    return None if row is None else _run(row)


def latest(db: sqlite3.Connection, chat: str, pair: str) -> Run:
    """The newest attempt of a turn that must be there."""
    found = find_latest(db, chat, pair)
    if found is None:
        raise NoSuchRun(f"{chat}/{pair}")
    return found


def select(
    db: sqlite3.Connection,
    *,
    chat: str | None = None,
    states: Iterable[State] | None = None,
    open_only: bool,
) -> list[Run]:
    """Runs, oldest first."""
    where, values = ["r.damage IS NULL"], []
    if chat is not None:
        where.append("r.chat = ?")
        values.append(chat)
    if states is not None:
        where.append(f"r.state IN {turns.listed(states)}")
    if open_only:
        # A run that has landed in part is of interest as long as the server will go on from it; to
        # who looks at its chat, as long as anybody can.
        where.append(
            "r.id IN (SELECT id FROM runs WHERE landed = 0 AND dropped = 0 UNION"
            " SELECT w.id FROM runs w JOIN turns u ON u.chat = w.chat AND u.pair = w.pair"
            " WHERE u.retry_at IS NOT NULL AND w.attempt ="
            " (SELECT max(attempt) FROM runs WHERE chat = u.chat AND pair = u.pair))"
            if chat is None
            else "r.dropped = 0 AND (r.landed = 0 OR r.state <> 'done' AND r.attempt ="
            " (SELECT max(attempt) FROM runs WHERE chat = r.chat AND pair = r.pair))"
        )
    # Not by time: the clock may have been set back between two of them.
    query = f"{_RUN} WHERE {' AND '.join(where)} ORDER BY r.rowid"
    return _readable(db.execute(query, values))


def page(db: sqlite3.Connection, run: str, after: int, limit: int = -1) -> Page:
    """A run and its events after a number; with `limit` so many, or fewer if they are large."""
    known = get(db, run)
    rows = db.execute(
        "SELECT n, data FROM events WHERE run = ? AND n > ? ORDER BY n LIMIT ?", (run, after, limit)
    )
    events: list[Event] = []
    size = 0
    for row in rows:
        events.append(Event(row["n"], data=row["data"]))
        size += len(row["data"])
        if size > _PAGE_LENGTH and limit >= 0:
            return Page(known, events)
    if known.end is not None and known.events > after and len(events) != limit:
        events.append(Event(known.events, end=known.end, state=known.state))
    return Page(known, events)


def body(db: sqlite3.Connection, run: str) -> tuple[bytes, str]:
    """The exact bytes of a run's request and their hash."""
    row = db.execute("SELECT body, hash FROM runs WHERE id = ?", (run,)).fetchone()
    if row is None:
        raise NoSuchRun(run)
    found = row["body"]
    if not isinstance(found, bytes) or hashlib.sha256(found).hexdigest() != row["hash"]:
        # Other bytes than were sent must be neither shown nor sent.
        raise Damaged(run)
    return found, row["hash"]


def attempts(db: sqlite3.Connection, chat: str, pair: str) -> list[Attempt]:
    """All attempts of a turn that must be there, first to last."""
    query = f"{_RUN} WHERE r.chat = ? AND r.pair = ? AND r.damage IS NULL ORDER BY r.attempt"
    runs = _readable(db.execute(query, (chat, pair)))
    if not runs:
        raise NoSuchRun(f"{chat}/{pair}")
    return [Attempt(run, _usage(db, run.id)) for run in runs]


def reply_so_far(db: sqlite3.Connection, run: Run) -> tuple[Run, Partial]:
    """The first of the runs that this one goes on from, and what they brought, joined."""
    chain = [run]
    while chain[-1].continues is not None:
        chain.append(get(db, chain[-1].continues))
    text, tools = "", False
    for each in reversed(chain):
        rows = db.execute("SELECT data FROM events WHERE run = ? ORDER BY n", (each.id,))
        part = continuation.partial_of(row["data"] for row in rows)
        whole = each.state == "done"
        text = joining.join(text, part.text, each.goes_on or "prefill", whole=whole).text
        tools = tools or part.tools
    return chain[-1], Partial(text, tools)


def _land_beginnings(db: sqlite3.Connection, run: Run) -> None:
    # A reply holds those that it continues, and of an attempt that brought nothing there is nothing to land.
    db.execute(
        "WITH RECURSIVE chain (id) AS (SELECT continues FROM runs WHERE id = ?1 UNION"
        " SELECT r.continues FROM runs r JOIN chain ON r.id = chain.id)"
        " UPDATE runs SET landed = 1 WHERE landed = 0 AND (id IN (SELECT id FROM chain)"
        " OR chat = ?2 AND pair = ?3 AND attempt < ?4"
        " AND NOT EXISTS (SELECT 1 FROM events WHERE run = runs.id))",
        (run.id, run.chat, run.pair, run.attempt),
    )


def _reached(db: sqlite3.Connection, run: Run) -> int | None:
    try:
        return len(reply_so_far(db, run)[1].text)
    except (ValueError, NoSuchRun, Damaged):
        # Something of it cannot be read any more; that must not keep the run from its end.
        return None


def _usage(db: sqlite3.Connection, run: str) -> dict[str, Any] | None:
    # Tokens come with the last chunk or just before it.
    rows = db.execute("SELECT data FROM events WHERE run = ? ORDER BY n DESC LIMIT 3", (run,))
    return continuation.usage_of(row["data"] for row in reversed(rows.fetchall()))


def _last_attempt(db: sqlite3.Connection, wanted: Claim) -> int:
    # A damaged attempt was made too.
    row = db.execute(
        "SELECT coalesce(max(attempt), 0) AS last FROM runs WHERE chat = ? AND pair = ?",
        (wanted.chat, wanted.pair),
    ).fetchone()
    last: int = row["last"]
    return last


def _readable(rows: Iterable[sqlite3.Row]) -> list[Run]:
    runs = []
    for row in rows:
        try:
            runs.append(_run(row))
        except Damaged as error:
            # The others must not suffer for it; it is reported when the journal is next opened.
            _LOG.warning("turnbook: run %s cannot be read in the journal", error.run)
    return runs


def _alive(db: sqlite3.Connection, chat: str) -> Run | None:
    row = db.execute(
        f"{_RUN} WHERE r.chat = ? AND r.state IN {turns.listed(ALIVE)}", (chat,)
    ).fetchone()
    return None if row is None else _run(row)


def _run(row: sqlite3.Row) -> Run:
    if row["damage"] is not None:
        raise Damaged(row["id"])
    try:
        return _read_run(row)
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(row["id"]) from error


def _read_run(row: sqlite3.Row) -> Run:
    end = None if row["outcome"] is None else Outcome.from_text(row["outcome"])
    return Run(
        id=row["id"],
        chat=row["chat"],
        pair=row["pair"],
        attempt=row["attempt"],
        provider=row["provider"],
        model=row["model"],
        state=row["state"],
        hash=row["hash"],
        size=row["size"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        # The end is the last event and is kept with the run itself.
        events=row["chunks"] + (end is not None),
        end=end,
        continues=row["continues"],
        landed=bool(row["landed"]),
        dropped=bool(row["dropped"]),
        cell=dialect.parse_lenient(row["cell"]),
        after=row["previous_cell"],
        turn=turns.from_row(row),
        owner=row["owner"],
        automatic=bool(row["automatic"]),
        replaces=row["replaces"],
        page_hash=row["page_hash"],
        goes_on=row["goes_on"],
    )
