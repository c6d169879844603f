"""Deletes old records from the journal, by age and size, once they have landed or were dropped."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from . import pieces, turns
from .journal import Journal, JournalError
from .states import ALIVE
from .transaction import Tx

_EVERY_SECONDS = 3600.0
_FIRST_SECONDS = 60.0
# Small portions, so that the events of live runs do not have to wait long.
_TURNS_AT_ONCE = 20
_SEGMENTS_AT_ONCE = 2000
_PAGES_AT_ONCE = 256
_DAY = 24 * 3600 * 1000

# Turns whose attempts have all landed or been dropped, with none alive and none scheduled.
_SETTLED = f"""
SELECT r.chat, r.pair, max(r.updated_at) AS touched FROM runs r
WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.chat = r.chat AND t.pair = r.pair
    AND t.retry_at IS NOT NULL)
GROUP BY r.chat, r.pair
HAVING min(r.landed OR r.dropped) AND NOT max(r.state IN {turns.listed(ALIVE)})
"""


@dataclass(frozen=True)
class Limits:
    """How long and how much is kept; 0 means no limit."""

    days: float = 0
    bytes: int = 0


def expire_old(tx: Tx, limits: Limits, now: int) -> int:
    """Delete some turns that have not changed for longer than the limit; returns how many."""
    if not limits.days:
        return 0
    rows = tx.db.execute(
        f"{_SETTLED} AND touched < ? ORDER BY touched LIMIT ?",
        (now - limits.days * _DAY, _TURNS_AT_ONCE),
    ).fetchall()
    return _forget_some(tx.db, rows)


def expire_large(tx: Tx, limits: Limits) -> int:
    """If the journal is too large, delete some records that no notebook needs, oldest first.

    These are deleted pairs and superseded attempts. The newest attempt of a pair stays, so that
    the request behind a visible reply can be opened until it expires by age.
    """
    if not limits.bytes or used_bytes(tx.db) <= limits.bytes:
        return 0
    rows = tx.db.execute(
        f"SELECT s.chat, s.pair FROM ({_SETTLED}) s WHERE NOT EXISTS (SELECT 1 FROM runs"
        " WHERE chat = s.chat AND pair = s.pair AND dropped = 0) ORDER BY s.touched LIMIT ?",
        (_TURNS_AT_ONCE,),
    ).fetchall()
    if rows:
        return _forget_some(tx.db, rows)
    superseded = tx.db.execute(
        "SELECT r.id FROM runs r WHERE (r.landed OR r.dropped) AND r.attempt <"
        " (SELECT max(attempt) FROM runs"
        " WHERE chat = r.chat AND pair = r.pair AND sibling = r.sibling)"
        " AND NOT EXISTS (SELECT 1 FROM runs n WHERE n.continues = r.id OR n.replaces = r.id)"
        " ORDER BY r.updated_at LIMIT ?",
        (_TURNS_AT_ONCE,),
    ).fetchall()
    left = _SEGMENTS_AT_ONCE
    for done, row in enumerate(superseded, 1):
        left -= _forget_run(tx.db, row["id"])
        if left <= 0:
            return done
    return len(superseded)


def used_bytes(db: sqlite3.Connection) -> int:
    """The size of the journal without its free pages."""
    pages, free, size = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def give_back(tx: Tx) -> int:
    """Return some free pages to the disk; returns how many are left."""
    tx.db.execute(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})").fetchall()
    left: int = tx.db.execute("PRAGMA freelist_count").fetchone()[0]
    return left if tx.db.execute("PRAGMA auto_vacuum").fetchone()[0] else 0


def _forget_some(db: sqlite3.Connection, rows: list[sqlite3.Row]) -> int:
    left = _SEGMENTS_AT_ONCE
    for done, row in enumerate(rows, 1):
        left -= _forget(db, row["chat"], row["pair"])
        if left <= 0:
            return done
    return len(rows)


def _forget(db: sqlite3.Connection, chat: str, pair: str) -> int:
    turn = (chat, pair)
    # Attempts refer to those before them.
    runs = db.execute(
        "SELECT id FROM runs WHERE chat = ? AND pair = ? ORDER BY attempt DESC", turn
    ).fetchall()
    gone = sum(_forget_run(db, row["id"]) for row in runs)
    db.execute("DELETE FROM turns WHERE chat = ? AND pair = ?", turn)
    return gone


def _forget_run(db: sqlite3.Connection, run: str) -> int:
    """Delete a run; returns how many segments it had."""
    gone = pieces.forget(db, run)
    db.execute("DELETE FROM events WHERE run = ?", (run,))
    db.execute("DELETE FROM runs WHERE id = ?", (run,))
    return gone


class Retention:
    """Keeps the journal within its limits, at intervals and in small portions."""

    def __init__(
        self, journal: Journal, limits: Limits, log: logging.Logger, clock: Callable[[], int]
    ) -> None:
        self._journal = journal
        self.limits = limits
        self._log = log
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start tidying at intervals, the first time after a minute."""
        if self._task is None and (self.limits.days or self.limits.bytes):
            self._task = asyncio.create_task(self._tidy_at_intervals())

    def stop(self) -> None:
        """Stop tidying."""
        if self._task is not None:
            self._task.cancel()

    async def tidy(self) -> int:
        """Delete everything beyond the limits; returns how many turns and attempts were deleted."""
        limits, write = self.limits, self._journal.write
        gone = 0
        while done := await write(lambda tx: expire_old(tx, limits, self._clock())):
            gone += done
        while done := await write(lambda tx: expire_large(tx, limits)):
            gone += done
        before = -1
        while (left := await write(give_back)) and left != before:
            before = left
        size = await self._journal.read(used_bytes)
        if limits.bytes and size > limits.bytes:
            self._log.info(
                "turnbook: the journal has %s bytes, more than journal_max_bytes, and all of it is "
                "needed: replies that are in no saved notebook yet, and the requests of pairs that "
                "are younger than journal_max_age_days.",
                size,
            )
        return gone

    async def _tidy_at_intervals(self) -> None:
        wait = _FIRST_SECONDS
        while True:
            await asyncio.sleep(wait)
            wait = _EVERY_SECONDS
            try:
                gone = await self.tidy()
            except JournalError as error:
                self._log.warning("turnbook: the journal could not be tidied: %s", error)
            else:
                self._log.debug("turnbook: %s old records left the journal", gone)
