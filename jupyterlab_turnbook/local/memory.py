"""How much memory this machine has."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Memory:
    """Bytes of memory; None where the system does not say."""

    total: int | None
    available: int | None


def read() -> Memory:
    """The machine's memory, or what a container may use of it."""
    listed = _numbers(_MEMINFO, 1024)
    total, available = listed.get("MemTotal:"), listed.get("MemAvailable:")
    if total is None:
        total = _physical()
    limit, used = _number(_CGROUP / "memory.max"), _number(_CGROUP / "memory.current")
    if limit is not None and used is not None:
        # Pages of files that were read can be given up.
        cached = _numbers(_CGROUP / "memory.stat", 1).get("inactive_file", 0)
        total = min(total or limit, limit)
        available = min(limit if available is None else available, limit - used + cached)
    return Memory(total, available)


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        # Windows has no sysconf, and a system need not know these names.
        return None


def _numbers(path: Path, unit: int) -> dict[str, int]:
    words = [line.split() for line in _text(path).splitlines()]
    return {each[0]: int(each[1]) * unit for each in words if len(each) > 1 and each[1].isdigit()}


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    # Without a limit it is `max`.
    return int(text) if text.isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError:
        # Only Linux has these files.
        return ""
