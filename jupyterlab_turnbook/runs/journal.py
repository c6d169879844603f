"""The journal: a SQLite file with one writer thread, off the event loop."""

from __future__ import annotations

import asyncio
import logging
import math
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..base import private
from ..base.disks import network_disk
from . import opening, salvage
from .opening import JournalError as JournalError
from .owner import Alone, Owner
from .transaction import Change, Done, Job, Joined, Tx, Writer

T = TypeVar("T")

# How far commits of chunks alone are apart at least.
_TICK_SECONDS = 0.004
_CHECKED_BYTES = 64 * 1024 * 1024
# How far commits are synced, and durable ones. Without a log, less than FULL may damage the file, and
# a commit that is not EXTRA can be undone by a power cut: the deletion of its journal is not synced.
_LOGGED = ("NORMAL", "FULL")
_UNLOGGED = ("FULL", "EXTRA")
_CLOSED = "The journal is closed: the server is shutting down."


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
        self._jobs: queue.SimpleQueue[Job[Any] | None] = queue.SimpleQueue()
        self._held: list[Job[Any]] = []
        """Writes that wait a moment for others that can be done together with them."""
        self._flushing: asyncio.TimerHandle | None = None
        self._flushed_at = -math.inf
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._writer: Writer | None = None
        self._owner: Owner | None = None
        self._alone: Alone | None = None
        self.network_disk: str | None = None
        """The kind of network disk that the file is on: one server at a time can use it there."""
        self._was_open = False
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="turnbook-journal-reader")
        self._no_reads = threading.Lock()
        """Held during a read, and while the file is being replaced."""
        self._reader: sqlite3.Connection | None = None

    @property
    def owner(self) -> str | None:
        """The id of this process as an owner of runs, once the journal has been opened."""
        return self._owner.id if self._owner is not None else None

    @property
    def _synced(self) -> tuple[str, str]:
        return _LOGGED if self.network_disk is None else _UNLOGGED

    async def open(self) -> None:
        """Open the file and end the runs of dead processes, unless that has been done."""
        if self._writer is None:
            await self.write(lambda tx: None)

    async def write(self, work: Callable[[Tx], T], *, durable: bool = False) -> T:
        """Run `work` in a transaction; returns after the commit, if `durable` after an fsync.

        The write happens even if the caller is cancelled.
        """
        return await self.submit(work, durable=durable)

    def submit(self, work: Callable[[Tx], T], *, durable: bool = False) -> asyncio.Future[T]:
        """Like `write`, but queues the work at once. Writes are done in the order of these calls."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self._closed:
            future.set_exception(JournalError(_CLOSED))
            return future
        if self._thread is None:
            self._loop = loop
            self._thread = threading.Thread(
                target=self._write_all, name="turnbook-journal", daemon=True
            )
            self._thread.start()
        job = Job(work, durable, future)
        if isinstance(work, Joined):
            self._held.append(job)
            if self._flushing is None:
                self._flushing = loop.call_at(self._flushed_at + _TICK_SECONDS, self._flush)
                if loop.time() >= self._flushed_at + _TICK_SECONDS:
                    self._flush()
        else:
            self._flush()
            self._jobs.put(job)
        return future

    def _flush(self) -> None:
        """Hand what is held back to the writer."""
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None
            self._flushed_at = asyncio.get_running_loop().time()
        for job in self._held:
            self._jobs.put(job)
        self._held.clear()

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
            self._flush()
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
                self._reader = opening.connect(self.file)
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
            batch: list[Job[Any]] = []
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
        if self._writer is not None:
            self._writer.db.close()
        self._release_owner()
        self._release_disk()

    def _release_owner(self) -> None:
        if self._owner is not None:
            self._owner.release()
            self._owner = None

    def _release_disk(self) -> None:
        if self._alone is not None:
            self._alone.release()
        self._alone = self.network_disk = None

    def _write_batch(self, batch: list[Job[Any]]) -> None:
        changes: list[Change] = []
        try:
            done, changes = self._opened().commit(batch)
        except Exception as error:  # noqa: BLE001 - the thread must survive and resolve every job
            self._note_damage(error)
            done = [(None, self._error(error))] * len(batch)
        for _, failure in done:
            if failure is not None:
                self._note_damage(failure)
        self._call(partial(self._answer, batch, done, changes))

    def _answer(
        self,
        batch: list[Job[Any]],
        done: list[Done],
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

    def _opened(self) -> Writer:
        if self._writer is not None:
            return self._writer
        private.folder(self.directory, self._log)
        had_disk = self._alone is not None
        try:
            self._look_at_disk(network_disk(self.directory))
            if self._owner is None:
                self._owner = Owner(self.directory / private.OWNERS)
            db = self._connected()
            try:
                writer = Writer(db, self._owner, self._synced)
                done, changes = writer.commit([Job(self._recover, True)])
                if done[0][1] is not None:
                    raise done[0][1]
            except BaseException:
                db.close()
                raise
        except BaseException:
            # Who cannot use the file stands in nobody's way, and what seemed to be a network disk may
            # have been a full one.
            if not self._was_open:
                self._release_owner()
            if not self._was_open or not had_disk:
                self._release_disk()
            raise
        if self.network_disk is not None and not (self._was_open and had_disk):
            self._log.warning(
                "turnbook: the journal %s is on a network disk (%s). It is written more slowly there, and by "
                "one Jupyter server at a time. Set c.TurnbookApp.journal_dir to a folder on a local disk.",
                self.file,
                self.network_disk,
            )
        self._was_open = True
        self._writer = writer
        # Announced even if nothing changed: from now on the journal can be read.
        self._call(partial(self._announce, changes))
        return writer

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
        db = opening.connect(self.file)
        try:
            if not opening.settle(db, logged=self.network_disk is None):
                db = self._unlogged(db)
            # Checking a large file takes too long; its damage is found when a query meets it.
            if (self._suspect or size <= _CHECKED_BYTES) and not salvage.is_whole(
                db, thorough=self._suspect
            ):
                raise sqlite3.DatabaseError("malformed")
            opening.prepare(db, self.file)
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
                saved = salvage.rebuild(self.file, opening.connect, self._prepare)
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
        db = opening.connect(self.file)
        self._prepare(db, self.file)
        return db

    def _unlogged(self, db: sqlite3.Connection) -> sqlite3.Connection:
        """Open the file again, on a disk that turned out to have no shared memory."""
        db.close()
        self._look_at_disk("without shared memory")
        db = opening.connect(self.file)
        opening.settle(db, logged=False)
        return db

    def _prepare(self, db: sqlite3.Connection, file: Path) -> None:
        opening.settle(db, logged=self.network_disk is None)
        opening.prepare(db, file)

    def _look_at_disk(self, kind: str | None) -> None:
        """Take note of a network disk; raises if another server uses the journal there."""
        if kind is None or self._alone is not None:
            return
        alone = Alone(self.directory / private.OWNERS, self._owner)
        if not alone.held:
            raise JournalError(
                f"The journal {self.file} is on a network disk ({kind}), where one Jupyter server at a "
                "time can use it, and another one does. End that server, or set "
                "c.TurnbookApp.journal_dir to a folder of this server's own, best on a local disk."
            )
        self._alone, self.network_disk = alone, kind

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
            if self._writer is not None:
                self._writer.db.close()
                self._writer = None

    def _error(self, error: Exception) -> JournalError:
        if isinstance(error, JournalError):
            return error
        return JournalError(
            f"The journal {self.file} cannot be used ({error}). Free disk space, check that its "
            "folder can be written, or set c.TurnbookApp.journal_dir."
        )


def _meet_damage(tx: Tx) -> None:
    raise sqlite3.DatabaseError("database disk image is malformed")
