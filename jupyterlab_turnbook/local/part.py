"""A file that is being downloaded: hidden, locked, and renamed once its SHA-256 is right."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path

from ..base import private
from ..base.filelock import try_lock
from .errors import FetchFailed

MARGIN = 200_000_000
"""Bytes that are left free on the disk."""


@dataclass(frozen=True)
class Wanted:
    """What the hub says of a file."""

    sha256: str
    size: int


def part_of(target: Path) -> Path:
    """Where the beginning of a file is kept."""
    return target.with_name(f".{target.name}.part")


def _note_of(target: Path) -> Path:
    return target.with_name(f".{target.name}.part.json")


def arrived(target: Path) -> int:
    """How many bytes of a file an earlier download left."""
    try:
        return part_of(target).stat().st_size
    except OSError:
        return 0


def remove(target: Path) -> None:
    """Delete a file and what is left of its download; raises `FetchFailed` if another has it."""
    path = part_of(target)
    try:
        file = path.open("r+b", buffering=0)
    except FileNotFoundError:
        target.unlink(missing_ok=True)
        _note_of(target).unlink(missing_ok=True)
        return
    with file:
        _own(file, path)
        target.unlink(missing_ok=True)
        _drop(file, target)


def _drop(file: FileIO, target: Path) -> None:
    """Delete the beginning of a file, which is open and locked."""
    if os.name == "nt":
        # An open file cannot be deleted there.
        file.close()
    for path in (part_of(target), _note_of(target)):
        path.unlink(missing_ok=True)


def _own(file: FileIO, path: Path) -> None:
    # Whoever had it locked may have renamed it meanwhile; that is another file.
    if not try_lock(file.fileno()) or not _is_at(file, path):
        raise FetchFailed(
            "Another Jupyter server is downloading this model into the same folder. Wait for it."
        )


class Part:
    """The beginning of a file, open for writing. All methods block; call them in a thread."""

    def __init__(self, target: Path, wanted: Wanted) -> None:
        self._target = target
        self._path = part_of(target)
        self._wanted = wanted
        self._stopped = threading.Event()
        with in_words(self._path):
            private.folder(target.parent.parent)
            # An existing folder may hold models that others read, so it is not made private.
            target.parent.mkdir(mode=private.FOLDER_MODE, exist_ok=True)
            private.file(self._path)
            # Without a buffer, closing it writes nothing and cannot fail for lack of room.
            self._file = self._path.open("r+b", buffering=0)
        try:
            with in_words(self._path):
                _own(self._file, self._path)
            self._keep_or_empty()
            self._check_room()
        except BaseException:
            self._file.close()
            raise

    @property
    def size(self) -> int:
        """How much is there."""
        return self._size

    def write(self, data: bytes) -> None:
        """Append; raises `FetchFailed` if the disk is full or more arrives than there should be."""
        if self._size + len(data) > self._wanted.size:
            self.empty()
            raise FetchFailed("The hub sent more than the file has. Try again.")
        left = memoryview(data)
        with in_words(self._path):
            while left:
                written = self._file.write(left)
                self._size += written
                left = left[written:]

    def empty(self) -> None:
        """Begin again."""
        with in_words(self._path):
            self._file.seek(0)
            self._file.truncate()
        self._size = 0

    def finish(self) -> None:
        """Check the SHA-256 and give the file its name; other bytes are deleted."""
        with in_words(self._path):
            os.fsync(self._file.fileno())
            sha256 = self._sha256()
            # The lock belongs to the open file, and what is renamed or deleted is at the path.
            if not _is_at(self._file, self._path):
                raise FetchFailed(
                    f"{self._path} was deleted or replaced while it was downloaded. Try again."
                )
            if sha256 != self._wanted.sha256:
                _drop(self._file, self._target)
                raise FetchFailed(
                    "What arrived is not the file that the hub describes: its SHA-256 differs. It "
                    "was deleted. Try again."
                )
            if os.name == "nt":
                # An open file cannot be renamed there.
                self._file.close()
            os.replace(self._path, self._target)
            _note_of(self._target).unlink(missing_ok=True)

    def stop(self) -> None:
        """End a check that runs in another thread."""
        self._stopped.set()

    def close(self) -> None:
        """Close the file; what is there stays."""
        with in_words(self._path):
            self._file.close()

    def _keep_or_empty(self) -> None:
        """Keep what is there if it is of the same file."""
        note = json.dumps(asdict(self._wanted))
        with in_words(self._path):
            self._size = self._file.seek(0, os.SEEK_END)
            if _read(_note_of(self._target)) != note or self._size > self._wanted.size:
                self.empty()
                private.file(_note_of(self._target)).write_text(note, "utf-8")

    def _check_room(self) -> None:
        needed = self._wanted.size - self._size + MARGIN
        with in_words(self._path):
            free = shutil.disk_usage(self._path.parent).free
        if free < needed:
            raise FetchFailed(
                f"{self._path.parent} has {free / 1e9:.1f} GB free and {needed / 1e9:.1f} GB are "
                "needed. Make room and try again."
            )

    def _sha256(self) -> str:
        digest = hashlib.sha256()
        self._file.seek(0)
        while piece := self._file.read(1 << 20):
            if self._stopped.is_set():
                raise FetchFailed("Stopped.")
            digest.update(piece)
        return digest.hexdigest()


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """A context that says in words why a file cannot be written."""
    try:
        yield
    except private.PrivateFileError as error:
        raise FetchFailed(str(error)) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise FetchFailed(
                "The disk is full. What arrived is kept: make room and continue, or discard it."
            ) from error
        raise FetchFailed(f"{path.parent} cannot be written: {error.strerror}.") from error


def _is_at(file: FileIO, path: Path) -> bool:
    """Whether an open file is still the one at its path."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError):
        # None yet, or not ours: the download begins again.
        return None
