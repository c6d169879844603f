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
    """The journal cannot be read or written; the text says what to look at."""


@dataclass(frozen=True)
class Change:
    """A run that a commit touched; without `state`, it only got more events."""

    run: str
    chat: str
    state: bool
    events: tuple[Event, ...] = ()
    """The events that it got."""
    now: Run | None = None
    """The run as its new state left it; None if that has to be read."""


@dataclass
class Tx:
    """What a writing job works with: the connection, this process, and the changes to announce."""

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
        """Announce a run once the transaction is on disk."""
        self.changes.append(Change(run, chat, state, events, now))


@dataclass
class _Job(Generic[T]):
    work: Callable[[Tx], T]
    durable: bool
    future: asyncio.Future[T] | None = None
    """Answered on the loop; the recovery, which nobody waits for, has none."""


class Journal:
    """Writes are queued and committed together; each is answered when it is on disk.

    `recover` runs once, in the first transaction. `announce` is called on the event loop with the
    changes of each commit, in their order and before the writers of that commit go on.
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
        """Held while something is read, and while the file is replaced."""
        self._reader: sqlite3.Connection | None = None

    @property
    def owner(self) -> str | None:
        """This process as the owner of runs, once the journal has been opened."""
        return self._owner.id if self._owner is not None else None

    async def open(self) -> None:
        """Open the file and recover the runs of dead processes, if that was not done yet."""
        if self._db is None:
            await self.write(lambda tx: None)

    async def write(self, work: Callable[[Tx], T], *, durable: bool = False) -> T:
        """Do `work` in a transaction; returns after the commit, with `durable` after an fsync.

        The work is done even if the caller is cancelled meanwhile.
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
        """Do `work` on one consistent state of the file."""
        if self._closed:
            raise JournalError(_CLOSED)
        loop = asyncio.get_running_loop()
        await self.open()
        try:
            return await loop.run_in_executor(self._reading, self._read, work)
        except sqlite3.Error as error:
            if not salvage.is_damage(error):
                raise self._error(error) from error
        # The writer saves what it can, into a new file.
        await loop.run_in_executor(self._reading, self._close_reader)
        with suppress(JournalError):
            await self.write(_meet_damage)
        await self.open()
        try:
            return await loop.run_in_executor(self._reading, self._read, work)
        except sqlite3.Error as error:
            raise self._error(error) from error

    async def close(self) -> None:
        """Write what is queued, then let the file and the owner's lock go."""
        if self._closed:
            return
        self._closed = True
        if self._thread is not None:
            self._jobs.put(None)
            await asyncio.to_thread(self._thread.join)
        await asyncio.get_running_loop().run_in_executor(self._reading, self._close_reader)
        self._reading.shutdown()

    def set_aside(self) -> list[dict[str, Any]]:
        """The contract's `setAside`: damaged journals in whose place this one is."""
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
        except Exception as error:  # noqa: BLE001 - the thread must live on, and each job be answered
            self._doubt(error)
            done = [(None, self._error(error))] * len(batch)
        for _, failure in done:
            if failure is not None:
                self._doubt(failure)
        self._call(partial(self._answer, batch, done, changes))

    def _answer(
        self,
        batch: list[_Job[Any]],
        done: list[tuple[Any, Exception | None]],
        changes: list[Change],
    ) -> None:
        """On the loop: tell what a commit changed, then let its writers go on."""
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
        # A loop that has been closed has nobody left who waits.
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
            # Told even if nothing changed: the journal can be read from now on.
            self._call(partial(self._announce, changes))
        return self._db, self._owner

    def _connected(self) -> sqlite3.Connection:
        """The file at its newest version; if it is damaged, a new one with what could be saved."""
        if salvage.is_rebuilt(self.file):
            # The process that made it died before it was in its place.
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
            # A large file takes long to read; there, damage is found when it is met.
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
        self._expect_nobody()
        # A reader that is closed writes to the file, and nobody may go on reading what is set aside.
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
        self._expect_nobody()
        salvage.put_in_place(self.file)
        self._suspect = False
        self._log.error(
            "turnbook: a new journal has taken the place of a damaged one. The damaged file is %s.",
            salvage.set_aside(self.file)[-1],
        )

    def _expect_nobody(self) -> None:
        assert self._owner is not None
        if self._owner.neighbours():
            raise JournalError(
                f"The journal {self.file} is damaged, and other Jupyter servers use it. End them; "
                "the next one to start saves what can be read."
            )

    def _doubt(self, error: Exception) -> None:
        # Damage that shows itself: the next use opens the file anew and saves what it can.
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
        # A mark in front makes sure that nobody takes it for JSON.
        return "\ufffd" + data.decode("utf-8", "replace")


def _meet_damage(tx: Tx) -> None:
    raise sqlite3.DatabaseError("database disk image is malformed")


def _connect(file: Path) -> sqlite3.Connection:
    # SQLite gives what it keeps beside the file the file's own mode.
    private.file(file)
    # Transactions are begun by hand. A connection is used by one thread, if not by its maker's.
    db = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.text_factory = _text
    db.execute("PRAGMA foreign_keys = 1")
    return db


def prepare(db: sqlite3.Connection, file: Path) -> None:
    """Bring a journal's file, which may be empty or of an older version, to the newest one."""
    # Without effect on a file that has tables; the retention sees to those.
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
            for statement in step.split(";"):
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
                    # A full disk makes SQLite roll everything back by itself.
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
