"""`/files`: whether a file below the server's root may be referred to."""

from __future__ import annotations

import os
import stat
from typing import Any, Literal

from jupyter_core.paths import is_hidden
from tornado import web

from .base import Route, TurnbookHandler

Kind = Literal["file", "missing", "outside", "hidden", "special"]


class FilesHandler(TurnbookHandler):
    """`/files`."""

    async def get(self) -> None:
        """Say what a path leads to, without reading it."""
        path = self.get_query_argument("path", "", strip=False)
        self.answer({"kind": kind_of(self.contents_manager, path)})


def kind_of(manager: Any, path: str) -> Kind:
    """What a path leads to.

    Jupyter's own manager follows links out of the root; what a manager without folders on this
    machine has is decided by that manager alone.
    """
    root = getattr(manager, "root_dir", "")
    if not root or not hasattr(manager, "_get_os_path"):
        return "file"
    try:
        place = manager._get_os_path(path.strip("/"))
    except web.HTTPError:
        return "outside"
    try:
        real = os.path.realpath(place)
        mode = os.stat(real).st_mode
    except (OSError, ValueError):
        return "missing"
    real_root = os.path.realpath(root)
    if os.path.commonpath([real, real_root]) != real_root:
        return "outside"
    if is_hidden(place, root) or is_hidden(real, real_root):
        return "hidden"
    return "file" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "special"


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/files", FilesHandler, {})]
