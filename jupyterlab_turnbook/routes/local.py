"""`/local`: the embedded model's state, and fetching it."""

from __future__ import annotations

from .base import Route, TurnbookHandler


class LocalHandler(TurnbookHandler):
    """`/local`."""

    async def get(self) -> None:
        """Its state."""
        self.answer(self.turnbook.registry.local.status())


class LocalFetchHandler(TurnbookHandler):
    """`/local/fetch`."""

    async def post(self) -> None:
        """Start fetching what is missing."""
        local = self.turnbook.registry.local
        await local.fetch()
        self.answer(local.status(), 202)

    async def delete(self) -> None:
        """Cancel the fetch."""
        local = self.turnbook.registry.local
        local.cancel_fetch()
        await local.fetched()
        self.answer(local.status())


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/local", LocalHandler, {}), (r"/local/fetch", LocalFetchHandler, {})]
