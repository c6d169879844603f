"""A file lock that shows a server process is alive; the system releases it on death."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from ..base import private
from ..base.filelock import try_lock


class Owner:
    """This process as the owner of runs."""

    def __init__(self, directory: Path) -> None:
        self.id = str(uuid.uuid4())
        self._directory = directory
        private.subfolder(directory.parent, directory.name)
        self._descriptor = os.open(self._path(self.id), os.O_RDWR | os.O_CREAT, 0o600)
        if not try_lock(self._descriptor):
            os.close(self._descriptor)
            raise OSError(f"{self._path(self.id)} is locked by another process")

    def is_dead(self, owner: str) -> bool:
        """Whether the process with this id is dead; if so, its lock file is removed."""
        if owner == self.id:
            return False
        path = self._path(owner)
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return True
        try:
            free = try_lock(descriptor)
        finally:
            os.close(descriptor)
        if free:
            path.unlink(missing_ok=True)
        return free

    def neighbours(self) -> list[str]:
        """The other processes that are alive."""
        others = [file.stem for file in self._directory.glob("*.lock") if file.stem != self.id]
        return [owner for owner in others if _is_id(owner) and not self.is_dead(owner)]

    def release(self) -> None:
        """Release the lock; call this after the last run has ended."""
        os.close(self._descriptor)
        self._path(self.id).unlink(missing_ok=True)

    def _path(self, owner: str) -> Path:
        return self._directory / f"{uuid.UUID(owner)}.lock"


def _is_id(name: str) -> bool:
    try:
        return str(uuid.UUID(name)) == name
    except ValueError:
        return False
