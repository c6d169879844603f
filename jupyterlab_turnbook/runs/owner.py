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
        return _is_free(self._path(owner))

    def neighbours(self) -> list[str]:
        """The other processes that are alive."""
        return _living(self._directory, self)

    def release(self) -> None:
        """Release the lock; call this after the last run has ended."""
        os.close(self._descriptor)
        self._path(self.id).unlink(missing_ok=True)

    def _path(self, owner: str) -> Path:
        return self._directory / f"{uuid.UUID(owner)}.lock"


class Alone:
    """Holds the lock of the only server that may use a journal on a network disk."""

    def __init__(self, directory: Path, owner: Owner | None) -> None:
        private.subfolder(directory.parent, directory.name)
        self._descriptor = os.open(directory / "alone", os.O_RDWR | os.O_CREAT, 0o600)
        self.held = False
        """False if another server uses the journal."""
        try:
            # Servers that take the disk for a local one, or are of an earlier version, have no such lock.
            self.held = try_lock(self._descriptor) and not _living(directory, owner)
        finally:
            if not self.held:
                os.close(self._descriptor)

    def release(self) -> None:
        """Let another server use the journal."""
        os.close(self._descriptor)


def _is_free(path: Path) -> bool:
    """Whether no process holds a lock file; if so, it is removed."""
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


def _living(directory: Path, owner: Owner | None) -> list[str]:
    """The processes that are alive, without `owner`."""
    own = owner.id if owner is not None else None
    others = [file for file in directory.glob("*.lock") if file.stem != own and _is_id(file.stem)]
    return [file.stem for file in others if not _is_free(file)]


def _is_id(name: str) -> bool:
    try:
        return str(uuid.UUID(name)) == name
    except ValueError:
        return False
