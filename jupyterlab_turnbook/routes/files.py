"""`/files`: whether a file below the server's root may be referred to, and how one is read."""

from __future__ import annotations

from ..base.places import kind_of
from ..base.reading import reading_of
from .base import Route, TurnbookHandler


class FilesHandler(TurnbookHandler):
    """`/files`."""

    async def get(self) -> None:
        """Say what a path leads to, without reading it."""
        path = self.get_query_argument("path", "", strip=False)
        self.answer({"kind": kind_of(self.contents_manager, path)})


class ReadingHandler(TurnbookHandler):
    """`/files/reading`."""

    async def get(self) -> None:
        """Say how the server would read a notebook."""
        path = self.get_query_argument("path", "", strip=False)
        self.answer((await reading_of(self.contents_manager, path)).json())


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/files", FilesHandler, {}), (r"/files/reading", ReadingHandler, {})]
