"""How many tokens each run took, for the totals of days.

These rows outlive their runs, since what was paid does not become less when a record is deleted.
They have no content, and do not say in which chat a run was.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from typing import Any

from . import queries
from .model import Run

KEPT_DAYS = 366
"""How long rows are kept."""

_KEPT = KEPT_DAYS * 24 * 3600 * 1000

_OF_A_DAY = """
SELECT provider, model, count(*) AS runs, sum(input IS NULL OR output IS NULL) AS unknown,
    sum(input) AS input, sum(cached) AS cached, sum(output) AS output, sum(cost) AS cost
FROM usage WHERE at >= ? AND at < ?
GROUP BY provider, model, cost IS NULL ORDER BY provider, model, cost IS NULL
"""


def record(db: sqlite3.Connection, run: Run) -> None:
    """Record what a run took that has ended and may have been billed."""
    try:
        usage = queries.usage(db, run.id) or {}
    except ValueError:
        # A chunk is not JSON. What the run took is unknown; it must still get its end.
        usage = {}
    db.execute(
        "INSERT OR REPLACE INTO usage (run, at, provider, model, input, cached, output, cost)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (run.id, run.updated_at, run.provider, run.model, *facts(usage)),
    )
    db.execute("DELETE FROM usage WHERE at < ?", (run.updated_at - _KEPT,))


def of_days(db: sqlite3.Connection, starts: Sequence[int]) -> list[dict[str, Any]]:
    """The contract's `DayUsage`s: the runs from each start to the next, by model."""
    ends = [*starts[1:], _KEPT + starts[-1]]
    return [
        {"start": start, **dict(row)}
        for start, end in zip(starts, ends, strict=True)
        for row in db.execute(_OF_A_DAY, (start, end))
    ]


def facts(usage: dict[str, Any]) -> tuple[float | None, ...]:
    """Input, cached, output and cost of what a provider reports; the same as `usageFacts` in the browser."""
    details = usage.get("prompt_tokens_details")
    cached = [
        details.get("cached_tokens") if isinstance(details, dict) else None,
        usage.get("prompt_cache_hit_tokens"),
        usage.get("cache_read_input_tokens"),
    ]
    return (
        _count(usage.get("prompt_tokens")),
        next((each for each in map(_count, cached) if each is not None), None),
        _count(usage.get("completion_tokens")),
        _count(usage.get("cost")),
    )


def _count(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) and 0 <= value < 2**53 else None
