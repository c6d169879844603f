"""`/chats`: where chats were opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Route, TurnbookHandler
from .errors import api_errors

if TYPE_CHECKING:
    from ..app import TurnbookApp


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
        """Tell what the file at this path is."""
        path = self.read_json("openChat")["path"]
        with api_errors():
            opened = await self.turnbook.chats.open(chat, path)
        self.answer(opened.json())


def handlers(app: TurnbookApp) -> list[Route]:
    """The routes of this module."""
    return [(r"/chats", ChatsHandler, {}), (r"/chats/([^/]+)", ChatHandler, {})]
