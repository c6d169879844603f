"""`/turns`: the attempts of one pair, and its retries."""

from __future__ import annotations

from functools import partial

from ..runs import queries
from ..runs.model import TurnKey
from .base import Route, TurnbookHandler
from .errors import api_errors


class TurnHandler(TurnbookHandler):
    """`/turns/{chat}/{pair}`."""

    async def get(self, chat: str, pair: str) -> None:
        """All attempts."""
        chat = self.chat_id(chat)
        with api_errors():
            attempts = await self.journal.read(partial(queries.attempts, chat=chat, pair=pair))
        listed = [{"run": each.run.json(), "usage": each.usage} for each in attempts]
        turn = attempts[-1].run.turn.json()
        self.answer({"chat": chat, "pair": pair, "turn": turn, "attempts": listed})


class RetryHandler(TurnbookHandler):
    """`/turns/{chat}/{pair}/retry`."""

    async def put(self, chat: str, pair: str) -> None:
        """Turn automatic retries on or off, or retry now."""
        chat = self.chat_id(chat)
        asked = self.read_json("retryTurn")
        turn = TurnKey(chat, pair, asked.get("sibling", 0))
        engine = self.turnbook.engine
        with api_errors():
            run = await engine.latest(turn)
            if "auto" in asked:
                run = await engine.set_auto(turn, asked["auto"])
            if asked.get("now"):
                run = await engine.retry_now(turn)
        self.answer({"chat": chat, "pair": pair, "turn": run.turn.json(), "run": run.json()})


def handlers() -> list[Route]:
    """The routes of this module."""
    turn = r"/turns/([^/]+)/([^/]+)"
    return [(turn, TurnHandler, {}), (rf"{turn}/retry", RetryHandler, {})]
