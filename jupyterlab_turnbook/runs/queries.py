"""Reads runs, events and turns from the journal."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..base import dialect
from ..base.outcome import Outcome
from . import continuation, joining, pieces, received, turns
from .continuation import Partial
from .model import Event, Run, TurnKey
from .states import ALIVE, State

_RUN = f"""
SELECT r.id, r.chat, r.pair, r.attempt, r.provider, r.model, r.state, r.hash,
    coalesce(r.size, length(r.body)) AS size, r.created_at, r.updated_at, r.outcome, r.continues, r.landed, r.dropped,
    r.damage, r.cell, r.previous_cell, r.owner, r.automatic, r.replaces, r.page_hash,
    r.goes_on, r.grp, r.sibling, r.whole_cell IS NOT NULL AS cell_cut,
    (SELECT coalesce(max(n), 0) FROM events WHERE run = r.id) AS chunks,
    {turns.COLUMNS}
FROM runs r JOIN turns t ON t.chat = r.chat AND t.pair = r.pair AND t.sibling = r.sibling
"""

_PAGE_LENGTH = 1024 * 1024
"""Characters after which a page of events ends."""
_LOG = logging.getLogger(__name__)


class NoSuchRun(KeyError):
    """The journal does not know this run or turn."""


class NotKept(KeyError):
    """The bytes of a response are not in the journal as they came."""


class Damaged(Exception):
    """The journal's record of a run cannot be read."""

    def __init__(self, run: str) -> None:
        super().__init__(run)
        self.run = run


@dataclass(frozen=True)
class Page:
    """A run and some of its events, read at one moment."""

    run: Run
    events: list[Event]


@dataclass(frozen=True)
class Attempt:
    """A run and its token usage, if the provider reported it."""

    run: Run
    usage: dict[str, Any] | None


def find(db: sqlite3.Connection, run: str) -> Run | None:
    """A run, if there is one with this id."""
    row = db.execute(f"{_RUN} WHERE r.id = ?", (run,)).fetchone()
    return None if row is None else _run(row)


def get(db: sqlite3.Connection, run: str) -> Run:
    """A run; raises `NoSuchRun` if there is none."""
    found = find(db, run)
    if found is None:
        raise NoSuchRun(run)
    return found


def of_chat(db: sqlite3.Connection, chat: str, run: str) -> Run:
    """A run of this chat; raises `NoSuchRun` also if it belongs to another chat."""
    found = get(db, run)
    if found.chat != chat:
        raise NoSuchRun(run)
    return found


def find_latest(db: sqlite3.Connection, turn: TurnKey) -> Run | None:
    """The newest attempt of a turn, if there is one."""
    row = db.execute(
        f"{_RUN} WHERE r.chat = ? AND r.pair = ? AND r.sibling = ? AND r.damage IS NULL"
        " ORDER BY r.attempt DESC LIMIT 1",
        turn,
    ).fetchone()
    return None if row is None else _run(row)


def latest(db: sqlite3.Connection, turn: TurnKey) -> Run:
    """The newest attempt of a turn; raises `NoSuchRun` if there is none."""
    found = find_latest(db, turn)
    if found is None:
        raise NoSuchRun("/".join(map(str, turn)))
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
        # A partial reply that has landed stays open: in its chat as long as it can be retried,
        # across chats only while an automatic retry is due.
        where.append(
            "r.id IN (SELECT id FROM runs WHERE landed = 0 AND dropped = 0 UNION"
            " SELECT w.id FROM runs w JOIN turns u"
            " ON u.chat = w.chat AND u.pair = w.pair AND u.sibling = w.sibling"
            " WHERE u.retry_at IS NOT NULL AND w.attempt = (SELECT max(attempt) FROM runs"
            " WHERE chat = u.chat AND pair = u.pair AND sibling = u.sibling))"
            if chat is None
            else "r.dropped = 0 AND (r.landed = 0 OR r.state <> 'done' AND r.attempt ="
            " (SELECT max(attempt) FROM runs"
            " WHERE chat = r.chat AND pair = r.pair AND sibling = r.sibling))"
        )
    # Not by time: the clock may have been set back between two runs.
    query = f"{_RUN} WHERE {' AND '.join(where)} ORDER BY r.rowid"
    return _readable(db.execute(query, values))


def page(db: sqlite3.Connection, run: str, after: int, limit: int = -1) -> Page:
    """A run and its events after number `after`: at most `limit`, or fewer if they are large."""
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
    try:
        found = pieces.load(db, run, "body", row["body"])
    except (pieces.MissingPiece, TypeError) as error:
        raise Damaged(run) from error
    if hashlib.sha256(found).hexdigest() != row["hash"]:
        # Bytes that differ from those recorded must be neither shown nor sent.
        raise Damaged(run)
    return found, row["hash"]


def whole_cell(db: sqlite3.Connection, run: str) -> dict[str, Any]:
    """A run's cell with all its outputs."""
    known = get(db, run)
    if not known.cell_cut:
        return known.cell
    row = db.execute("SELECT whole_cell FROM runs WHERE id = ?", (run,)).fetchone()
    try:
        text = pieces.load(db, run, "cell", row["whole_cell"])
        cell = dialect.parse_lenient(text.decode("utf-8"))
    except (ValueError, TypeError) as error:
        raise Damaged(run) from error
    if not isinstance(cell, dict):
        raise Damaged(run)
    return cell


@dataclass(frozen=True)
class Response:
    """What is known of a run's response. Times are milliseconds since the request left."""

    run: Run
    row: dict[str, Any]
    """The columns of `responses`; empty if there was none."""
    events: list[tuple[int, int | None, str]]
    """The number, the time and the data of each."""

    def json(self) -> dict[str, Any]:
        """The contract's `Response`."""
        row = self.row
        status = row.get("status") or (self.run.end.status if self.run.end else None)
        return {
            "run": self.run.id,
            "state": self.run.state,
            "end": self.run.end.json() if self.run.end else None,
            "sentAt": row.get("sent_at"),
            "status": status,
            "headers": dialect.parse_lenient(row.get("headers", "{}")),
            "answered": row.get("answered"),
            "ended": row.get("ended"),
            "size": row.get("size"),
            "hash": row.get("hash"),
            "exact": row.get("rest") is not None,
            "missing": self._missing(),
            "events": [{"n": n, "at": at, "data": data} for n, at, data in self.events],
        }

    def _missing(self) -> str | None:
        """Why the bytes are not kept; None if they are."""
        row = self.row
        if row.get("rest") is not None:
            return None
        if self.run.state in ALIVE:
            return "under-way"
        if not row:
            return "no-answer" if self.run.end and not self.events else "not-recorded"
        if row["ended"] is None:
            return "no-answer" if row["status"] is None else "server-stopped"
        return row["lacks"] or "not-recorded"


def response(db: sqlite3.Connection, run: str) -> Response:
    """A run's response as far as it is in the journal."""
    known = get(db, run)
    row = db.execute("SELECT * FROM responses WHERE run = ?", (run,)).fetchone()
    events = db.execute("SELECT n, at, data FROM events WHERE run = ? ORDER BY n", (run,))
    return Response(known, dict(row) if row else {}, [tuple(each) for each in events])


def response_bytes(db: sqlite3.Connection, run: str) -> tuple[bytes, str]:
    """The exact bytes of a run's response and their hash; raises `NotKept`."""
    get(db, run)
    row = db.execute("SELECT hash, rest, is_stream FROM responses WHERE run = ?", (run,)).fetchone()
    if row is None or row["rest"] is None:
        raise NotKept(run)
    events = db.execute("SELECT data, before FROM events WHERE run = ? ORDER BY n", (run,))
    made = received.together(
        [(each["data"], each["before"]) for each in events],
        row["rest"],
        is_stream=bool(row["is_stream"]),
    )
    if hashlib.sha256(made).hexdigest() != row["hash"]:
        raise Damaged(run)
    return made, row["hash"]


def attempts(db: sqlite3.Connection, chat: str, pair: str) -> list[Attempt]:
    """All attempts at a pair, of all siblings, oldest first; raises `NoSuchRun` if there is none."""
    query = f"{_RUN} WHERE r.chat = ? AND r.pair = ? AND r.damage IS NULL ORDER BY r.attempt"
    runs = _readable(db.execute(query, (chat, pair)))
    if not runs:
        raise NoSuchRun(f"{chat}/{pair}")
    return [Attempt(run, usage(db, run.id)) for run in runs]


def chain(db: sqlite3.Connection, run: Run) -> list[Run]:
    """A run and those that it continues, last to first; raises `NoSuchRun`."""
    found = [run]
    while found[-1].continues is not None:
        found.append(get(db, found[-1].continues))
    return found


def reply_so_far(db: sqlite3.Connection, run: Run) -> tuple[Run, Partial]:
    """The first run of the chain that `run` continues, and the chain's replies joined."""
    runs = chain(db, run)
    text, tools, thought = "", False, False
    for each in reversed(runs):
        rows = db.execute("SELECT data FROM events WHERE run = ? ORDER BY n", (each.id,))
        part = continuation.partial_of(row["data"] for row in rows)
        whole = each.state == "done"
        text = joining.join(text, part.text, each.goes_on or "prefill", whole=whole).text
        tools, thought = tools or part.tools, thought or part.thought
    return runs[-1], Partial(text, tools, thought)


def usage(db: sqlite3.Connection, run: str) -> dict[str, Any] | None:
    """What a run took as the provider reported it. Raises `ValueError` if a chunk is not JSON."""
    # Usage comes with the last chunk or just before it.
    rows = db.execute("SELECT data FROM events WHERE run = ? ORDER BY n DESC LIMIT 3", (run,))
    return continuation.usage_of(row["data"] for row in reversed(rows.fetchall()))


def _readable(rows: Iterable[sqlite3.Row]) -> list[Run]:
    runs = []
    for row in rows:
        try:
            runs.append(_run(row))
        except Damaged as error:
            # Skip it and return the others; it is reported when the journal is next opened.
            _LOG.warning("turnbook: run %s cannot be read in the journal", error.run)
    return runs


def alive(db: sqlite3.Connection, chat: str) -> list[Run]:
    """The live runs of a chat: one, or siblings."""
    query = f"{_RUN} WHERE r.chat = ? AND r.state IN {turns.listed(ALIVE)} ORDER BY r.sibling"
    return [_run(row) for row in db.execute(query, (chat,)).fetchall()]


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
        # The end counts as the last event, but is stored with the run.
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
        cell_cut=bool(row["cell_cut"]),
        group=row["grp"],
        sibling=row["sibling"],
    )
