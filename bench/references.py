"""The list that `@` opens, over many open notebooks."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

from browser import browse, lab
from chats import write_chat
from table import Row

NOTEBOOKS = 20
CELLS = 500


def measure(*, rounds: int) -> list[Row]:
    """From the key to the drawn list."""
    with lab() as running:
        found = browse(
            "references.mjs",
            {
                "base": running.base,
                "chat": write_chat(running.root, 10),
                "notebooks": [write_notebook(running.root, n) for n in range(NOTEBOOKS)],
                "rounds": rounds,
            },
        )
    opened, key = median(found["open"]), median(found["key"])
    size = f"{NOTEBOOKS} notebooks x {CELLS} cells"
    return [
        Row(
            "@ until the list of references is drawn",
            size,
            f"{opened:.0f} ms",
            target="≤ 100 ms",
            met=opened <= 100,
        ),
        Row("a key in it", size, f"{key:.0f} ms", target="≤ 50 ms", met=key <= 50),
    ]


def write_notebook(root: Path, number: int) -> str:
    """A notebook with cells that all match the query; returns its path."""
    cells: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "id": f"c{number}-{n}",
            "metadata": {},
            "execution_count": None,
            "source": f"value_{n} = {n}\n" * 20,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": f"{n}\n"}],
        }
        for n in range(CELLS)
    ]
    path = root / f"open-{number}.ipynb"
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    )
    return path.name
