"""`/chats`: where chats were opened."""

from __future__ import annotations

import unicodedata

from .base import ApiError, Route, TurnbookHandler
from .errors import api_errors


class ChatsHandler(TurnbookHandler):
    """`/chats`."""

    async def get(self) -> None:
        """List the known chats."""
        with api_errors():
            chats = await self.turnbook.chats.list()
        self.answer({"chats": [chat.json() for chat in chats]})


class ChatHandler(TurnbookHandler):
    """`/chats/{chatId}`."""

    async def put(self, chat: str) -> None:
        """Return which chat the file at this path is."""
        chat = self.chat_id(chat)
        asked = self.read_json("openChat")
        path, moved_from = (_path(asked.get(key)) for key in ("path", "from"))
        assert path is not None
        with api_errors():
            opened = await self.turnbook.chats.open(
                chat, path, moved_from=moved_from, claim=asked.get("claim")
            )
        self.answer(opened.json())


def _path(path: str | None) -> str | None:
    if path is None:
        return None
    # Some pages send a leading slash for paths at the root.
    path = path.removeprefix("/").removesuffix("/")
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or any(
        unicodedata.category(each) in ("Cc", "Cs") for each in path
    ):
        raise ApiError(
            400,
            "bad-path",
            "That is not the path of a file below the server's root. Nothing was changed.",
        )
    return path


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/chats", ChatsHandler, {}), (r"/chats/([^/]+)", ChatHandler, {})]
