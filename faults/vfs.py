"""The disk below SQLite: one without shared memory, a slow one, and one whose writes are put on record.

SQLite reaches files through a table of functions (a VFS). Here some of these are wrapped, in this
process, for all connections that are opened from then on.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import os
import struct
import time
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from pathlib import Path
from typing import Any

_IOERR_SHMSIZE = 10 | (19 << 8)
_IOERR_SHMMAP = 10 | (21 << 8)
_OPEN_CREATE = 0x4
_OPEN_DELETE_ON_CLOSE = 0x8

_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
_Delete = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_Close = CFUNCTYPE(c_int, c_void_p)
_Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
_Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
_Sync = CFUNCTYPE(c_int, c_void_p, c_int)
_ShmMap = CFUNCTYPE(c_int, c_void_p, c_int, c_int, c_int, c_void_p)


class _Vfs(ctypes.Structure):
    _fields_ = [
        ("version", c_int),
        ("size", c_int),
        ("longest", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", _Open),
        ("delete", _Delete),
        ("others", c_void_p * 16),
    ]


class _Methods(ctypes.Structure):
    _fields_ = [
        ("version", c_int),
        ("close", _Close),
        ("read", c_void_p),
        ("write", _Write),
        ("truncate", _Truncate),
        ("sync", _Sync),
        ("others", c_void_p * 7),
        ("shm_map", _ShmMap),
        ("rest", c_void_p * 5),
    ]


class _File(ctypes.Structure):
    _fields_ = [("methods", POINTER(_Methods))]


class Disk:
    """What the disk is like now. Only files whose name begins with `journal` are concerned."""

    shared_memory = True
    no_room = 0
    """How many times there is no room for the file of the shared memory."""
    slowness = 0.0
    """Seconds that each sync takes."""
    watch: Callable[[str], None] = staticmethod(lambda kind: None)
    """Called after each operation on a file, and with marks."""

    def __init__(self) -> None:
        self._record: int | None = None
        self._names: dict[int, str] = {}
        self._tables: dict[int, _Methods] = {}
        self._kept: list[Any] = []

    def install(self) -> None:
        """Become the disk of this process."""
        # The library that Python's own module uses, whichever that is.
        self._library = library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
        find = library.sqlite3_vfs_find
        find.restype, find.argtypes = POINTER(_Vfs), [c_char_p]
        usual = find(None).contents
        vfs = _Vfs()
        ctypes.memmove(ctypes.byref(vfs), ctypes.byref(usual), ctypes.sizeof(_Vfs))
        vfs.name = b"faulty"
        vfs.next = None
        vfs.open = _Open(self._open(usual.open))
        vfs.delete = _Delete(self._delete(usual.delete))
        self._kept += [usual, vfs]
        self._vfs = vfs
        if library.sqlite3_vfs_register(ctypes.byref(vfs), 1) != 0:
            raise OSError("SQLite takes no other disk.")

    def remove(self) -> None:
        """Let SQLite use its own disk again; no connection may be open that used this one."""
        self._library.sqlite3_vfs_unregister(ctypes.byref(self._vfs))

    def record(self, file: Path) -> None:
        """Write down from now on what is written, synced and deleted; a killed process keeps it."""
        self._record = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(self, kind: str, name: str, at: int = 0, data: bytes = b"") -> None:
        """Put something on record."""
        self.watch(kind)
        if self._record is not None:
            said = name.encode()
            head = struct.pack("<cHqI", kind.encode(), len(said), at, len(data))
            os.write(self._record, head + said + data)

    def _open(self, usual: Callable[..., int]) -> Callable[..., int]:
        def opened(vfs: Any, name: Any, file: Any, flags: int, given: Any) -> int:
            path = Path(os.fsdecode(ctypes.string_at(name))) if name else None
            ours = path is not None and path.name.startswith("journal")
            was_there = path is not None and path.exists()
            result = usual(vfs, name, file, flags, given)
            if ours and path is not None and result == 0:
                if not was_there:
                    self.note("c", path.name)
                self._names[file] = path.name
                self._wrap(file)
            return result

        return opened

    def _delete(self, usual: Callable[..., int]) -> Callable[..., int]:
        def deleted(vfs: Any, name: bytes, synced: int) -> int:
            path = Path(os.fsdecode(name))
            there = path.name.startswith("journal") and path.exists()
            result = usual(vfs, name, synced)
            if there and result == 0:
                self.note("D" if synced else "d", path.name)
                if synced:
                    time.sleep(self.slowness)
            return result

        return deleted

    def _wrap(self, file: int) -> None:
        opened = _File.from_address(file)
        key = ctypes.cast(opened.methods, c_void_p).value
        assert key is not None
        if key not in self._tables:
            self._tables[key] = self._wrapped(opened.methods.contents)
        opened.methods = ctypes.pointer(self._tables[key])

    def _wrapped(self, usual: _Methods) -> _Methods:
        made = _Methods()
        ctypes.memmove(ctypes.byref(made), ctypes.byref(usual), ctypes.sizeof(_Methods))
        self._kept.append(usual)

        def write(file: int, data: int, size: int, at: int) -> int:
            result = usual.write(file, data, size, at)
            if result == 0:
                kept = ctypes.string_at(data, size) if self._record is not None else b""
                self.note("w", self._names[file], at, kept)
            return int(result)

        def truncate(file: int, size: int) -> int:
            result = usual.truncate(file, size)
            self.note("t", self._names[file], size)
            return int(result)

        def sync(file: int, flags: int) -> int:
            time.sleep(self.slowness)
            result = usual.sync(file, flags)
            self.note("s", self._names[file])
            return int(result)

        def shm_map(file: int, *more: Any) -> int:
            if self.no_room:
                self.no_room -= 1
                return _IOERR_SHMSIZE
            return int(usual.shm_map(file, *more)) if self.shared_memory else _IOERR_SHMMAP

        made.write, made.truncate = _Write(write), _Truncate(truncate)
        made.sync, made.shm_map = _Sync(sync), _ShmMap(shm_map)
        return made


DISK = Disk()
"""That of this process."""
