"""Replays in a browser: building and opening one, seeing all of it, and what it takes of the heap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from browser import browse, lab
from chats import write_chat
from table import Row

# A system message, two messages for each pair, and the one being written.
SECTIONS = (30, 2000)
OPEN_LIMIT = 1000


def measure() -> list[Row]:
    """The figures of a short and of a long request."""
    with lab() as running:
        job = {
            "base": running.base,
            "rounds": 5,
            "sizes": [
                {"sections": count, "file": write_chat(running.root, (count - 2) // 2, 100)}
                for count in SECTIONS
            ],
        }
        results = browse("replays.mjs", job)
    return [row for result in results for row in _rows(result)]


def _rows(result: dict[str, Any]) -> Iterator[Row]:
    size = f"{result['sections']:,} sections"
    opened = result["open"]
    yield Row(
        "replay: from the command to its first frame",
        size,
        f"{opened:.0f} ms",
        target=f"≤ {OPEN_LIMIT} ms",
        met=opened <= OPEN_LIMIT,
    )
    yield Row("replay: built anew after an edit", size, f"{result['rebuild']:.0f} ms")
    if result["all"] is not None:
        yield Row("replay: all sections in the notebook", size, f"{result['all']:.0f} ms")
    yield Row("replay: heap of one that is open", size, f"{result['heap']:.2f} MB")
