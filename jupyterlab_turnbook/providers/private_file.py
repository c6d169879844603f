"""A small JSON file that only its owner can read and that is replaced atomically."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..base import private
from ..base.private import PrivateFileError

try:
    import fcntl
except ImportError:  # Windows: there is only the thread lock, none between servers.
    fcntl = None  # type: ignore[assignment]

__all__ = ["PrivateFile", "PrivateFileError"]


class PrivateFile:
    """A JSON object on disk: mode 0600 in a folder of mode 0700, never through a symbolic link."""

    def __init__(self, path: Path, log: logging.Logger) -> None:
        self.path = path
        self._log = log
        self._lock = threading.Lock()

    def read(self) -> dict[str, Any]:
        """The file's content, empty if there is no file. Repairs a mode that is too open."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
        try:
            private.close(self.path, self._log)
            handle = os.open(self.path, flags)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise PrivateFileError(f"{self.path} cannot be read: {error.strerror}.") from error
        with open(handle, "rb") as file:
            data = file.read()
        try:
            value = json.loads(data)
        except ValueError as error:
            raise PrivateFileError(
                f"{self.path} is not JSON. Repair it, or move it away to start over."
            ) from error
        if not isinstance(value, dict):
            raise PrivateFileError(f"{self.path} does not hold a JSON object. Move it away.")
        return value

    def update(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Read, change and replace the file under a lock."""
        try:
            with self._lock:
                private.folder(self.path.parent, self._log)
                with self._locked():
                    value = self.read()
                    change(value)
                    self._replace(value)
        except OSError as error:
            raise PrivateFileError(
                f"{self.path} cannot be written: {error.strerror}. Make its folder yours and "
                "writable, and see that the disk is not full."
            ) from error

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(self.path.with_name(f".{self.path.name}.lock"), flags, private.FILE_MODE)
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _replace(self, value: dict[str, Any]) -> None:
        # mkstemp creates the file with mode 0600.
        handle, name = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.path.parent)
        try:
            with open(handle, "w", encoding="utf-8") as file:
                json.dump(value, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:
            os.unlink(name)
            raise
