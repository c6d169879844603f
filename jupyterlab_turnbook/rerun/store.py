"""The store of a rerun: which requests were started, and what came back.

A request is in the store before it is sent, and its answer before it is shown. So a request whose
process died is known as started; it is never sent again unless the user asks for that.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..base import private
from ..records.javascript import well_formed
from .answer import Answer, nothing_known
from .plan import Wanted

T = TypeVar("T")

_VERSION = 1
_SCHEMA = """
CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    n INTEGER NOT NULL,
    state TEXT NOT NULL,
    request TEXT NOT NULL,
    model TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    answer TEXT,
    body BLOB,
    UNIQUE (key, n)
);
-- No key is sent while it is under way, or after its reply has come.
CREATE UNIQUE INDEX attempts_once ON attempts (key) WHERE state IN ('started', 'done');
"""
_LOST = (
    "The process that sent this request ended before the reply was stored. It may have been "
    "answered and billed, so it was not repeated."
)


class StoreError(Exception):
    """The store cannot be used; the message says what to do."""


class NotTwice(Exception):
    """The request was started before."""


@dataclass(frozen=True)
class Attempt:
    """The last attempt of a key."""

    id: str
    key: str
    n: int
    """How many attempts there were."""
    answer: Answer | None
    """None while it is under way."""


def store_beside(out: Path) -> Path:
    """The store of a results notebook."""
    return out.with_name(f"{out.stem}.rerun.sqlite")


def is_missing(last: Attempt | None, *, again: bool) -> bool:
    """Whether a request has to be sent; what may have been answered, only if that is wanted."""
    if last is None:
        return True
    if last.answer is None:
        return again
    return last.answer.state == "refused" or (again and not last.answer.is_good)


class Store:
    """A SQLite file that one process at a time has open. Writes are committed in batches."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="turnbook-rerun-store")
        self._jobs: list[tuple[Callable[[sqlite3.Connection], Any], asyncio.Future[Any]]] = []
        self._writing = False

    async def open(self) -> None:
        """Open the file, or make it; raises `StoreError` if another process has it open."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._open)

    async def close(self) -> None:
        """Write what is queued and close the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown()

    async def started(self, wanted: Wanted, attempt: str, at: int, *, again: bool = False) -> int:
        """Note, on the disk, that this request is about to be sent; returns its attempt's number.

        Raises `NotTwice` if it was sent before: unless the provider refused it, or `again` is set
        and there is no whole reply.
        """

        def work(db: sqlite3.Connection) -> int:
            last = db.execute(
                "SELECT n, state FROM attempts WHERE key = ? ORDER BY n DESC LIMIT 1",
                (wanted.key,),
            ).fetchone()
            may = ("refused", "unknown", "broken") if again else ("refused",)
            if last is not None and last["state"] not in may:
                raise NotTwice(wanted.key)
            n = 1 if last is None else last["n"] + 1
            db.execute(
                "INSERT INTO attempts (id, key, n, state, request, model, repeat, started_at)"
                " VALUES (?, ?, ?, 'started', ?, ?, ?, ?)",
                (
                    attempt,
                    wanted.key,
                    n,
                    wanted.request.hash,
                    str(wanted.request.target),
                    wanted.repeat,
                    at,
                ),
            )
            return n

        return await self._write(work)

    async def withdraw(self, attempt: str) -> None:
        """This request was not sent after all."""

        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM attempts WHERE id = ? AND state = 'started'", (attempt,))

        await self._write(work)

    async def ended(self, attempt: str, answer: Answer) -> None:
        """Note what came of a request; it is on the disk afterwards."""
        text = json.dumps(well_formed(answer.json()), ensure_ascii=False)
        body = None if answer.body is None else zlib.compress(answer.body)

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE attempts SET state = ?, answer = ?, body = ?"
                " WHERE id = ? AND state IN ('started', 'unknown')"
                # Unless it was sent again since then.
                " AND n = (SELECT max(n) FROM attempts AS a WHERE a.key = attempts.key)",
                (answer.state, text, body, attempt),
            )

        await self._write(work)

    async def open_ends(self) -> list[str]:
        """The attempts that were started and of which nothing is known."""
        query = "SELECT id FROM attempts WHERE state IN ('started', 'unknown')"
        return await self._write(lambda db: [row["id"] for row in db.execute(query)])

    async def give_up(self) -> int:
        """Call requests that a dead process had started unknown; returns how many there were."""
        text = json.dumps(nothing_known(_LOST).json())
        return await self._write(
            lambda db: (
                db.execute(
                    "UPDATE attempts SET state = 'unknown', answer = ? WHERE state = 'started'",
                    (text,),
                ).rowcount
            )
        )

    async def keys(self) -> set[str]:
        """The keys that were ever started."""
        query = "SELECT DISTINCT key FROM attempts"
        return await self._write(lambda db: {row["key"] for row in db.execute(query)})

    async def last(self, keys: Iterable[str]) -> dict[str, Attempt]:
        """The last attempt of each of these keys that has one."""
        wanted = set(keys)
        rows = await self._write(
            lambda db: db.execute("SELECT id, key, n, answer FROM attempts ORDER BY n").fetchall()
        )
        return {row["key"]: _attempt(row) for row in rows if row["key"] in wanted}

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.append((work, future))
        if not self._writing:
            self._writing = True
            loop.create_task(self._write_all())  # noqa: RUF006 - every writer waits for it
        # The write happens even if the caller is cancelled.
        return await asyncio.shield(future)

    async def _write_all(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._jobs:
                jobs, self._jobs = self._jobs, []
                try:
                    results = await loop.run_in_executor(self._thread, self._commit, jobs)
                except Exception as error:  # noqa: BLE001 - whoever waits has to hear of it
                    failed = self._error(error)
                    results = [failed] * len(jobs)
                for (_, future), result in zip(jobs, results, strict=True):
                    if future.cancelled():
                        continue
                    if isinstance(result, Exception):
                        future.set_exception(result)
                    else:
                        future.set_result(result)
        finally:
            self._writing = False

    def _commit(self, jobs: list[tuple[Callable[[sqlite3.Connection], Any], Any]]) -> list[Any]:
        assert self._db is not None
        results: list[Any] = []
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for work, _ in jobs:
                try:
                    results.append(work(self._db))
                except (NotTwice, sqlite3.IntegrityError) as error:
                    results.append(NotTwice(str(error)))
                except sqlite3.Error:
                    raise
                except Exception as error:  # noqa: BLE001 - the others' replies are stored
                    results.append(self._error(error))
            self._db.execute("COMMIT")
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        return results

    def _open(self) -> None:
        try:
            private.file(self.path)
            db = sqlite3.connect(self.path, isolation_level=None, timeout=0.2)
            db.row_factory = sqlite3.Row
            # Nobody else can open the file until this process ends.
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("BEGIN IMMEDIATE")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {_VERSION}")
            db.execute("COMMIT")
        except (sqlite3.Error, OSError, private.PrivateFileError) as error:
            raise self._error(error) from error
        if version not in (0, _VERSION):
            db.close()
            raise StoreError(f"{self.path} was made by a newer Turnbook. Update, or name another.")
        self._db = db

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _error(self, error: Exception) -> StoreError:
        if "locked" in str(error):
            return StoreError(
                f"Another rerun is using {self.path}. Wait for it, or name other results."
            )
        return StoreError(
            f"{self.path} cannot be used: {error}. See that the disk is not full and the folder is "
            "writable, or name another file with --store."
        )


def stored_bodies(path: Path) -> dict[tuple[str, int], bytes | None]:
    """The responses by key and attempt, compressed, from a store that no process has open."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
        rows = db.execute("SELECT key, n, body FROM attempts").fetchall()
    return {(key, n): body for key, n, body in rows}


def unpacked(body: bytes) -> bytes:
    """A response of `stored_bodies`; raises `ValueError` if its bytes were changed."""
    try:
        return zlib.decompress(body)
    except (zlib.error, TypeError) as error:
        raise ValueError(str(error)) from error


def _attempt(row: sqlite3.Row) -> Attempt:
    answer = None if row["answer"] is None else Answer.of(json.loads(row["answer"]))
    return Attempt(row["id"], row["key"], row["n"], answer)
