"""Long chats in a browser: filter, keys, opening, heap; beside JupyterLab's own notebook view."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from statistics import median
from typing import Any

from browser import Lab, browse, lab
from chats import write_chat
from table import BenchError, Row, percentile

SIZES = (10, 1000, 10_000)
# A chat that only has to open.
LONGEST = 50_000
# The most that opening the largest chat may take, against JupyterLab's own view.
MOST = {"first": 0.7, "interactive": 0.6, "cpu": 1}
OPENINGS = (
    ("open: first cell painted", "first"),
    ("open: can be written in", "interactive"),
    ("open: CPU of the page until then", "cpu"),
    ("open: last cell in view", "last"),
    ("open: all cells drawn", "drawn"),
)


def measure(*, quick: bool) -> Iterator[Row]:
    """All figures of one run; the same browser and server for both views."""
    sizes = SIZES[:2] if quick else SIZES
    with lab() as running:
        told = browse(
            "scale.mjs",
            {
                "base": running.base,
                "sizes": [
                    {"pairs": pairs, "file": write_chat(running.root, pairs)} for pairs in sizes
                ],
                "keys": 20 if quick else 50,
                "rounds": 3 if quick else 8,
                "alternatives": 3,
                "openings": 2 if quick else 5,
                # Milliseconds to wait at most for the idle renderer to finish.
                "limit": 5_000 if quick else 15_000,
            },
        )
        results = told["results"]
        for result in results:
            yield from _rows(result, results[0])
        if not quick:
            yield longest(running)


def longest(running: Lab, pairs: int = LONGEST) -> Row:
    """Whether a chat of so many pairs opens at all."""
    name, size = "open: can be written in", f"{pairs:,}"
    told = {"pairs": pairs, "file": write_chat(running.root, pairs)}
    try:
        job = {"base": running.base, "sizes": [], "longest": told, "limit": 15_000}
        times = browse("scale.mjs", job)["longest"]["times"]
    except (BenchError, subprocess.TimeoutExpired) as error:
        print(f"{size} pairs do not open: {error}", flush=True)
        return Row(name, size, "not at all", target="at all", met=False)
    took = times.get("interactive")
    return Row(name, size, _seconds(took, times), target="at all", met=took is not None)


def _rows(result: dict[str, Any], smallest: dict[str, Any]) -> Iterator[Row]:
    large = result["pairs"] == SIZES[-1]
    size = f"{result['pairs']:,}"
    yield from _filter_rows(result, size, large=large)
    yield from _logic_rows(result, size, large=large)
    yield from _key_rows(result, smallest, size, large=large)
    yield from _open_rows(result, size, large=large)
    yield from _save_rows(result, size, large=large)


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
    ours, theirs = (_middle(result["open"][side]) for side in ("turnbook", "notebook"))
    for what, key in OPENINGS:
        one, other = ours.get(key), theirs.get(key)
        ratio = one / other if one and other else None
        most = MOST.get(key) if large else None
        yield Row(
            what,
            size,
            _seconds(one, ours),
            _seconds(other, theirs),
            ratio,
            f"≤ {most}" if most else "",
            ratio is not None and ratio <= most if most else None,
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
    one, other = (times["heap"] * 1024 / result["pairs"] for times in (ours, theirs))
    yield Row("heap for each pair", size, f"{one:.1f} kB", f"{other:.1f} kB", one / other)


def _middle(openings: list[dict[str, float]]) -> dict[str, float]:
    """The median of each time; none of those that some openings do not have."""
    return {
        key: median(times[key] for times in openings)
        for key in openings[0]
        if all(times.get(key) is not None for times in openings)
    }


def _save_rows(result: dict[str, Any], size: str, *, large: bool) -> Iterator[Row]:
    """What typing meets while the same file is saved in both views; most of it is JupyterLab's."""
    ours, theirs = result["save"]["turnbook"], result["save"]["notebook"]
    for what, one, other, most in (
        (
            "key press to frame during a save with one new reply, p95; a notebook view's",
            percentile(ours["keys"], 95),
            percentile(theirs["keys"], 95),
            50,
        ),
        ("slowest of these key presses", max(ours["keys"]), max(theirs["keys"]), None),
    ):
        limits = _upper(one, most, large) if most else {}
        yield Row(what, size, _ms(one), _ms(other), one / other, **limits)
    sides = [
        {
            key: (max if key == "block" else median)(save[key] for save in side["saves"])
            for key in ours["saves"][0]
        }
        for side in (ours, theirs)
    ]
    for what, key in (
        ("longest block of the page by that save; a notebook view's is JupyterLab's own", "block"),
        ("that save, from beginning to end", "took"),
        ("of it: the notebook as JSON (toJSON)", "json"),
        ("of it: that JSON as text (JSON.stringify), by JupyterLab", "text"),
    ):
        one, other = (side[key] for side in sides)
        yield Row(what, size, _ms(one), _ms(other), one / other if other else None)


def _upper(value: float, limit: float, asked: bool) -> dict[str, Any]:
    return {"target": f"≤ {limit} ms", "met": value <= limit} if asked else {}


def _ms(value: float) -> str:
    return f"{value:.1f} ms"


def _seconds(value: float | None, times: dict[str, Any]) -> str:
    if value is None:
        return f"{times['count']:,} drawn"
    return f"{value / 1000:.2f} s"
