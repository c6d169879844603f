"""Tells network disks from local ones."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

# Kinds of file systems, as Linux names them, whose files other machines may have open, or whose memory
# maps are not shared by all who open a file. `fuseblk` is a local disk.
_NETWORK = frozenset(
    {
        *("9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse", "gfs2"),
        *(
            "glusterfs",
            "gpfs",
            "lustre",
            "mmfs",
            "ncp",
            "ncpfs",
            "nfs",
            "nfs4",
            "ocfs2",
            "orangefs",
        ),
        *("panfs", "prl_fs", "pvfs2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "wekafs"),
    }
)
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPES = {r"\040": " ", r"\011": "\t", r"\012": "\n", r"\134": "\\"}

_MAC_LOCAL = 0x1000
_WINDOWS_REMOTE = 4


def network_disk(folder: Path) -> str | None:
    """The kind of network disk that a folder is on, such as `nfs4`; None if it is on a local one.

    None as well if the system does not say.
    """
    try:
        if sys.platform == "win32":
            return _on_windows(folder)
        if sys.platform == "darwin":
            return _on_mac(folder)
        kind = _kind_of_mount(_MOUNTS.read_text("utf-8", "surrogateescape"), folder.resolve())
    except (OSError, AttributeError, ValueError):
        return None
    return kind if kind is not None and _is_network(kind) else None


def _is_network(kind: str) -> bool:
    # `fuse.sshfs` is a kind of `fuse`.
    return kind.partition(".")[0] in _NETWORK


def _kind_of_mount(mounts: str, folder: Path) -> str | None:
    """The kind of the file system at the longest mount point above a folder; the last one covers others."""
    found: tuple[int, str] | None = None
    for line in mounts.splitlines():
        before, separator, after = line.partition(" - ")
        if not separator:
            continue
        point = Path(_unescaped(before.split(" ")[4]))
        depth = len(point.parts)
        if (found is None or depth >= found[0]) and folder.is_relative_to(point):
            found = depth, after.split(" ")[0]
    return found[1] if found is not None else None


def _unescaped(path: str) -> str:
    for escape, character in _ESCAPES.items():
        path = path.replace(escape, character)
    return path


class _MacDisk(ctypes.Structure):
    """`struct statfs` of macOS with 64-bit inodes."""

    _fields_ = [
        ("sizes", ctypes.c_uint32 * 2),
        ("counts", ctypes.c_uint64 * 5),
        ("id", ctypes.c_int32 * 2),
        ("owner", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("subtype", ctypes.c_uint32),
        ("kind", ctypes.c_char * 16),
        ("names", ctypes.c_char * 2048),
        ("reserved", ctypes.c_uint32 * 8),
    ]


def _on_mac(folder: Path) -> str | None:
    library = ctypes.CDLL(None, use_errno=True)
    # Intel's has both layouts, and this name for the one above.
    statfs = getattr(library, "statfs$INODE64", None) or library.statfs
    disk = _MacDisk()
    if statfs(os.fsencode(folder), ctypes.byref(disk)) != 0:
        raise OSError(ctypes.get_errno(), "statfs", str(folder))
    kind = disk.kind.decode()
    return None if disk.flags & _MAC_LOCAL and "fuse" not in kind else kind


def _on_windows(folder: Path) -> str | None:
    drive = folder.resolve().drive
    if drive.startswith("\\\\"):
        return "smb"
    kind = getattr(ctypes, "windll").kernel32.GetDriveTypeW(f"{drive}\\")  # noqa: B009
    return "smb" if kind == _WINDOWS_REMOTE else None
