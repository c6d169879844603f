"""The list that `@` opens, over many open notebooks."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

from browser import Lab, browse, lab
from chats import write_chat
from table import Row

NOTEBOOKS = 20
CELLS = 500
# A notebook with outputs of so many bytes.
LARGE = 100_000_000


def measure(*, rounds: int) -> list[Row]:
    """From a key press until the list is painted, against a letter in a cell of the same page."""
    with lab() as running:
        chat = write_chat(running.root, 10)
        many = [write_notebook(running.root, f"open-{n}") for n in range(NOTEBOOKS)]
        size = f"{NOTEBOOKS} notebooks x {CELLS} cells"
        rows: list[Row] = []
        for drawn in (True, False):
            job = {"chat": chat, "notebooks": many, "rounds": rounds, "drawn": drawn}
            rows += _rows(_measure(running, job), size if drawn else f"{size}, just opened")
        large = write_notebook(running.root, "large", LARGE // CELLS)
        job = {"chat": chat, "notebooks": [large], "rounds": 1, "drawn": False}
        return rows + _rows(_measure(running, job), f"a notebook of {LARGE // 1_000_000} MB")


def _measure(running: Lab, job: dict[str, Any]) -> Any:
    return browse("references.mjs", {"base": running.base, **job})


def _rows(found: Any, size: str) -> list[Row]:
    opened, first, key, cell = (median(found[name]) for name in ("open", "first", "key", "cell"))
    other = f"{cell:.0f} ms"
    return [
        Row(
            "@ until its list is painted, against a letter in a cell",
            size,
            f"{opened:.0f} ms",
            other,
            opened / cell,
            target="≤ 100 ms",
            met=opened <= 100,
        ),
        Row(
            "the first key in the list, while cells are read",
            size,
            f"{first:.0f} ms",
            other,
            first / cell,
        ),
        Row(
            "a key in the list, against a letter in a cell",
            size,
            f"{key:.0f} ms",
            other,
            key / cell,
            target="≤ 50 ms",
            met=key <= 50,
        ),
    ]


def write_notebook(root: Path, name: str, output: int = 1) -> str:
    """A notebook with cells that all match the query; returns its path.

    Args:
        root: The folder.
        name: The file's name without its end.
        output: How many characters each cell shows.
    """
    cells: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "metadata": {},
            "execution_count": None,
            "source": f"value_{n} = {n}\n" * 20,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "x" * output}],
        }
        for n in range(CELLS)
    ]
    path = root / f"{name}.ipynb"
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    )
    return path.name
