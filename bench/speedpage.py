"""The table of docs/speed.md: each part as its last run measured it, with date, load and versions."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any

from browser import ROOT, chromium
from table import HEAD, Row

RESULTS = ROOT / "docs" / "speed.json"
PAGE = ROOT / "docs" / "speed.md"
BEGIN = "<!-- speed: written by `make bench ARGS=--write` -->"
END = "<!-- end of speed -->"
NOTHING = "No run was written here yet."

_HEAD = (*HEAD[:-1], "verdict")

Known = dict[str, dict[str, Any]]
"""The parts by their names: run and rows."""


def keep(part: str, rows: Sequence[Row], load: tuple[float, float], order: Sequence[str]) -> None:
    """Put the rows of a part in place of its older ones, and quote all."""
    known: Known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    cells = [dict(zip(_HEAD, row.cells(), strict=True)) for row in rows]
    known[part] = {"run": _run(load), "rows": cells}
    kept = {name: known[name] for name in order if name in known}
    RESULTS.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n")
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{markdown(kept)}\n\n{END}{rest.partition(END)[2]}")


def quoted(page: str) -> str:
    """What a page quotes."""
    return page.partition(BEGIN)[2].partition(END)[0].strip()


def markdown(known: Known) -> str:
    """Tables of rows and of runs, laid out as Prettier would."""
    if not known:
        return NOTHING
    rows = [
        (*(row[name] for name in _HEAD), part["run"]["measured"])
        for part in known.values()
        for row in part["rows"]
    ]
    runs = [(name, *part["run"].values()) for name, part in known.items()]
    columns = ("part", *next(iter(known.values()))["run"])
    return f"{_table((*_HEAD, 'measured'), rows)}\n\n{_table(columns, runs)}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [list(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    widths = [max(3, *(len(line[n]) for line in lines)) for n in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        return f"| {' | '.join(padded)} |"

    return "\n".join(
        [line(lines[0]), line(["-" * width for width in widths]), *map(line, lines[1:])]
    )


def _run(load: tuple[float, float]) -> dict[str, str]:
    versions = [f"Turnbook {version('jupyterlab-turnbook')}"]
    versions += [f"commit {_said('git', 'rev-parse', '--short', 'HEAD')}"]
    versions += [f"Python {platform.python_version()}"]
    versions += [f"{name} {version(name)}" for name in ("jupyterlab", "jupyter-server")]
    versions += [f"Node {_said('node', '--version')}"]
    if executable := chromium.ensure(ROOT):
        versions.append(_said(executable, "--version"))
    return {
        "measured": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "load": "{:.1f} at the start, {:.1f} at the end".format(*load),
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "versions": ", ".join(versions),
    }


def _said(*command: str) -> str:
    """What a program answers; a question mark without it."""
    if shutil.which(command[0]) is None:
        return "?"
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "?"
