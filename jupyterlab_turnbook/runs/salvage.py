"""A journal file that is damaged: what can be read of it goes into a new one."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_LONGEST = 2**34
# What SQLite keeps beside a file; the file itself is moved last.
_PARTS = ("-wal", "-shm", "-journal", "")
# Errors that say nothing about the row that was asked for.
_PASSING = ("locked", "full", "unable to open", "out of memory", "readonly")
_ROWS_AT_ONCE = 1000
_LOST = "Its record was in a damaged part of the journal."
_NO_EVENTS = "A part of its reply was in a damaged part of the journal."


@dataclass(frozen=True)
class Salvaged:
    """How much was saved."""

    runs: int
    damaged: int


def is_whole(db: sqlite3.Connection, *, thorough: bool) -> bool:
    """Whether the file's pages fit together, if `thorough` also its indexes. Reads all of them."""
    check = "integrity_check" if thorough else "quick_check"
    try:
        return bool(db.execute(f"PRAGMA {check}(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return False
        raise


def is_damage(error: BaseException) -> bool:
    """Whether an error says that the file itself is damaged, rather than busy or full."""
    text = str(error)
    return isinstance(error, sqlite3.DatabaseError) and (
        "malformed" in text or "not a database" in text
    )


def rebuild(
    file: Path,
    connect: Callable[[Path], sqlite3.Connection],
    prepare: Callable[[sqlite3.Connection, Path], None],
) -> Salvaged:
    """Make a new journal beside a damaged one, with every row that can be read.

    The damaged one stays where it is until `put_in_place`, so that this can fail at any step.
    """
    made = _beside(file, "salvaging")
    _remove(made)
    _fill_up(file)
    old = connect(file)
    try:
        new = connect(made)
        try:
            _expect_damage(old)
            prepare(new, made)
            saved = copy(old, new)
            # All in one file, and on disk: from now on it can be renamed.
            new.execute("PRAGMA journal_mode = DELETE")
        finally:
            new.close()
        made.rename(_beside(file, "salvaged"))
    except BaseException:
        _remove(made)
        raise
    finally:
        old.close()
    return saved


def is_rebuilt(file: Path) -> bool:
    """Whether a new journal is complete and waits to be put in the place of the damaged one."""
    return _beside(file, "salvaged").exists()


def discard(file: Path) -> None:
    """Remove a new journal that was not put in place: the other one has gone on without it."""
    _remove(_beside(file, "salvaged"))


def put_in_place(file: Path) -> None:
    """Set the damaged journal aside and put the new one in its place; may be cut off and repeated."""
    aside = _free_name(file)
    for ending in _PARTS:
        part = file.with_name(file.name + ending)
        if part.exists():
            part.rename(aside.with_name(aside.name + ending))
    _beside(file, "salvaged").rename(file)


def set_aside(file: Path) -> list[Path]:
    """The damaged journals that were replaced, oldest first."""
    found = [
        (int(number), each)
        for each in file.parent.glob(f"{file.stem}.damaged-*{file.suffix}")
        if (number := each.stem.rpartition("-")[2]).isdecimal()
    ]
    return [each for _, each in sorted(found)]


def _free_name(file: Path) -> Path:
    number = 1
    while (aside := _beside(file, f"damaged-{number}")).exists():
        number += 1
    return aside


def _beside(file: Path, name: str) -> Path:
    return file.with_name(f"{file.stem}.{name}{file.suffix}")


def _remove(file: Path) -> None:
    for ending in _PARTS:
        file.with_name(file.name + ending).unlink(missing_ok=True)


def _expect_damage(old: sqlite3.Connection) -> None:
    # A disk without room for SQLite's own files looks like a journal without rows.
    try:
        old.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise


def _fill_up(file: Path) -> None:
    # SQLite reads nothing of a file that is shorter than its head says.
    with file.open("r+b") as opened:
        head = opened.read(32)
        if len(head) == 32 and head.startswith(b"SQLite format 3\0"):
            size = int.from_bytes(head[16:18], "big") * int.from_bytes(head[28:32], "big")
            if opened.seek(0, 2) < min(size, _LONGEST):
                opened.truncate(size)


def copy(old: sqlite3.Connection, new: sqlite3.Connection) -> Salvaged:
    """Copy every row that can be read; runs that cannot, or only in part, are set apart in `new`."""
    copied = _Copy(old, new)
    new.execute("PRAGMA foreign_keys = 0")
    new.execute("BEGIN")
    try:
        copied.chats()
        copied.events()
        copied.runs()
        new.execute("COMMIT")
    except BaseException:
        if new.in_transaction:
            new.execute("ROLLBACK")
        raise
    return Salvaged(copied.saved, copied.damaged)


class _Copy:
    def __init__(self, old: sqlite3.Connection, new: sqlite3.Connection) -> None:
        self._old = old
        self._new = new
        self.saved = 0
        self.damaged = 0
        self._counted: Counter[str] = Counter()
        self._copied: Counter[str] = Counter()

    def chats(self) -> None:
        for number in self._numbers("chats"):
            row = self._row("chats", number)
            if row is not None:
                self._insert("chats", row)

    def events(self) -> None:
        """Copy events in the order of the file, if their numbers can be read there.

        Looking for those of one run would also read those it is compared with on the way, which may
        be the damaged ones.
        """
        keys, whole = self._all("SELECT run FROM events")
        if not whole:
            return
        self._counted.update(row["run"] for row in keys)
        at, limit = 0, _ROWS_AT_ONCE
        while at < len(keys):
            query = "SELECT run, n, data FROM events LIMIT ? OFFSET ?"
            rows, whole = self._all(query, limit, at)
            for row in rows:
                self._insert("events", row)
                self._copied[row["run"]] += 1
            at += len(rows)
            if whole:
                continue
            # Which one it is shows one by one, since Python reads a row ahead; then pass over it.
            at, limit = (at + 1, _ROWS_AT_ONCE) if limit == 1 else (at, 1)

    def runs(self) -> None:
        places = self._places()
        for number in sorted(self._numbers("runs") | set(places)):
            row = self._row("runs", number)
            if row is not None:
                self._insert("runs", row)
                self._turn(row["chat"], row["pair"])
                if not self._events(row["id"]):
                    self._set_apart(row["id"], _NO_EVENTS)
                self.saved += 1
            elif number in places:
                self._lost(*places[number])
        self._new.execute("DELETE FROM events WHERE run NOT IN (SELECT id FROM runs)")

    def _lost(self, run: str, chat: str, pair: str, attempt: int) -> None:
        """A run of which only the indexes know: its place may not be taken by another."""
        self._turn(chat, pair)
        self._new.execute(
            "INSERT OR IGNORE INTO runs (id, chat, pair, attempt, provider, model, state, owner,"
            " hash, body, cell, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, '', '', 'unknown', '', '', x'', '{}', 0, 0)",
            (run, chat, pair, attempt),
        )
        self._events(run)
        self._set_apart(run, _LOST)

    def _set_apart(self, run: str, why: str) -> None:
        self.damaged += 1
        self._new.execute("UPDATE runs SET damage = ?, state = 'unknown' WHERE id = ?", (why, run))
        self._new.execute(
            "UPDATE turns SET auto = 0, retry_at = NULL"
            " WHERE (chat, pair) IN (SELECT chat, pair FROM runs WHERE id = ?)",
            (run,),
        )

    def _turn(self, chat: str, pair: str) -> None:
        rows, _ = self._all("SELECT * FROM turns WHERE chat = ? AND pair = ?", chat, pair)
        for row in rows:
            self._insert("turns", row)
        # What the user wanted may not be known any more; then nothing is sent by itself.
        self._new.execute(
            "INSERT OR IGNORE INTO turns (chat, pair, auto) VALUES (?, ?, 0)", (chat, pair)
        )

    def _events(self, run: str) -> bool:
        """Copy a run's events from both ends up to what cannot be read; whether there was none."""
        if self._counted:
            return self._copied[run] == self._counted[run]
        query = "SELECT run, n, data FROM events WHERE run = ? ORDER BY n"
        rows, whole = self._all(query, run)
        if not whole:
            rows += self._all(f"{query} DESC", run)[0]
        for row in rows:
            self._insert("events", row)
        return whole

    def _numbers(self, table: str) -> set[int]:
        """The numbers of a table's rows, from the table and from each of its indexes."""
        indexes, _ = self._all(f"PRAGMA index_list({table})")
        queries = [f"SELECT rowid FROM {table} ORDER BY rowid {way}" for way in ("ASC", "DESC")]
        queries += [f"SELECT rowid FROM {table} INDEXED BY {index['name']}" for index in indexes]
        return {row[0] for query in queries for row in self._all(query)[0]}

    def _places(self) -> dict[int, tuple[str, str, str, int]]:
        """Id, chat, pair and attempt by the number of the row, as far as the indexes know them."""
        ids, _ = self._all("SELECT rowid, id FROM runs INDEXED BY sqlite_autoindex_runs_1")
        places, _ = self._all(
            "SELECT rowid, chat, pair, attempt FROM runs INDEXED BY sqlite_autoindex_runs_2"
        )
        named = {row["rowid"]: row["id"] for row in ids}
        return {
            row["rowid"]: (
                named.get(row["rowid"], f"lost-{row['rowid']}"),
                row["chat"],
                row["pair"],
                row["attempt"],
            )
            for row in places
        }

    def _row(self, table: str, number: int) -> sqlite3.Row | None:
        rows, _ = self._all(f"SELECT * FROM {table} WHERE rowid = ?", number)
        return rows[0] if rows else None

    def _all(self, query: str, *values: object) -> tuple[list[sqlite3.Row], bool]:
        """The rows up to the first that cannot be read, and whether these are all."""
        rows: list[sqlite3.Row] = []
        try:
            for row in self._old.execute(query, values):
                rows.append(row)
        except sqlite3.Error as error:
            if any(word in str(error) for word in _PASSING):
                raise
            return rows, False
        return rows, True

    def _insert(self, table: str, row: sqlite3.Row) -> None:
        names = row.keys()
        self._new.execute(
            f"INSERT OR IGNORE INTO {table} ({', '.join(names)})"
            f" VALUES ({', '.join('?' * len(names))})",
            tuple(row),
        )
