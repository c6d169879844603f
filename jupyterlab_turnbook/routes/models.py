"""`/models`: the models a user can choose."""

from __future__ import annotations

from .base import Route, TurnbookHandler


class ModelsHandler(TurnbookHandler):
    """`/models`."""

    async def get(self) -> None:
        """Every model of every provider that answered, and why the others did not."""
        refresh = self.get_query_argument("refresh", "0") == "1"
        self.answer(await self.turnbook.catalog.view(refresh=refresh))


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/models", ModelsHandler, {})]
