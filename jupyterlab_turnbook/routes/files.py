"""`/files`: whether a file below the server's root may be referred to."""

from __future__ import annotations

from ..base.places import kind_of
from .base import Route, TurnbookHandler


class FilesHandler(TurnbookHandler):
    """`/files`."""

    async def get(self) -> None:
        """Say what a path leads to, without reading it."""
        path = self.get_query_argument("path", "", strip=False)
        self.answer({"kind": kind_of(self.contents_manager, path)})


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/files", FilesHandler, {})]
