"""The journal: a SQLite file with one writer thread, off the event loop."""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..base import private
from . import salvage, schema
from .model import Event, Run
from .owner import Owner

T = TypeVar("T")

_BUSY_SECONDS = 15
_CHECKED_BYTES = 64 * 1024 * 1024
_CLOSED = "The journal is closed: the server is shutting down."


class JournalError(Exception):
    """The journal cannot be read or written; the message says what to check."""


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


@dataclass
class _Job(Generic[T]):
    work: Callable[[Tx], T]
    durable: bool
    future: asyncio.Future[T] | None = None
    """Resolved on the event loop. None for the recovery job."""


class Journal:
    """Queues writes and commits them in batches; `write` returns after the commit.

    `recover` runs in the first transaction after the file is opened. `announce` is called on the
    event loop with the changes of each commit, in order, before that commit's writers continue.
    """

    def __init__(
        self,
        directory: Path,
        *,
        recover: Callable[[Tx], None],
        announce: Callable[[list[Change]], None],
        log: logging.Logger | None = None,
    ) -> None:
        self.directory = directory
        self.file = directory / "journal.sqlite"
        self._recover = recover
        self._announce = announce
        self._log = log or logging.getLogger(__name__)
        self._suspect = False
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._db: sqlite3.Connection | None = None
        self._owner: Owner | None = None
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="turnbook-journal-reader")
        self._no_reads = threading.Lock()
        """Held during a read, and while the file is being replaced."""
        self._reader: sqlite3.Connection | None = None

    @property
    def owner(self) -> str | None:
        """The id of this process as an owner of runs, once the journal has been opened."""
        return self._owner.id if self._owner is not None else None

    async def open(self) -> None:
        """Open the file and end the runs of dead processes, unless that has been done."""
        if self._db is None:
            await self.write(lambda tx: None)

    async def write(self, work: Callable[[Tx], T], *, durable: bool = False) -> T:
        """Run `work` in a transaction; returns after the commit, if `durable` after an fsync.

        The write happens even if the caller is cancelled.
        """
        if self._closed:
            raise JournalError(_CLOSED)
        if self._thread is None:
            self._loop = asyncio.get_running_loop()
            self._thread = threading.Thread(
                target=self._write_all, name="turnbook-journal", daemon=True
            )
            self._thread.start()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._jobs.put(_Job(work, durable, future))
        return await future

    async def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on a consistent snapshot of the file."""
        if self._closed:
            raise JournalError(_CLOSED)
        loop = asyncio.get_running_loop()
        await self.open()
        try:
            return await loop.run_in_executor(self._reading, self._read, work)
        except sqlite3.Error as error:
            if not salvage.is_damage(error):
                raise self._error(error) from error
        # Let the writer meet the damage too: it salvages the file.
        await loop.run_in_executor(self._reading, self._close_reader)
        with suppress(JournalError):
            await self.write(_meet_damage)
        await self.open()
        try:
            return await loop.run_in_executor(self._reading, self._read, work)
        except sqlite3.Error as error:
            raise self._error(error) from error

    async def close(self) -> None:
        """Write what is queued, then close the file and release the owner's lock."""
        if self._closed:
            return
        self._closed = True
        if self._thread is not None:
            self._jobs.put(None)
            await asyncio.to_thread(self._thread.join)
        await asyncio.get_running_loop().run_in_executor(self._reading, self._close_reader)
        self._reading.shutdown()

    def set_aside(self) -> list[dict[str, Any]]:
        """The contract's `setAside`: damaged journals that this one replaced."""
        return [
            {"file": str(file), "bytes": file.stat().st_size}
            for file in salvage.set_aside(self.file)
        ]

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._no_reads:
            if self._reader is None:
                self._reader = _connect(self.file)
                self._reader.execute("PRAGMA query_only = 1")
            self._reader.execute("BEGIN")
            try:
                return work(self._reader)
            finally:
                if self._reader.in_transaction:
                    self._reader.execute("ROLLBACK")

    def _close_reader(self) -> None:
        with self._no_reads:
            self._forget_reader()

    def _forget_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _write_all(self) -> None:
        more = True
        while more:
            batch: list[_Job[Any]] = []
            next_job = self._jobs.get()
            while next_job is not None:
                batch.append(next_job)
                if self._jobs.empty():
                    break
                next_job = self._jobs.get()
            else:
                more = False
            if batch:
                self._write_batch(batch)
        if self._db is not None:
            self._db.close()
        if self._owner is not None:
            self._owner.release()

    def _write_batch(self, batch: list[_Job[Any]]) -> None:
        changes: list[Change] = []
        try:
            db, owner = self._opened()
            done, changes = _commit(db, owner, batch)
        except Exception as error:  # noqa: BLE001 - the thread must survive and resolve every job
            self._note_damage(error)
            done = [(None, self._error(error))] * len(batch)
        for _, failure in done:
            if failure is not None:
                self._note_damage(failure)
        self._call(partial(self._answer, batch, done, changes))

    def _answer(
        self,
        batch: list[_Job[Any]],
        done: list[tuple[Any, Exception | None]],
        changes: list[Change],
    ) -> None:
        """Runs on the event loop: announce what a commit changed, then resolve its jobs."""
        try:
            if changes:
                self._announce(changes)
        finally:
            for job, (value, failure) in zip(batch, done, strict=True):
                if job.future is None or job.future.done():
                    continue
                if failure is None:
                    job.future.set_result(value)
                elif isinstance(failure, sqlite3.Error):
                    job.future.set_exception(self._error(failure))
                else:
                    job.future.set_exception(failure)

    def _call(self, work: Callable[[], None]) -> None:
        assert self._loop is not None
        # Once the loop is closed, no one is waiting.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(work)

    def _opened(self) -> tuple[sqlite3.Connection, Owner]:
        if self._db is None:
            private.folder(self.directory, self._log)
        if self._owner is None:
            self._owner = Owner(self.directory / "owners")
        if self._db is None:
            db = self._connected()
            try:
                recovery = _Job(self._recover, True)
                done, changes = _commit(db, self._owner, [recovery])
                if done[0][1] is not None:
                    raise done[0][1]
            except BaseException:
                db.close()
                raise
            self._db = db
            # Announced even if nothing changed: from now on the journal can be read.
            self._call(partial(self._announce, changes))
        return self._db, self._owner

    def _connected(self) -> sqlite3.Connection:
        """Open the file and update its schema; a damaged file is salvaged into a new one first."""
        if salvage.is_rebuilt(self.file):
            # The process that salvaged it died before it could put the new file in place.
            with self._no_reads:
                self._forget_reader()
                self._replace()
        elif self._owner is not None and not self._owner.neighbours():
            salvage.discard(self.file)
        try:
            size = self.file.stat().st_size
        except FileNotFoundError:
            size = 0
        db = _connect(self.file)
        try:
            # Checking a large file takes too long; its damage is found when a query meets it.
            if (self._suspect or size <= _CHECKED_BYTES) and not salvage.is_whole(
                db, thorough=self._suspect
            ):
                raise sqlite3.DatabaseError("malformed")
            prepare(db, self.file)
        except BaseException as error:
            db.close()
            if not salvage.is_damage(error):
                raise
            return self._salvaged()
        return db

    def _salvaged(self) -> sqlite3.Connection:
        self._require_alone()
        # Closing the reader may write to the file, and no one may keep reading a file set aside.
        with self._no_reads:
            self._forget_reader()
            try:
                saved = salvage.rebuild(self.file, _connect, prepare)
            except (sqlite3.Error, OSError) as error:
                failed = JournalError(
                    f"The journal {self.file} is damaged, and what can be read of it could not be "
                    f"saved ({error}). It was left as it is. Free disk space, check that its folder "
                    "can be written, or set c.TurnbookApp.journal_dir; then use Turnbook again."
                )
                self._log.error("turnbook: %s", failed)
                raise failed from error
            self._log.error(
                "turnbook: the journal was damaged. %s runs were saved, of %s a part or all is lost.",
                saved.runs,
                saved.damaged,
            )
            try:
                self._replace()
            except JournalError:
                salvage.discard(self.file)
                raise
        db = _connect(self.file)
        prepare(db, self.file)
        return db

    def _replace(self) -> None:
        self._require_alone()
        salvage.put_in_place(self.file)
        self._suspect = False
        self._log.error(
            "turnbook: a new journal has taken the place of a damaged one. The damaged file is %s.",
            salvage.set_aside(self.file)[-1],
        )

    def _require_alone(self) -> None:
        assert self._owner is not None
        if self._owner.neighbours():
            raise JournalError(
                f"The journal {self.file} is damaged, and other Jupyter servers use it. End them; "
                "the next one to start saves what can be read."
            )

    def _note_damage(self, error: Exception) -> None:
        # A query met damage: the next use reopens the file and salvages it.
        if salvage.is_damage(error):
            self._suspect = True
            if self._db is not None:
                self._db.close()
                self._db = None

    def _error(self, error: Exception) -> JournalError:
        if isinstance(error, JournalError):
            return error
        return JournalError(
            f"The journal {self.file} cannot be used ({error}). Free disk space, check that its "
            "folder can be written, or set c.TurnbookApp.journal_dir."
        )


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        # The leading mark keeps it from being parsed as JSON.
        return "\ufffd" + data.decode("utf-8", "replace")


def _meet_damage(tx: Tx) -> None:
    raise sqlite3.DatabaseError("database disk image is malformed")


def _connect(file: Path) -> sqlite3.Connection:
    # SQLite creates its companion files with the mode of the main file.
    private.file(file)
    # We begin transactions ourselves. One thread at a time uses a connection, but not
    # always the one that created it.
    db = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.text_factory = _text
    db.execute("PRAGMA foreign_keys = 1")
    return db


def prepare(db: sqlite3.Connection, file: Path) -> None:
    """Update a journal file, which may be empty, to the newest schema version."""
    # No effect on a file that already has tables.
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN IMMEDIATE")
    try:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > schema.VERSION:
            raise JournalError(
                f"The journal {file} was made by a newer Turnbook. Update Turnbook, "
                "or set c.TurnbookApp.journal_dir to another folder."
            )
        for step in schema.STEPS[version:]:
            for statement in schema.statements(step):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {schema.VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _commit(
    db: sqlite3.Connection, owner: Owner, batch: list[_Job[Any]]
) -> tuple[list[tuple[Any, Exception | None]], list[Change]]:
    durable = any(job.durable for job in batch)
    db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    done: list[tuple[Any, Exception | None]] = []
    changes: list[Change] = []
    db.execute("BEGIN IMMEDIATE")
    try:
        for job in batch:
            tx = Tx(db, owner)
            db.execute("SAVEPOINT job")
            try:
                done.append((job.work(tx), None))
                changes += tx.changes
            except Exception as error:
                if not db.in_transaction:
                    # On a full disk SQLite rolls back the whole transaction.
                    raise sqlite3.OperationalError(str(error)) from error
                db.execute("ROLLBACK TO job")
                done.append((None, error))
            db.execute("RELEASE job")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    return done, changes
