"""The table: on the screen, in the results file and in the documentation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .tally import Tally

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "faults.json"
PAGE = ROOT / "docs" / "faults.md"
BEGIN = "<!-- faults: written by `make faults` -->"
END = "<!-- end of faults -->"

HEAD = ("fault", "page", "injected", "bytes lost", "duplicates", "extra requests", "wrong states")
_WORDS = ("fault", "client")
_COUNTS = ("injected", "lost", "duplicates", "extra", "wrong")


def text(tallies: Sequence[Tally]) -> str:
    """Aligned columns for a terminal."""
    rows = [HEAD, *(_cells(tally.row()) for tally in tallies), _cells(total(_rows(tallies)))]
    widths = [max(len(row[n]) for row in rows) for n in range(len(HEAD))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if n < len(_WORDS) else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    """The table as the page quotes it, laid out as Prettier would."""
    cells = [HEAD, *map(_cells, rows), _cells(total(rows))]
    widths = [max(len(row[n]) for row in cells) for n in range(len(HEAD))]

    def line(row: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if n < len(_WORDS) else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = ["-" * width for width in widths[: len(_WORDS)]]
    rule += ["-" * (width - 1) + ":" for width in widths[len(_WORDS) :]]
    return "\n".join([line(HEAD), f"| {' | '.join(rule)} |", *map(line, cells[1:])])


def total(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The last row."""
    listed = list(rows)
    counts = {name: sum(row[name] for row in listed) for name in _COUNTS}
    return {"fault": "all", "client": "", **counts}


@dataclass(frozen=True)
class Run:
    """What the page says of the last run."""

    seed: int
    seconds: int
    everything: bool
    """Whether all faults were injected, so that all rows are from this run."""

    def __str__(self) -> str:
        took = f"{self.seconds / 60:.0f} minutes" if self.seconds >= 90 else f"{self.seconds} s"
        which = "All rows are from one run" if self.everything else "The last run was of some rows"
        return f"{which}. It took {took}, with the seed {self.seed}."


def block(results: dict[str, Any]) -> str:
    """The table of a results file, and what is said below it, as the page quotes them."""
    run = Run(results["seed"], results["seconds"], results["everything"])
    return f"{markdown(results['faults'])}\n\n{run}"


def keep(tallies: Sequence[Tally], run: Run, order: Sequence[str]) -> None:
    """Write the results file, with older rows for what was not injected now; quote it."""
    known = json.loads(RESULTS.read_text())["faults"] if RESULTS.exists() else []
    by_name = {row["fault"]: row for row in [*known, *_rows(tallies)]}
    rows = [by_name[name] for name in order if name in by_name]
    results = {**asdict(run), "faults": rows}
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    before, _, rest = PAGE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{block(results)}\n\n{END}{after}")


def quoted(page: str) -> str:
    """The table that a page quotes."""
    return page.partition(BEGIN)[2].partition(END)[0].strip()


def _rows(tallies: Iterable[Tally]) -> list[dict[str, Any]]:
    return [tally.row() for tally in tallies]


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    words = (str(row[name]) for name in _WORDS)
    return (*words, *(f"{row[name]:,}" for name in _COUNTS))
