"""How the journal's file is opened, on local disks and on those of the network."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ..base import private
from . import schema

_BUSY_SECONDS = 15
# What SQLite says if a log cannot be shared: no such memory, or none that all see.
_NOT_SHARED = ("disk I/O error", "locking protocol", "unable to open database file")
# What it says (from Python 3.11 on) if such memory could be had, but its file finds no room.
_NO_ROOM = ("SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN")


class JournalError(Exception):
    """The journal cannot be read or written; the message says what to check."""


def connect(file: Path) -> sqlite3.Connection:
    """Open a journal's file, or make it."""
    # SQLite creates its companion files with the mode of the main file.
    private.file(file)
    # We begin transactions ourselves. One thread at a time uses a connection, but not
    # always the one that created it.
    db = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    db.row_factory = sqlite3.Row
    db.text_factory = _text
    db.execute("PRAGMA foreign_keys = 1")
    return db


def settle(db: sqlite3.Connection, *, logged: bool) -> bool:
    """Choose how commits are made safe: with a log beside the file, or by journals of single commits.

    A log (WAL) needs memory that all who open the file share. False if the disk has none.
    """
    try:
        if not logged:
            # A log that is there already is then read without shared memory.
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
        # No effect on a file that already has tables.
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        wanted = "wal" if logged else "delete"
        mode = db.execute(f"PRAGMA journal_mode = {wanted}").fetchone()[0]
        db.execute("PRAGMA locking_mode = NORMAL")
        # The first use finds out whether memory can be shared, and releases the exclusive lock.
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        has_room = getattr(error, "sqlite_errorname", "") not in _NO_ROOM
        if not logged or not has_room or not any(words in str(error) for words in _NOT_SHARED):
            raise
        return False
    return bool(mode == wanted)


def prepare(db: sqlite3.Connection, file: Path) -> None:
    """Update a journal file, which may be empty, to the newest schema version."""
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


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        # The leading mark keeps it from being parsed as JSON.
        return "\ufffd" + data.decode("utf-8", "replace")
