"""The one table that a run prints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

HEAD = ("what", "size", "Turnbook", "alternative", "ratio", "target", "")


class BenchError(Exception):
    """A part cannot be measured."""


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


@dataclass(frozen=True)
class Row:
    """One figure beside what it is measured against; `met` is None where nothing was asked for."""

    what: str
    size: str
    turnbook: str
    other: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        """The row as words."""
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}"
        verdict = {None: "", True: "met", False: "MISSED"}[self.met]
        return (self.what, self.size, self.turnbook, self.other, ratio, self.target, verdict)


def show(rows: Sequence[Row]) -> None:
    """Print all rows, then say which targets were missed."""
    lines = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(line[n]) for line in lines) for n in range(len(HEAD))]
    for line in lines if rows else ():
        first = line[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        print("  ".join([first, *rest]).rstrip())
    missed = [row for row in rows if row.met is False]
    met = sum(row.met is True for row in rows)
    print(f"\n{met} targets met, {len(missed)} missed" + (":" if missed else "."))
    for row in missed:
        ratio = "" if row.ratio is None else f" against {row.other} (ratio {row.ratio:.2f})"
        print(f"  {row.what}, {row.size}: {row.turnbook}{ratio}, target {row.target}")
