"""What a disk may hold after a power cut: all that was synced, and any part of what was not."""

from __future__ import annotations

import os
import random
import shutil
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512
_HEAD = struct.Struct("<cHqI")


@dataclass(frozen=True)
class Operation:
    """One line of the record that `vfs` writes: on a file, or a mark of what others were told."""

    kind: str
    """c: created, w: written, t: truncated, s: synced, d: deleted, D: deleted for good; else a mark."""
    name: str
    at: int = 0
    data: bytes = b""


def recorded(file: Path) -> list[Operation]:
    """A record as far as it is whole."""
    return list(_operations(file.read_bytes())) if file.exists() else []


def mark(file: Path, kind: str, name: str) -> None:
    """Put on record what happened outside of the server."""
    said = name.encode()
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(handle, _HEAD.pack(kind.encode(), len(said), 0, 0) + said)
    os.close(handle)


def _operations(record: bytes) -> Iterator[Operation]:
    place = 0
    while place + _HEAD.size <= len(record):
        kind, name, at, size = _HEAD.unpack_from(record, place)
        place += _HEAD.size
        if place + name + size > len(record):
            return
        said = record[place : place + name].decode()
        place += name
        yield Operation(kind.decode(), said, at, record[place : place + size])
        place += size


@dataclass
class _File:
    synced: bytes = b""
    since: list[Operation] = field(default_factory=list)
    is_new: bool = False

    def settle(self) -> None:
        content = bytearray(self.synced)
        for operation in self.since:
            _apply(content, operation)
        self.synced, self.since, self.is_new = bytes(content), [], False

    def torn(self, chance: random.Random, kept: float) -> bytes:
        """Any of the writes since the last sync, whole or up to a sector."""
        content = bytearray(self.synced)
        for operation in self.since:
            drawn = chance.random()
            if drawn < kept * 0.8 or kept == 1:
                _apply(content, operation)
            elif drawn < kept and operation.kind == "w":
                whole = chance.randrange(len(operation.data) // SECTOR + 1) * SECTOR
                _apply(content, Operation("w", "", operation.at, operation.data[:whole]))
        return bytes(content)


class Platter:
    """A folder whose files are written as a record says."""

    def __init__(self, before: dict[str, bytes] | None = None) -> None:
        self._there = {name: _File(content) for name, content in (before or {}).items()}
        """The files by name, as a process sees them."""
        self._known = dict(self._there)
        """The same, as far as the folder itself was synced."""
        self._renamed: list[tuple[str, _File | None]] = []

    def do(self, operation: Operation) -> None:
        """Take the next line of a record."""
        name = operation.name
        if operation.kind == "c":
            self._there[name] = _File(is_new=True)
            self._renamed.append((name, self._there[name]))
        elif operation.kind in ("w", "t"):
            if name not in self._there:
                # Made by the journal itself, before SQLite saw it.
                self._there[name] = self._known[name] = _File()
            self._there[name].since.append(operation)
        elif operation.kind == "s" and name in self._there:
            # With a new file SQLite syncs its folder too.
            if self._there[name].is_new:
                self._settle_folder()
            self._there[name].settle()
        elif operation.kind in ("d", "D"):
            self._there.pop(name, None)
            self._renamed.append((name, None))
            if operation.kind == "D":
                self._settle_folder()

    def after_a_cut(self, chance: random.Random, kept: float) -> dict[str, bytes]:
        """What may be there; `kept` is how likely a write survives: 0 for none, 1 for all."""
        names = dict(self._known)
        count = len(self._renamed)
        seen = {0.0: 0, 1.0: count}.get(kept, chance.randint(0, count))
        for name, file in self._renamed[:seen]:
            if file is None:
                names.pop(name, None)
            else:
                names[name] = file
        return {name: file.torn(chance, kept) for name, file in names.items()}

    def _settle_folder(self) -> None:
        self._known, self._renamed = dict(self._there), []


def lay_out(files: dict[str, bytes], folder: Path) -> None:
    """Make a journal's folder that holds these files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(0o700, parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)


def _apply(content: bytearray, operation: Operation) -> None:
    if operation.kind == "t":
        del content[operation.at :]
        return
    if len(content) < operation.at:
        content.extend(bytes(operation.at - len(content)))
    content[operation.at : operation.at + len(operation.data)] = operation.data
