"""What can be made to go wrong inside a server, while it runs and by command.

Lives in the process of the server under test, which `nursery` starts; nothing of it is shipped.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import resource
import signal
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

from jupyterlab_turnbook.routes.stream import StreamHandler
from jupyterlab_turnbook.runs import journal, live, opening
from jupyterlab_turnbook.runs.hub import Hub
from jupyterlab_turnbook.runs.states import ALIVE
from jupyterlab_turnbook.runs.transaction import Change
from jupyterlab_turnbook.runs.wire import Wire

from .vfs import DISK

_MOST_PAGES = 1_073_741_823


@dataclass
class Hooks:
    """The faults that are in force now."""

    signal: str = ""
    """KILL or TERM: sent to this process at the commit whose turn it is."""
    when: str = "before"
    """Before that commit, with its transaction open, or after it, when nobody was told of it."""
    commit: int = 0
    """How many commits away; 0 is never."""
    full: bool = False
    """Whether the journal's disk is full."""
    query_only: bool = False
    """Whether the journal cannot be written, as on a read-only disk."""
    save_fails: bool = False
    """Whether saving a notebook fails."""
    save_holds: bool = False
    """Whether a save that has begun waits before it writes."""
    saves: int = 0
    """How many saves wait."""
    failed: int = 0
    """How many saves have failed."""
    clock: float = 0
    """Seconds that the wall clock is ahead."""
    commits: int = 0
    """How many commits there were."""
    damaged: bool = False
    """Whether the next transaction meets a damaged page."""
    step: int = 0
    """How many statements or renames away the signal is; 0 is never."""
    steps: int = 0
    """How many of these there were."""
    refused: int = 0
    """How many transactions could not begin, or were to write to what cannot be written."""

    operation: int = 0
    """How many operations on the journal's files away the signal is; 0 is never."""
    operations: int = 0
    """How many of these there were."""
    slowness: float = 0
    """Seconds that each sync of the journal takes."""
    descriptors: int = 0
    """How many more files and connections can be open; 0 is no limit."""
    memory: int = 0
    """How many more bytes of memory can be had; 0 is no limit."""

    def update(self, wanted: dict[str, Any]) -> None:
        """Set what is named."""
        for name, value in wanted.items():
            setattr(self, name, value)
        DISK.slowness = self.slowness
        if "descriptors" in wanted:
            _limit(resource.RLIMIT_NOFILE, self.descriptors, _open_files)
        if "memory" in wanted:
            _limit(resource.RLIMIT_AS, self.memory, _used_memory)

    def about_to_commit(self) -> None:
        """The transaction is open and all is written into it."""
        self.commits += 1
        if self.commit > 0:
            self.commit -= 1
            if self.commit == 0 and self.when == "before":
                self._strike()

    def committed(self) -> None:
        """It is on disk, and nobody has been told."""
        if self.signal and self.commit == 0 and self.when == "after":
            self._strike()

    def about_to_step(self) -> None:
        """A statement or the renaming of a file."""
        self.steps += 1
        if self.step > 0:
            self.step -= 1
            if self.step == 0:
                self._strike()

    def operated(self, kind: str) -> None:
        """An operation on a file of the journal, after it."""
        self.operations += 1
        if self.operation > 0:
            self.operation -= 1
            if self.operation == 0:
                self._strike()

    def _strike(self) -> None:
        name, self.signal = self.signal, ""
        if name:
            os.kill(os.getpid(), signal.Signals[f"SIG{name}"])


def _limit(what: int, more: int, used: Callable[[], int]) -> None:
    _, most = resource.getrlimit(what)
    resource.setrlimit(what, (used() + more if more else most, most))


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def _used_memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


class FaultyConnection(sqlite3.Connection):
    """A connection to the journal that obeys the hooks."""

    hooks: Hooks
    _was_full = False
    _was_query_only = False

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        """Run a statement, with what should happen around a commit."""
        self.hooks.about_to_step()
        if sql.startswith("BEGIN IMMEDIATE"):
            self._obey()
        if sql != "COMMIT":
            return super().execute(sql, *args)
        self.hooks.about_to_commit()
        cursor = super().execute(sql)
        self.hooks.committed()
        return cursor

    def _obey(self) -> None:
        hooks = self.hooks
        hooks.refused += hooks.full or hooks.query_only
        if hooks.damaged:
            hooks.damaged = False
            raise sqlite3.DatabaseError("database disk image is malformed")
        if hooks.full != self._was_full:
            self._was_full = hooks.full
            # SQLite itself then says that the disk is full, as soon as a page is needed.
            pages = (
                super().execute("PRAGMA page_count").fetchone()[0] if hooks.full else _MOST_PAGES
            )
            super().execute(f"PRAGMA max_page_count = {pages}")
        if hooks.query_only != self._was_query_only:
            self._was_query_only = hooks.query_only
            super().execute(f"PRAGMA query_only = {int(hooks.query_only)}")


def install(hooks: Hooks, *, ping_seconds: float, silence_seconds: float) -> None:
    """Put the hooks where this process's server meets disk, clock and notebooks."""
    FaultyConnection.hooks = hooks
    connect = sqlite3.connect

    def faulty(file: Path, **options: Any) -> sqlite3.Connection:
        return connect(file, factory=FaultyConnection, **options)

    class Sqlite:
        """The module `sqlite3` as the journal sees it."""

        def __getattr__(self, name: str) -> Any:
            return faulty if name == "connect" else getattr(sqlite3, name)

    vars(opening)["sqlite3"] = Sqlite()
    StreamHandler.ping_seconds = ping_seconds
    StreamHandler.silence_seconds = silence_seconds
    # What takes the server a minute takes a moment here.
    live._FINISH_AGAIN = (0.05,) * 6
    _watch_renames(hooks)
    _jump_clock(hooks)
    _fail_saves(hooks)


def install_disk(
    hooks: Hooks, *, network: str = "", shared_memory: bool = True, record: str = ""
) -> None:
    """Put a disk below SQLite: one of the network, or one whose writes are put on record."""
    DISK.shared_memory = shared_memory
    DISK.watch = hooks.operated
    DISK.install()
    if network:
        vars(journal)["network_disk"] = lambda folder: network
    if record:
        DISK.record(Path(record))
        _mark_what_others_learn()


def _mark_what_others_learn() -> None:
    send, announce = Wire.send, Hub.announce

    async def noted(self: Wire, body: bytes, request: Any = None) -> Any:
        DISK.note("r", hashlib.sha256(body).hexdigest())
        return await send(self, body, request)

    def told(self: Hub, changes: list[Change]) -> None:
        for change in changes:
            if change.now is not None and change.now.state not in ALIVE:
                DISK.note("e", f"{change.run} {change.now.state}")
        announce(self, changes)

    Wire.send = noted  # type: ignore[method-assign]
    Hub.announce = told  # type: ignore[method-assign]


def _watch_renames(hooks: Hooks) -> None:
    rename = Path.rename

    def watched(self: Path, target: Any) -> Path:
        hooks.about_to_step()
        return rename(self, target)

    Path.rename = watched  # type: ignore[method-assign,assignment]


def _jump_clock(hooks: Hooks) -> None:
    real, real_ns = time.time, time.time_ns
    time.time = lambda: real() + hooks.clock
    time.time_ns = lambda: real_ns() + round(hooks.clock * 1_000_000_000)


def _fail_saves(hooks: Hooks) -> None:
    save: Any = AsyncLargeFileManager.save

    async def faulty(self: Any, model: Any, path: str = "") -> Any:
        if hooks.save_fails:
            hooks.failed += 1
            raise HTTPError(500, "The disk is full.")
        while hooks.save_holds:
            hooks.saves = 1
            await asyncio.sleep(0.01)
        hooks.saves = 0
        return await save(self, model, path)

    AsyncLargeFileManager.save = faulty  # type: ignore[method-assign]
