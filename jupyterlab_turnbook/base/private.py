"""Creates folders and files that only their owner can read, and restricts existing ones."""

from __future__ import annotations

import contextlib
import logging
import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700

OWNERS = "owners"
"""The folder with a lock file for each live server."""

RERUN_OWNERS = "rerun-owners"
"""The same for servers that rerun records."""

# The folder chosen for the journal may contain other files; only these are ours.
_OURS = (
    "journal.sqlite*",
    "journal.*.sqlite*",
    "keys.json",
    ".keys.json.*",
    "providers.json",
    ".providers.json.*",
    "reruns.json",
    ".reruns.json.*",
    OWNERS,
    RERUN_OWNERS,
)
_OTHERS = 0o077
_log = logging.getLogger(__name__)


class PrivateFileError(Exception):
    """The file cannot be used as it is; the message says what to do."""


def folder(path: Path, log: logging.Logger = _log) -> Path:
    """Create a private folder, or make an existing one private with all of our files in it."""
    path.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    if os.name == "posix":
        _close_folder(path, log)
        for each in _ours(path):
            # Another server may delete it meanwhile.
            with contextlib.suppress(FileNotFoundError):
                _close(each, log)
    return path


def subfolder(parent: Path, name: str, log: logging.Logger = _log) -> Path:
    """Create a private folder inside another one."""
    folder(parent, log)
    path = parent / name
    path.mkdir(mode=FOLDER_MODE, exist_ok=True)
    if os.name == "posix":
        _close(path, log)
    return path


def file(path: Path, log: logging.Logger = _log) -> Path:
    """Create an empty private file, or make an existing one private.

    An existing file is not opened: closing it would drop SQLite's locks on it.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    except FileExistsError:
        close(path, log)
    else:
        os.close(handle)
    return path


def close(path: Path, log: logging.Logger = _log) -> None:
    """Make a file private; raises if it is a symbolic link or cannot be made private."""
    if path.is_symlink():
        raise PrivateFileError(f"{path} is a symbolic link, which is not followed. Remove it.")
    if os.name == "posix" and not _close(path, log):
        raise PrivateFileError(f"{path} is not yours and open to other users. Move it away.")


def _ours(path: Path) -> Iterator[Path]:
    for each in _entries(path):
        if any(fnmatchcase(each.name, pattern) for pattern in _OURS):
            yield each
    for folder in (path / OWNERS, path / RERUN_OWNERS):
        if not folder.is_symlink():
            yield from (each for each in _entries(folder) if each.suffix == ".lock")


def _entries(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        # Missing, deleted meanwhile, or not ours to change.
        return []


def _close_folder(path: Path, log: logging.Logger) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & stat.S_ISVTX and mode & _OTHERS:
        # A folder such as /tmp: making it private would lock everyone else out.
        log.warning(
            "turnbook: %s is shared with other users, who can see which files are in it. "
            "Set c.TurnbookApp.journal_dir to a folder of your own.",
            path,
        )
    else:
        _close(path, log, follow=True)


def _close(path: Path, log: logging.Logger, *, follow: bool = False) -> bool:
    info = path.stat() if follow else path.lstat()
    if stat.S_ISLNK(info.st_mode) or not info.st_mode & _OTHERS:
        return True
    wanted = FOLDER_MODE if stat.S_ISDIR(info.st_mode) else FILE_MODE
    try:
        os.chmod(path, wanted)
    except PermissionError:
        log.warning("turnbook: %s is open to other users and not yours to close", path)
        return False
    log.warning("turnbook: %s had mode %o; it is %o now", path, stat.S_IMODE(info.st_mode), wanted)
    return True
