"""`/usage`: what the runs of all chats took."""

from __future__ import annotations

import re
from functools import partial

from ..runs import usage
from .base import ApiError, Route, TurnbookHandler
from .errors import api_errors

_STARTS = re.compile(rf"[0-9]{{1,15}}(,[0-9]{{1,15}}){{0,{usage.KEPT_DAYS - 1}}}")


class UsageHandler(TurnbookHandler):
    """`/usage`."""

    async def get(self) -> None:
        """The totals of days, by model."""
        text = self.get_query_argument("starts", "", strip=False)
        starts = [int(each) for each in text.split(",")] if _STARTS.fullmatch(text) else []
        if not starts or starts != sorted(set(starts)):
            raise ApiError(
                400, "bad-request", "`starts` is a list of up to 366 ascending times, with commas."
            )
        with api_errors():
            days = await self.journal.read(partial(usage.of_days, starts=starts))
        self.answer({"days": days})


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/usage", UsageHandler, {})]
