"""Twenty chats that stream in one page: the longest task, and typing beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
from browser import browse, lab
from chats import write_chat
from table import BenchError, Row, percentile

COUNTS = (1, 20)
PAIRS = 20
# Two minutes of Markdown at a fast model's pace; what was measured is over before that.
TEXT = "Each reply has **bold** words, `code`, and a list:\n\n- one\n- two\n\n" * 400
SCRIPT = {"steps": [{"tokens": TEXT, "every": 20}, {"finish": "stop"}, {"done": True}]}


def measure(*, keys: int) -> list[Row]:
    """The page's tasks and the keys with one chat streaming, and with twenty."""
    with lab() as running:
        total = sum(COUNTS)
        scripts = {"scripts": [SCRIPT] * total}
        httpx.post(f"{running.control}/script", json=scripts).raise_for_status()
        files = [write_chat(running.root, PAIRS, seed=n) for n in range(total)]
        job = {"base": running.base, "files": files, "counts": COUNTS, "keys": keys}
        one, many = browse("manychats.mjs", job)
    return list(_rows(one, many))


def _rows(one: dict[str, Any], many: dict[str, Any]) -> Iterator[Row]:
    if many["streaming"] != COUNTS[-1]:
        raise BenchError(f"Only {many['streaming']} of the chats streamed to the end.")
    size = f"{COUNTS[-1]} chats"
    for what, key, limit in (
        ("streaming: longest task", "longest", 100),
        ("streaming: longest task, its work alone", "work", 100),
    ):
        yield _row(what, size, many[key], one[key], limit)
    yield _row(
        "streaming: key press to frame, p95",
        size,
        percentile(many["keys"], 95),
        percentile(one["keys"], 95),
        50,
    )


def _row(what: str, size: str, value: float, other: float, limit: float) -> Row:
    return Row(
        f"{what}; with 1 chat",
        size,
        f"{value:.1f} ms",
        f"{other:.1f} ms",
        value / other,
        f"≤ {limit} ms",
        value <= limit,
    )
