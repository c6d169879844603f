"""Transactions of the journal: what a write may do, and how those that are queued become one."""

from __future__ import annotations

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, Generic, TypeVar

from .model import Event, Run
from .owner import Owner

T = TypeVar("T")

Done = tuple[Any, Exception | None]
"""The result of a job, or why it failed."""


@dataclass(frozen=True)
class Change:
    """A run that a commit changed. If `state` is False, it only got more events."""

    run: str
    chat: str
    state: bool
    events: tuple[Event, ...] = ()
    """The new events."""
    now: Run | None = None
    """The run after the change; None if it has to be read from the journal."""


@dataclass
class Tx:
    """What a write job gets: the connection, this process, and the changes to announce."""

    db: sqlite3.Connection
    owner: Owner
    changes: list[Change] = field(default_factory=list)

    def changed(
        self,
        run: str,
        chat: str,
        *,
        state: bool = True,
        events: tuple[Event, ...] = (),
        now: Run | None = None,
    ) -> None:
        """Announce this change once the transaction is committed."""
        self.changes.append(Change(run, chat, state, events, now))


class Joined(ABC):
    """A write of which those that are queued side by side are done together, with fewer statements."""

    @abstractmethod
    def __call__(self, tx: Tx) -> Any:
        """Do it alone."""

    @classmethod
    @abstractmethod
    def together(cls, tx: Tx, works: Sequence[Any]) -> list[Any] | None:
        """Do all of them and return their results; None to have each done alone."""


@dataclass
class Job(Generic[T]):
    work: Callable[[Tx], T]
    durable: bool
    future: asyncio.Future[T] | None = None
    """Resolved on the event loop. None for the recovery job."""


class _Apart(Exception):
    """Something could not be done together."""


class Writer:
    """The connection that writes, and how it commits."""

    def __init__(
        self, db: sqlite3.Connection, owner: Owner, synced: tuple[str, str] = ("NORMAL", "FULL")
    ) -> None:
        """`synced` says how far commits are synced, and durable ones."""
        self.db = db
        self.owner = owner
        self._synced = synced
        self._is_durable: bool | None = None

    def commit(self, batch: list[Job[Any]]) -> tuple[list[Done], list[Change]]:
        """Do all jobs in one transaction; one that fails does not affect the others."""
        db = self.db
        durable = any(job.durable for job in batch)
        if durable != self._is_durable:
            db.execute(f"PRAGMA synchronous = {self._synced[durable]}")
            self._is_durable = durable
        try:
            return self._do_all(batch, [_kind(job) for job in batch])
        except _Apart:
            return self._do_all(batch, [None] * len(batch))

    def _do_all(
        self, batch: list[Job[Any]], kinds: list[type[Joined] | None]
    ) -> tuple[list[Done], list[Change]]:
        db = self.db
        done: list[Done] = []
        changes: list[Change] = []
        db.execute("BEGIN IMMEDIATE")
        try:
            for kind, jobs in groupby(zip(kinds, batch, strict=True), itemgetter(0)):
                works = [job.work for _, job in jobs]
                if kind is not None:
                    self._do_together(kind, works, done, changes)
                else:
                    for work in works:
                        self._do(work, done, changes)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        return done, changes

    def _do_together(
        self, kind: type[Joined], works: list[Any], done: list[Done], changes: list[Change]
    ) -> None:
        tx = Tx(self.db, self.owner)
        try:
            values = kind.together(tx, works)
        except Exception as error:
            if not self.db.in_transaction:
                # On a full disk SQLite rolls back the whole transaction.
                raise sqlite3.OperationalError(str(error)) from error
            raise _Apart from error
        if values is None:
            # One of them is not as it should be; only that one is to fail.
            raise _Apart
        done += [(value, None) for value in values]
        changes += tx.changes

    def _do(self, work: Callable[[Tx], Any], done: list[Done], changes: list[Change]) -> None:
        db = self.db
        tx = Tx(db, self.owner)
        db.execute("SAVEPOINT job")
        try:
            done.append((work(tx), None))
            changes += tx.changes
        except Exception as error:
            if not db.in_transaction:
                # On a full disk SQLite rolls back the whole transaction.
                raise sqlite3.OperationalError(str(error)) from error
            db.execute("ROLLBACK TO job")
            done.append((None, error))
        db.execute("RELEASE job")


def _kind(job: Job[Any]) -> type[Joined] | None:
    return type(job.work) if isinstance(job.work, Joined) else None
