"""Knows which file is which chat; detects renamed and copied notebooks when they are opened."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from jupyter_core.utils import ensure_async
from jupyter_server.services.contents.manager import ContentsManager
from tornado.web import HTTPError

from .runs.journal import Journal
from .runs.transaction import Tx

Status = Literal["new", "known", "renamed", "copy", "unclaimed"]
Claim = Literal["take", "copy"]


@dataclass(frozen=True)
class Chat:
    """Which chat an opened file is. For a copy, `id` is the new id that the file must take."""

    id: str
    path: str
    status: Status
    copied_from: str | None
    unlanded: int = 0
    """If `unclaimed`: how many replies this file would get if it were this chat."""

    def json(self) -> dict[str, Any]:
        """The contract's `Chat`."""
        return {
            "chatId": self.id,
            "path": self.path,
            "status": self.status,
            "copiedFrom": self.copied_from,
            "unlanded": self.unlanded,
        }


@dataclass(frozen=True)
class KnownChat:
    """A chat and where its file was last seen."""

    id: str
    path: str | None
    exists: bool

    def json(self) -> dict[str, Any]:
        """The contract's `KnownChat`."""
        return {"chatId": self.id, "path": self.path, "exists": self.exists}


# Seconds to wait: files are written in place, so one may be incomplete for a moment.
_WAITS_FOR_A_WRITER = (0.05, 0.1, 0.2, 0.4)


class FileUnreadable(Exception):
    """A file exists but cannot be read."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The file {path} cannot be read, so it is not clear which file is this chat. Make it "
            "readable, then open the chat again."
        )


class Chats:
    """Remembers where each chat was last opened."""

    def __init__(self, journal: Journal, contents: ContentsManager) -> None:
        self._journal = journal
        self._contents = contents
        self._opening = asyncio.Lock()

    async def open(
        self, chat: str, path: str, *, moved_from: str | None = None, claim: Claim | None = None
    ) -> Chat:
        """Record that a notebook with this id was opened at this path; returns which chat it is.

        If the known file is gone and the chat has replies that are in no notebook, another file
        with this id gets them only if the page saw it being moved or the user says so.
        """
        # Serialized: two tabs that open the same copy must get the same new id.
        async with self._opening:
            known = await self._journal.read(lambda db: _path(db, chat))
            if known is None or known == path:
                status: Status = "new" if known is None else "known"
            elif claim == "copy" or await self._holds(known, chat):
                return await self._journal.write(lambda tx: _copy(tx, chat, path))
            else:
                status = "renamed"
                open_runs = await self._journal.read(lambda db: _unlanded(db, chat))
                if open_runs and claim != "take" and moved_from != known:
                    return Chat(chat, path, "unclaimed", None, open_runs)
            return await self._journal.write(lambda tx: _keep(tx, chat, path, status))

    async def list(self) -> list[KnownChat]:
        """The chats that were opened or have runs, and whether their files exist."""
        rows = await self._journal.read(_known)
        exists: Callable[..., Any] = self._contents.file_exists
        return [
            KnownChat(chat, path, path is not None and bool(await ensure_async(exists(path))))
            for chat, path in rows
        ]

    async def _holds(self, path: str, chat: str) -> bool:
        """Whether the file at this path is that chat; raises `FileUnreadable`."""
        exists: Callable[..., Any] = self._contents.file_exists
        for wait in (*_WAITS_FOR_A_WRITER, None):
            if not await ensure_async(exists(path)):
                return False
            try:
                return _chat_id(await self._text(path)) == chat
            except ValueError:
                if wait is not None:
                    await asyncio.sleep(wait)
        # It stays unparsable, so no one is writing it: it is not a notebook.
        return False

    async def _text(self, path: str) -> str:
        # Not as a notebook: if one is being written, Jupyter would restore its older version.
        get: Callable[..., Any] = self._contents.get
        try:
            model = await ensure_async(get(path, content=True, type="file", format="text"))
        except HTTPError as error:
            if error.status_code == 404:
                return "null"
            if error.status_code == 400:
                # Not text, or cut inside a character.
                raise ValueError(path) from error
            raise FileUnreadable(path) from error
        return str(model["content"])


def _chat_id(text: str) -> object:
    notebook = json.loads(text)
    metadata = notebook.get("metadata") if isinstance(notebook, dict) else None
    mark = metadata.get("turnbook") if isinstance(metadata, dict) else None
    return mark.get("chatId") if isinstance(mark, dict) else None


def _known(db: sqlite3.Connection) -> list[tuple[str, str | None]]:
    rows = db.execute(
        "SELECT id, path FROM chats UNION SELECT DISTINCT chat, NULL FROM runs"
        " WHERE chat NOT IN (SELECT id FROM chats) ORDER BY 2, 1"
    ).fetchall()
    return [(str(row[0]), None if row[1] is None else str(row[1])) for row in rows]


def _path(db: sqlite3.Connection, chat: str) -> str | None:
    row = db.execute("SELECT path FROM chats WHERE id = ?", (chat,)).fetchone()
    return None if row is None else str(row["path"])


def _unlanded(db: sqlite3.Connection, chat: str) -> int:
    row = db.execute(
        "SELECT count(*) FROM (SELECT pair FROM runs WHERE chat = ?1 AND landed = 0 AND dropped = 0"
        " AND damage IS NULL UNION"
        " SELECT pair FROM turns WHERE chat = ?1 AND retry_at IS NOT NULL)",
        (chat,),
    ).fetchone()
    return int(row[0])


def _keep(tx: Tx, chat: str, path: str, status: Status) -> Chat:
    tx.db.execute(
        "INSERT INTO chats (id, path) VALUES (?, ?)"
        " ON CONFLICT (id) DO UPDATE SET path = excluded.path",
        (chat, path),
    )
    return Chat(chat, path, status, None)


def _copy(tx: Tx, chat: str, path: str) -> Chat:
    # Reuse the id that another tab got for this copy, unless that chat has runs by now.
    row = tx.db.execute(
        "SELECT id FROM chats WHERE path = ? AND copied_from = ?"
        " AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.chat = chats.id)",
        (path, chat),
    ).fetchone()
    if row is not None:
        return Chat(row["id"], path, "copy", chat)
    made = str(uuid.uuid4())
    tx.db.execute("INSERT INTO chats (id, path, copied_from) VALUES (?, ?, ?)", (made, path, chat))
    return Chat(made, path, "copy", chat)
