"""What a reply costs in bytes of Yjs updates, in the browser, beside rewriting it as it comes."""

from __future__ import annotations

from browser import browse, lab
from table import Row

SIZES = (10_000, 100_000)
PIECES = 500
LIMIT = 1.1


def measure() -> list[Row]:
    """One row for each size of reply."""
    with lab() as running:
        job = {
            "base": running.base,
            "control": running.control,
            "sizes": SIZES,
            "pieces": PIECES,
        }
        results = browse("updates.mjs", job)
    return [_row(result) for result in results]


def _row(result: dict[str, int]) -> Row:
    size, count = result["size"], result["bytes"]
    share = count / size
    return Row(
        "Yjs updates for one reply, against rewriting it with each piece",
        f"{size // 1000} kB, {PIECES} pieces",
        f"{count:,} B ({share:.2f} x text)",
        f"{result['rewritten']:,} B",
        count / result["rewritten"],
        f"≤ {LIMIT} x text",
        share <= LIMIT,
    )
