"""What the journal lets go of: by age and by size, and only what is in a saved notebook."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from . import turns
from .journal import Journal, JournalError, Tx
from .states import ALIVE

_EVERY_SECONDS = 3600.0
_FIRST_SECONDS = 60.0
# Small portions, so that the events of living runs do not wait long behind them.
_TURNS_AT_ONCE = 20
_PAGES_AT_ONCE = 256
_DAY = 24 * 3600 * 1000

# Every attempt has landed or was dropped, none is alive and none is going to follow.
_SETTLED = f"""
SELECT r.chat, r.pair, max(r.updated_at) AS touched FROM runs r
WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.chat = r.chat AND t.pair = r.pair
    AND t.retry_at IS NOT NULL)
GROUP BY r.chat, r.pair
HAVING min(r.landed OR r.dropped) AND NOT max(r.state IN {turns.listed(ALIVE)})
"""


@dataclass(frozen=True)
class Limits:
    """How long and how much is kept; 0 stands for without limit."""

    days: float = 0
    bytes: int = 0


def expire_old(tx: Tx, limits: Limits, now: int) -> int:
    """Forget some turns that nothing has touched for longer than the limit; gives their number."""
    if not limits.days:
        return 0
    rows = tx.db.execute(
        f"{_SETTLED} AND touched < ? ORDER BY touched LIMIT ?",
        (now - limits.days * _DAY, _TURNS_AT_ONCE),
    ).fetchall()
    for row in rows:
        _forget(tx.db, row["chat"], row["pair"])
    return len(rows)


def expire_large(tx: Tx, limits: Limits) -> int:
    """While the journal is too large, forget some of what no notebook refers to; oldest first.

    Those are deleted pairs, and attempts that a later one has made out of date. The newest attempt
    of a pair stays: the request behind the reply that one sees can be opened until it is too old.
    """
    if not limits.bytes or used_bytes(tx.db) <= limits.bytes:
        return 0
    rows = tx.db.execute(
        f"SELECT s.chat, s.pair FROM ({_SETTLED}) s WHERE NOT EXISTS (SELECT 1 FROM runs"
        " WHERE chat = s.chat AND pair = s.pair AND dropped = 0) ORDER BY s.touched LIMIT ?",
        (_TURNS_AT_ONCE,),
    ).fetchall()
    for row in rows:
        _forget(tx.db, row["chat"], row["pair"])
    if rows:
        return len(rows)
    superseded = tx.db.execute(
        "SELECT r.id FROM runs r WHERE (r.landed OR r.dropped) AND r.attempt <"
        " (SELECT max(attempt) FROM runs WHERE chat = r.chat AND pair = r.pair)"
        " AND NOT EXISTS (SELECT 1 FROM runs n WHERE n.continues = r.id OR n.replaces = r.id)"
        " ORDER BY r.updated_at LIMIT ?",
        (_TURNS_AT_ONCE,),
    ).fetchall()
    for row in superseded:
        tx.db.execute("DELETE FROM events WHERE run = ?", (row["id"],))
        tx.db.execute("DELETE FROM runs WHERE id = ?", (row["id"],))
    return len(superseded)


def used_bytes(db: sqlite3.Connection) -> int:
    """The size of the journal without the pages that are free."""
    pages, free, size = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def give_back(tx: Tx) -> int:
    """Return some free pages to the disk; gives how many are left."""
    tx.db.execute(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})").fetchall()
    left: int = tx.db.execute("PRAGMA freelist_count").fetchone()[0]
    return left if tx.db.execute("PRAGMA auto_vacuum").fetchone()[0] else 0


def _forget(db: sqlite3.Connection, chat: str, pair: str) -> None:
    db.execute(
        "DELETE FROM events WHERE run IN (SELECT id FROM runs WHERE chat = ? AND pair = ?)",
        (chat, pair),
    )
    db.execute("DELETE FROM runs WHERE chat = ? AND pair = ?", (chat, pair))
    db.execute("DELETE FROM turns WHERE chat = ? AND pair = ?", (chat, pair))


class Retention:
    """Keeps the journal within its limits, now and then and in small portions."""

    def __init__(
        self, journal: Journal, limits: Limits, log: logging.Logger, clock: Callable[[], int]
    ) -> None:
        self._journal = journal
        self.limits = limits
        self._log = log
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, a while after the start of the server."""
        if self._task is None and (self.limits.days or self.limits.bytes):
            self._task = asyncio.create_task(self._go_on())

    def stop(self) -> None:
        """Let things be."""
        if self._task is not None:
            self._task.cancel()

    async def tidy(self) -> int:
        """Forget all that the limits want forgotten; gives how many turns and attempts that was."""
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

    async def _go_on(self) -> None:
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
