"""Turns in the journal: the retry state that all attempts of one pair share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from ..base.outcome import Outcome
from . import retry
from .model import Claim, Run, Turn, TurnKey
from .retry import Ended, Waiting
from .states import ALIVE, State
from .transaction import Tx

COLUMNS = "t.auto, t.retry_at, t.failures, t.generation, t.paused, t.billed, t.reached"
"""The columns that `from_row` reads; `t` is the table `turns`."""


def from_row(row: sqlite3.Row) -> Turn:
    """The turn in a row that has `COLUMNS`."""
    return Turn(
        auto=bool(row["auto"]),
        retry_at=row["retry_at"],
        failures=row["failures"],
        generation=row["generation"],
        paused=row["paused"],
        billed=row["billed"],
        reached=row["reached"],
    )


def of_claim(tx: Tx, wanted: Claim, *, retry: bool) -> None:
    """Update the turn for a claim. Unless it is a retry, cancel other waiting turns of the chat.

    Those of other replies to the same message go on.
    """
    if retry:
        tx.db.execute(
            "UPDATE turns SET retry_at = NULL, generation = generation + 1"
            " WHERE chat = ? AND pair = ? AND sibling = ?",
            wanted.turn_key,
        )
        return
    tx.db.execute(
        "INSERT INTO turns (chat, pair, sibling, auto) VALUES (?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET auto = excluded.auto, retry_at = NULL, failures = 0,"
        " paused = NULL, billed = 0, reached = 0, generation = generation + 1",
        (*wanted.turn_key, wanted.auto),
    )
    for row in waiting_rows(tx.db, wanted.chat):
        if not _is_sibling(row, wanted):
            end(tx, _key(row))
            tx.changed(row["run"], row["chat"])


def end(tx: Tx, turn: TurnKey) -> None:
    """End automatic retries of a turn."""
    tx.db.execute(
        "UPDATE turns SET auto = 0, retry_at = NULL, generation = generation + 1"
        " WHERE chat = ? AND pair = ? AND sibling = ?",
        turn,
    )


def billable(before: State, after: State) -> bool:
    """Whether a run that ended from one state in another may be billed."""
    # A run that fails while `sending` (error status, refused connection) was not accepted.
    return before == "streaming" or (before == "sending" and after != "failed")


def ended(tx: Tx, run: Run, before: State, reached: int | None, at: int) -> None:
    """Record that an attempt has ended: count it, and schedule the next one if it is eligible."""
    what = Ended(
        run.state,
        run.end,
        billable(before, run.state),
        run.turn.reached if reached is None else reached,
        run.dropped,
    )
    _put(tx, run, retry.after_end(run.turn, what, at))


def switch(tx: Tx, last: Run, auto: bool, at: int) -> None:
    """Turn automatic retries on or off for the turn whose newest run is `last`; idempotent."""
    if last.turn.auto == auto and (last.turn.paused is None or not auto):
        return
    end(tx, last.turn_key)
    if auto:
        fresh = replace(
            last.turn, auto=True, generation=last.turn.generation + 1, paused=None, billed=0
        )
        what = Ended(last.state, last.end, False, last.turn.reached, last.dropped)
        _put(tx, last, retry.scheduled(fresh, what, at))
    tx.changed(last.id, last.chat)


def pause(tx: Tx, last: Run, generation: int, why: str) -> None:
    """Pause retries of a turn until the user decides, unless they already have."""
    tx.db.execute(
        "UPDATE turns SET retry_at = NULL, paused = ? WHERE chat = ? AND pair = ? AND sibling = ?"
        " AND generation = ? AND retry_at IS NOT NULL",
        (why, *last.turn_key, generation),
    )
    tx.changed(last.id, last.chat)


def may_begin(turn: Turn, last: Run, generation: int) -> bool:
    """Whether the automatic retry planned in this generation may start."""
    return (
        turn.generation == generation
        and turn.retry_at is not None
        and not last.dropped
        and retry.eligible(last.state, last.end, turn)
    )


def waiting_rows(db: sqlite3.Connection, chat: str | None = None) -> list[sqlite3.Row]:
    """The waiting turns of a chat (None: of all chats), each with its newest run."""
    return db.execute(
        f"SELECT t.chat, t.pair, t.sibling, {COLUMNS}, r.id AS run, r.attempt, r.outcome, r.owner,"
        " r.grp,"
        f" (SELECT owner FROM runs WHERE chat = t.chat AND state IN {listed(ALIVE)}"
        # Siblings do not wait for each other.
        " AND NOT (pair = t.pair AND sibling <> t.sibling AND coalesce(grp = r.grp, 0))) AS busy"
        " FROM turns t JOIN runs r"
        " ON r.chat = t.chat AND r.pair = t.pair AND r.sibling = t.sibling"
        " WHERE t.retry_at IS NOT NULL AND (?1 IS NULL OR t.chat = ?1) AND r.damage IS NULL"
        " AND r.attempt = (SELECT max(attempt) FROM runs"
        " WHERE chat = t.chat AND pair = t.pair AND sibling = t.sibling)"
        " ORDER BY t.retry_at",
        (chat,),
    ).fetchall()


def waiting(db: sqlite3.Connection, chat: str | None = None) -> list[Waiting]:
    """The waiting turns of a chat (None: of all chats)."""
    found = []
    for row in waiting_rows(db, chat):
        outcome = None if row["outcome"] is None else Outcome.from_text(row["outcome"])
        found.append(
            Waiting(
                turn=_key(row),
                generation=row["generation"],
                attempt=row["attempt"] + 1,
                retry_at=row["retry_at"],
                whole=retry.backoff(row["failures"], outcome.retry_after if outcome else None),
                owner=row["owner"],
                busy=row["busy"],
            )
        )
    return found


def listed(states: Iterable[State]) -> str:
    """States as a list in SQL."""
    return "(" + ", ".join(f"'{state}'" for state in sorted(states)) + ")"


def _put(tx: Tx, run: Run, turn: Turn) -> None:
    tx.db.execute(
        "UPDATE turns SET auto = ?, retry_at = ?, failures = ?, generation = ?, paused = ?,"
        " billed = ?, reached = ? WHERE chat = ? AND pair = ? AND sibling = ?",
        (
            turn.auto,
            turn.retry_at,
            turn.failures,
            turn.generation,
            turn.paused,
            turn.billed,
            turn.reached,
            *run.turn_key,
        ),
    )


def _is_sibling(row: sqlite3.Row, wanted: Claim) -> bool:
    """Whether a waiting turn is that of another reply to the message of a claim."""
    if wanted.group is None or row["pair"] != wanted.pair:
        return False
    # The first reply was not one of a group if others were asked for later.
    is_first = row["grp"] is None and row["sibling"] == 0 and wanted.sibling > 0
    return is_first or row["grp"] == wanted.group


def _key(row: sqlite3.Row) -> TurnKey:
    return TurnKey(row["chat"], row["pair"], row["sibling"])
