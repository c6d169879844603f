"""What paths of the server's contents lead to."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, Literal

from jupyter_core.paths import is_hidden
from tornado import web

Kind = Literal["file", "missing", "outside", "hidden", "special"]


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
    real_root = os.path.realpath(root)
    try:
        real = os.path.realpath(place)
        # Where a file would be written counts, too.
        if not _is_inside(real, real_root):
            return "outside"
        mode = os.stat(real).st_mode
    except (OSError, ValueError):
        return "missing"
    if is_hidden(place, root) or is_hidden(real, real_root):
        return "hidden"
    return "file" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "special"


def _is_inside(path: str, folder: str) -> bool:
    try:
        return os.path.commonpath([path, folder]) == folder
    except ValueError:
        # They are on different drives.
        return False


class NoPlace(ValueError):
    """Why a path cannot be used, as a text for the user."""


_WHY: dict[Kind, str] = {
    "missing": "{} does not exist.",
    "outside": "{} is outside of the folder that this Jupyter server shows.",
    "hidden": "{} is hidden, or in a hidden folder.",
    "special": "{} is not a file or a folder.",
}


class Places:
    """The files of a contents manager that are on this machine's disk."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    @property
    def root(self) -> str:
        """The folder that the server shows."""
        root = getattr(self._manager, "root_dir", "")
        if not root or not hasattr(self._manager, "_get_os_path"):
            raise NoPlace("The files of this Jupyter server are not on its own disk.")
        return os.path.realpath(root)

    def find(self, path: str) -> Path:
        """Where a file or a folder is; raises `NoPlace`."""
        _ = self.root
        kind = kind_of(self._manager, path)
        if kind != "file":
            raise NoPlace(_WHY[kind].format(path))
        return Path(self._manager._get_os_path(path.strip("/")))

    def place(self, path: str) -> Path:
        """Where a file is or would be, in a folder that exists; raises `NoPlace`."""
        folder, _, name = path.strip("/").rpartition("/")
        parent = self.find(folder)
        if not parent.is_dir():
            raise NoPlace(f"{folder} is not a folder.")
        if name.startswith("."):
            raise NoPlace(_WHY["hidden"].format(path))
        if name in ("", "..") or kind_of(self._manager, path) not in ("file", "missing"):
            raise NoPlace(f"{path} cannot be written. Name another file.")
        return Path(self._manager._get_os_path(path.strip("/")))
