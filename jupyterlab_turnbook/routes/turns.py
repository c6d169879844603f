"""`/turns`: the retrying of one pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Route, TurnbookHandler
from .errors import api_errors

if TYPE_CHECKING:
    from ..app import TurnbookApp


class RetryHandler(TurnbookHandler):
    """`/turns/{chat}/{pair}/retry`."""

    async def put(self, chat: str, pair: str) -> None:
        """Switch auto-retry, or retry once at once."""
        asked = self.read_json("retryTurn")
        engine = self.turnbook.engine
        with api_errors():
            run = await engine.latest(chat, pair)
            if "auto" in asked:
                run = await engine.set_auto(chat, pair, asked["auto"])
            if asked.get("now"):
                run = await engine.retry_now(chat, pair)
        self.answer({"chat": chat, "pair": pair, "turn": run.turn.json(), "run": run.json()})


def handlers(app: TurnbookApp) -> list[Route]:
    """The routes of this module."""
    return [(r"/turns/([^/]+)/([^/]+)/retry", RetryHandler, {})]
