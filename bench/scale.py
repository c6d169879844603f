"""Long chats in a browser: filter, keys, opening, heap; beside JupyterLab's own notebook view."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from browser import browse, lab
from chats import write_chat
from table import Row

SIZES = (10, 1000, 10_000)
OPENINGS = (
    ("open: first cell painted", "first"),
    ("open: can be written in", "interactive"),
    ("open: CPU of the page until then", "cpu"),
    ("open: last cell in view", "last"),
    ("open: all cells drawn", "drawn"),
)


def measure(*, quick: bool) -> list[Row]:
    """All figures of one run; the same browser and server for both views."""
    sizes = SIZES[:2] if quick else SIZES
    with lab() as running:
        results = browse(
            "scale.mjs",
            {
                "base": running.base,
                "sizes": [
                    {"pairs": pairs, "file": write_chat(running.root, pairs)} for pairs in sizes
                ],
                "keys": 20 if quick else 50,
                "rounds": 3 if quick else 8,
                "alternatives": 3,
                # Milliseconds to wait at most for the idle renderer to finish.
                "limit": 5_000 if quick else 15_000,
            },
        )
    return [row for result in results for row in _rows(result, results[0])]


def _rows(result: dict[str, Any], smallest: dict[str, Any]) -> Iterator[Row]:
    large = result["pairs"] == SIZES[-1]
    size = f"{result['pairs']:,}"
    yield from _filter_rows(result, size, large=large)
    yield from _logic_rows(result, size, large=large)
    yield from _key_rows(result, smallest, size, large=large)
    yield from _open_rows(result, size, large=large)


def _filter_rows(result: dict[str, Any], size: str, *, large: bool) -> Iterator[Row]:
    frames = [one["frame"] for one in result["filters"]]
    for what, value in (("median", median(frames)), ("slowest", max(frames))):
        yield Row(f"filter to frame, {what}", size, _ms(value), **_upper(value, 250, large))
    for what, key in (
        ("filter to frame; setHidden, windowing full", "frame"),
        ("filter until matches are seen; the same", "shown"),
    ):
        theirs = [one[key] for one in result["hidden"]]
        # The same filters on both sides.
        ours = [one[key] for one in result["filters"]][: len(theirs)]
        faster = median(theirs) / median(ours)
        yield Row(
            what,
            size,
            _ms(median(ours)),
            _ms(median(theirs)),
            1 / faster,
            "≤ 0.1" if large else "",
            faster >= 10 if large else None,
        )


def _logic_rows(result: dict[str, Any], size: str, *, large: bool) -> Iterator[Row]:
    logic = result["logic"]
    for what, key, limit in (
        ("evaluate a filter", "evaluate", 10),
        ("context and estimate, warm", "warm", 5),
        ("context and estimate, new filter", "rebuilt", 5),
    ):
        value = median(logic[key])
        yield Row(what, size, _ms(value), **_upper(value, limit, large))


def _key_rows(
    result: dict[str, Any], smallest: dict[str, Any], size: str, *, large: bool
) -> Iterator[Row]:
    for what, key in (
        ("key press to frame, against 10 pairs", "frames"),
        ("key press, work alone, against 10 pairs", "work"),
    ):
        ours, base = median(result["keys"][key]), median(smallest["keys"][key])
        ratio = ours / base
        met = ratio <= 1.5 if large else None
        yield Row(what, size, _ms(ours), _ms(base), ratio, "≤ 1.5" if large else "", met)


def _open_rows(result: dict[str, Any], size: str, *, large: bool) -> Iterator[Row]:
    ours, theirs = result["open"]["turnbook"], result["open"]["notebook"]
    for what, key in OPENINGS:
        one, other = ours.get(key), theirs.get(key)
        ratio = one / other if one and other else None
        asked = large and key in ("first", "interactive", "cpu")
        yield Row(
            what,
            size,
            _seconds(one, ours),
            _seconds(other, theirs),
            ratio,
            "≤ 1" if asked else "",
            ratio is not None and ratio <= 1 if asked else None,
        )
    ratio = ours["heap"] / theirs["heap"]
    yield Row(
        "heap that opening took",
        size,
        f"{ours['heap']:.1f} MB",
        f"{theirs['heap']:.1f} MB",
        ratio,
        "≤ 1" if large else "",
        ratio <= 1 if large else None,
    )


def _upper(value: float, limit: float, asked: bool) -> dict[str, Any]:
    return {"target": f"≤ {limit} ms", "met": value <= limit} if asked else {}


def _ms(value: float) -> str:
    return f"{value:.1f} ms"


def _seconds(value: float | None, times: dict[str, Any]) -> str:
    if value is None:
        return f"{times['count']:,} drawn"
    return f"{value / 1000:.2f} s"
