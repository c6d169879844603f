"""Copies what can still be read of a damaged journal into a new file."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import schema

_LONGEST = 2**34
# SQLite's companion files. The main file comes last, so it is moved last.
_PARTS = ("-wal", "-shm", "-journal", "")
# Errors that may pass and do not mean that the row is damaged.
_TRANSIENT = ("locked", "full", "unable to open", "out of memory", "readonly")
_ROWS_AT_ONCE = 1000
_ABSENT = "none"
_LOST = "Its record was in a damaged part of the journal."
_NO_EVENTS = "A part of its reply was in a damaged part of the journal."


@dataclass(frozen=True)
class Salvaged:
    """How many runs were saved, and how many are damaged."""

    runs: int
    damaged: int


def is_whole(db: sqlite3.Connection, *, thorough: bool) -> bool:
    """Whether SQLite finds no damage; `thorough` also checks the indexes. Reads the whole file."""
    check = "integrity_check" if thorough else "quick_check"
    try:
        return bool(db.execute(f"PRAGMA {check}(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return False
        raise


def is_damage(error: BaseException) -> bool:
    """Whether an error means that the file itself is damaged, not that it is busy or full."""
    text = str(error)
    return isinstance(error, sqlite3.DatabaseError) and (
        "malformed" in text or "not a database" in text
    )


def rebuild(
    file: Path,
    connect: Callable[[Path], sqlite3.Connection],
    prepare: Callable[[sqlite3.Connection, Path], None],
) -> Salvaged:
    """Build a new journal beside a damaged one, with every row that can be read.

    The damaged file stays in place until `put_in_place`, so this may fail at any step.
    """
    made = _beside(file, "salvaging")
    _remove(made)
    _pad_to_size(file)
    try:
        old = connect(file)
        try:
            new = connect(made)
            try:
                _expect_damage(old)
                before = _data_version(old)
                prepare(new, made)
                saved = copy(old, new)
                # Puts everything into one file on disk, which can then be renamed.
                new.execute("PRAGMA journal_mode = DELETE")
            finally:
                new.close()
            if _data_version(old) != before:
                raise sqlite3.OperationalError("another server has written to it meanwhile")
        finally:
            # Closing may still write to the file, so take its state only afterwards.
            old.close()
        made.rename(_beside(file, f"salvaged-{'-'.join(_state(file))}"))
    except BaseException:
        _remove(made)
        raise
    return saved


def is_rebuilt(file: Path) -> bool:
    """Whether a new journal is complete but has not replaced the damaged one yet.

    It does not count if the damaged journal has changed since it was built: a server has used the
    old file in the meantime.
    """
    return _rebuilt(file) is not None


def discard(file: Path) -> None:
    """Remove new journals that were never put in place; the old file has been used since."""
    for made in _all_rebuilt(file):
        _remove(made)


def put_in_place(file: Path) -> None:
    """Set the damaged journal aside and replace it. Safe to repeat after a crash."""
    made = _rebuilt(file)
    if made is None:
        raise FileNotFoundError(f"There is no new journal for {file}")
    aside = _free_name(file)
    for ending in _PARTS:
        part = file.with_name(file.name + ending)
        if part.exists():
            part.rename(aside.with_name(aside.name + ending))
    made.rename(file)


def set_aside(file: Path) -> list[Path]:
    """The damaged journals that were replaced, oldest first."""
    found = [
        (int(number), each)
        for each in file.parent.glob(f"{file.stem}.damaged-*{file.suffix}")
        if (number := each.stem.rpartition("-")[2]).isdecimal()
    ]
    return [each for _, each in sorted(found)]


def _all_rebuilt(file: Path) -> list[Path]:
    return sorted(file.parent.glob(f"{file.stem}.salvaged*{file.suffix}"))


def _rebuilt(file: Path) -> Path | None:
    main, log = _state(file)
    for made in _all_rebuilt(file):
        of_main, _, of_log = made.stem.partition(".salvaged-")[2].partition("-")
        # A part that was already set aside cannot be compared, nor can it have changed.
        if main in (_ABSENT, of_main) and log in (_ABSENT, of_log):
            return made
    return None


def _state(file: Path) -> tuple[str, str]:
    """Fingerprints of the journal's file and of SQLite's log; they change with every commit."""
    return _stamp(file), _stamp(file.with_name(f"{file.name}-wal"))


def _stamp(file: Path) -> str:
    try:
        info = file.stat()
    except FileNotFoundError:
        return _ABSENT
    return f"{info.st_size:x}x{info.st_mtime_ns:x}" if info.st_size else _ABSENT


def _data_version(old: sqlite3.Connection) -> int | None:
    """A number that changes when another connection commits; None if it cannot be read."""
    try:
        return int(old.execute("PRAGMA data_version").fetchone()[0])
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return None
        raise


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
    # If the disk has no room for SQLite's own files, the journal looks empty. Raise instead.
    try:
        old.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise


def _pad_to_size(file: Path) -> None:
    # SQLite refuses to read a file that is shorter than its header says.
    with file.open("r+b") as opened:
        head = opened.read(32)
        if len(head) == 32 and head.startswith(b"SQLite format 3\0"):
            size = int.from_bytes(head[16:18], "big") * int.from_bytes(head[28:32], "big")
            if opened.seek(0, 2) < min(size, _LONGEST):
                opened.truncate(size)


def copy(old: sqlite3.Connection, new: sqlite3.Connection) -> Salvaged:
    """Copy every row that can be read. Runs that are not complete are set apart in `new`."""
    copied = _Copy(old, new)
    new.execute("PRAGMA foreign_keys = 0")
    new.execute("BEGIN")
    try:
        copied.chats()
        copied.pieces()
        copied.events()
        copied.runs()
        copied.usage()
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
        self._counted: dict[str, int] = {}
        self._copied: Counter[str] = Counter()

    def chats(self) -> None:
        for number in self._numbers("chats"):
            row = self._row("chats", number)
            if row is not None:
                self._insert("chats", row)

    def pieces(self) -> None:
        """Copy the pieces of requests. A run that lacks one cannot be read any more."""
        for number in self._numbers("pieces"):
            row = self._row("pieces", number)
            if row is not None:
                self._insert("pieces", row)

    def usage(self) -> None:
        """Copy what runs took; of a run whose row is lost that is unknown."""
        for number in self._numbers("usage"):
            row = self._row("usage", number)
            if row is not None:
                self._insert("usage", row)
        self._new.execute(schema.UNCOUNTED)

    def events(self) -> None:
        """Copy all events in key order, if every key can be read.

        Looking up one event also reads the rows that it is compared with, which may be damaged. So
        each page starts at a key that can be looked up, or at an offset from one.
        """
        counted, whole = self._all("SELECT run, count(*) AS events FROM events GROUP BY run")
        if not whole:
            return
        self._counted = {row["run"]: row["events"] for row in counted}
        keys = self._old.execute("SELECT run, n FROM events ORDER BY run, n")
        start: tuple[str, int] | None = None
        skipped = 0
        while page := keys.fetchmany(_ROWS_AT_ONCE):
            first = (page[0]["run"], page[0]["n"])
            if self._can_look_up(first):
                start, skipped = first, 0
            self._page(start, skipped, len(page))
            skipped += len(page)

    def _can_look_up(self, key: tuple[str, int]) -> bool:
        return self._all("SELECT n FROM events WHERE (run, n) >= (?, ?) LIMIT 1", *key)[1]

    def _page(self, start: tuple[str, int] | None, skipped: int, length: int) -> None:
        """Copy `length` events after the first `skipped`, leaving out those that cannot be read."""
        where = "WHERE (run, n) >= (?, ?)" if start else ""
        query = f"SELECT * FROM events {where} ORDER BY run, n LIMIT ? OFFSET ?"
        key = start or ()
        done = 0

        def keep(row: sqlite3.Row) -> None:
            nonlocal done
            self._event(row)
            done += 1

        while not self._each(keep, query, *key, length - done, skipped + done):
            # Python may read a row ahead, so ask for the next row alone before skipping it.
            at = done
            self._each(keep, query, *key, 1, skipped + at)
            done = at + 1

    def _event(self, row: sqlite3.Row) -> None:
        self._insert("events", row)
        self._copied[row["run"]] += 1

    def runs(self) -> None:
        places = self._places()
        for number in sorted(self._numbers("runs") | set(places)):
            row = self._row("runs", number)
            if row is not None:
                self._insert("runs", row)
                for table in ("segments", "responses"):
                    self._of_run(table, row["id"])
                self._turn(row["chat"], row["pair"], _sibling(row))
                if not self._events(row["id"]):
                    self._set_apart(row["id"], _NO_EVENTS)
                self.saved += 1
            elif number in places:
                self._lost(*places[number])
        self._new.execute("DELETE FROM events WHERE run NOT IN (SELECT id FROM runs)")
        self._new.execute("DELETE FROM segments WHERE piece NOT IN (SELECT id FROM pieces)")
        self._new.execute("DELETE FROM pieces WHERE id NOT IN (SELECT piece FROM segments)")

    def _lost(self, run: str, chat: str, pair: str, attempt: int) -> None:
        """Keep the place of a run known only from the indexes, so that no other run can take it."""
        self._turn(chat, pair, 0)
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

    def _turn(self, chat: str, pair: str, sibling: int) -> None:
        rows, _ = self._all("SELECT * FROM turns WHERE chat = ? AND pair = ?", chat, pair)
        for row in rows:
            self._insert("turns", row)
        # If the user's choice is lost, nothing may be sent automatically.
        self._new.execute(
            "INSERT OR IGNORE INTO turns (chat, pair, sibling, auto) VALUES (?, ?, ?, 0)",
            (chat, pair, sibling),
        )

    def _events(self, run: str) -> bool:
        """Copy a run's events, from both ends up to any damage. Returns whether all were copied."""
        if self._counted:
            return self._copied[run] == self._counted[run]
        query = "SELECT * FROM events WHERE run = ? ORDER BY n"
        whole = self._each(self._event, query, run)
        if not whole:
            self._each(self._event, f"{query} DESC", run)
        return whole

    def _of_run(self, table: str, run: str) -> None:
        rows, _ = self._all(f"SELECT * FROM {table} WHERE run = ?", run)
        for row in rows:
            self._insert(table, row)

    def _numbers(self, table: str) -> set[int]:
        """The row ids of a table, from the table and from each of its indexes."""
        indexes, _ = self._all(f"PRAGMA index_list({table})")
        queries = [f"SELECT rowid FROM {table} ORDER BY rowid {way}" for way in ("ASC", "DESC")]
        queries += [f"SELECT rowid FROM {table} INDEXED BY {index['name']}" for index in indexes]
        return {row[0] for query in queries for row in self._all(query)[0]}

    def _places(self) -> dict[int, tuple[str, str, str, int]]:
        """Maps row ids to run id, chat, pair and attempt, as far as the indexes hold them."""
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
        """The rows up to the first that cannot be read, and whether those are all of them."""
        rows: list[sqlite3.Row] = []
        return rows, self._each(rows.append, query, *values)

    def _each(self, use: Callable[[sqlite3.Row], None], query: str, *values: object) -> bool:
        """Call `use` with each row until one cannot be read. Returns whether all were read."""
        cursor: sqlite3.Cursor | None = None
        while True:
            try:
                cursor = cursor or self._old.execute(query, values)
                row = cursor.fetchone()
            except sqlite3.Error as error:
                if any(word in str(error) for word in _TRANSIENT):
                    raise
                return False
            if row is None:
                return True
            use(row)

    def _insert(self, table: str, row: sqlite3.Row) -> None:
        names = row.keys()
        self._new.execute(
            f"INSERT OR IGNORE INTO {table} ({', '.join(names)})"
            f" VALUES ({', '.join('?' * len(names))})",
            tuple(row),
        )


def _sibling(row: sqlite3.Row) -> int:
    # Journals of earlier versions have no such column.
    return row["sibling"] if "sibling" in row.keys() else 0  # noqa: SIM118 - a row's `in` looks at values
