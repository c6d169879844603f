"""Sets apart and reports records that cannot be read, so that all others load."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import asdict, dataclass
from typing import Any

from ..base import dialect
from . import continuation, pieces
from .states import STATES
from .transaction import Tx


@dataclass(frozen=True)
class Damage:
    """A run that was set apart, and what can be read of its reply."""

    id: str
    chat: str
    pair: str
    attempt: int
    why: str
    text: str

    def json(self) -> dict[str, Any]:
        """The contract's `Damage`."""
        return asdict(self)


def inspect(tx: Tx) -> list[str]:
    """Set apart every run whose record cannot be read; returns their ids.

    Events and bytes are checked only for runs that have not landed; the replies of the others are
    in their notebooks.
    """
    found = {**_bad_rows(tx.db), **_bad_bodies(tx.db), **_bad_events(tx.db)}
    for run, why in found.items():
        set_apart(tx, run, why)
    return list(found)


def set_apart(tx: Tx, run: str, why: str) -> None:
    """Exclude a run from everything but the report, and end automatic retries of its turn."""
    tx.db.execute(
        "UPDATE turns SET auto = 0, retry_at = NULL, generation = generation + 1"
        " WHERE (chat, pair) IN (SELECT chat, pair FROM runs WHERE id = ?)",
        (run,),
    )
    # No longer alive, so that it does not hold the chat's send lock forever.
    tx.db.execute("UPDATE runs SET damage = ?, state = 'unknown' WHERE id = ?", (why, run))


def report(db: sqlite3.Connection) -> list[Damage]:
    """All runs that were set apart."""
    rows = db.execute(
        "SELECT id, chat, pair, attempt, damage FROM runs WHERE damage IS NOT NULL"
        " ORDER BY created_at, rowid"
    ).fetchall()
    return [
        Damage(row["id"], row["chat"], row["pair"], row["attempt"], row["damage"], _text(db, row))
        for row in rows
    ]


def _bad_rows(db: sqlite3.Connection) -> dict[str, str]:
    states = ", ".join(f"'{state}'" for state in STATES)
    db.create_function("turnbook_object", 1, _is_object, deterministic=True)
    rows = db.execute(
        "SELECT id FROM runs WHERE damage IS NULL AND"
        " (NOT turnbook_object(CAST(cell AS BLOB)) OR"
        f" (outcome IS NOT NULL AND NOT turnbook_object(CAST(outcome AS BLOB))) OR"
        f" state NOT IN ({states}))"
    )
    return {row["id"]: "What the journal says about this run cannot be read." for row in rows}


def _bad_bodies(db: sqlite3.Connection) -> dict[str, str]:
    rows = db.execute(
        "SELECT id, CAST(body AS BLOB) AS body, hash FROM runs"
        " WHERE landed = 0 AND dropped = 0 AND damage IS NULL"
    )
    return {
        row["id"]: "The bytes of its request are not those that were recorded."
        for row in rows
        if not _is_recorded(db, row)
    }


def _is_recorded(db: sqlite3.Connection, row: sqlite3.Row) -> bool:
    try:
        body = pieces.load(db, row["id"], "body", row["body"])
    except pieces.MissingPiece:
        return False
    return hashlib.sha256(body).hexdigest() == str(row["hash"])


def _bad_events(db: sqlite3.Connection) -> dict[str, str]:
    rows = db.execute(
        "SELECT e.run AS id FROM runs r JOIN events e ON e.run = r.id"
        " WHERE r.landed = 0 AND r.dropped = 0 AND r.damage IS NULL GROUP BY e.run"
        " HAVING count(*) != max(e.n) OR NOT min(turnbook_object(CAST(e.data AS BLOB)))"
    )
    return {row["id"]: "Some events of its reply are missing or cannot be read." for row in rows}


def _is_object(data: bytes | None) -> bool:
    try:
        return dialect.parse_chunk((data or b"").decode("utf-8")) is not None
    except UnicodeDecodeError:
        return False


def _text(db: sqlite3.Connection, run: sqlite3.Row) -> str:
    rows = db.execute(
        "SELECT CAST(data AS BLOB) AS data FROM events WHERE run = ? ORDER BY n", (run["id"],)
    )
    return continuation.partial_of(
        row["data"].decode("utf-8") for row in rows if _is_object(row["data"])
    ).text
