"""`/files`: whether a file below the server's root may be referred to, and how one is read."""

from __future__ import annotations

from typing import Any

from jupyter_core.utils import ensure_async

from ..base.places import kind_of
from ..base.reading import reading_of
from .base import ApiError, Route, TurnbookHandler

CONTENTS_RESOURCE = "contents"
"""Jupyter Server's own resource for files."""


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
        allowed = await ensure_async(
            self.authorizer.is_authorized(self, self.current_user, "read", CONTENTS_RESOURCE)
        )
        if not allowed:
            raise ApiError(403, "forbidden", "You may not read files on this server.")
        manager: Any = self.contents_manager
        # The contents API asks so, too: what is hidden is up to the manager.
        if not manager.allow_hidden and await ensure_async(manager.is_hidden(path)):
            raise ApiError(404, "not-found", f"{path} does not exist.")
        self.answer((await reading_of(manager, path)).json())


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/files", FilesHandler, {}), (r"/files/reading", ReadingHandler, {})]
