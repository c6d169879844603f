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
    """From the key to the drawn list."""
    with lab() as running:
        chat = write_chat(running.root, 10)
        many = [write_notebook(running.root, f"open-{n}") for n in range(NOTEBOOKS)]
        rows = _rows(
            _measure(running, chat, many, rounds), f"{NOTEBOOKS} notebooks x {CELLS} cells"
        )
        large = write_notebook(running.root, "large", LARGE // CELLS)
        size = f"a notebook of {LARGE // 1_000_000} MB"
        return rows + _rows(_measure(running, chat, [large], 1), size)


def _measure(running: Lab, chat: str, notebooks: list[str], rounds: int) -> Any:
    job = {"base": running.base, "chat": chat, "notebooks": notebooks, "rounds": rounds}
    return browse("references.mjs", job)


def _rows(found: Any, size: str) -> list[Row]:
    opened, first, key = (median(found[name]) for name in ("open", "first", "key"))
    return [
        Row(
            "@ until the list of references is drawn",
            size,
            f"{opened:.0f} ms",
            target="≤ 100 ms",
            met=opened <= 100,
        ),
        Row("the first key in it, which reads all cells", size, f"{first:.0f} ms"),
        Row("a key in it", size, f"{key:.0f} ms", target="≤ 50 ms", met=key <= 50),
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
