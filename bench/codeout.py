"""Inserting a code block of a reply into a notebook, in the browser."""

from __future__ import annotations

from browser import browse, lab
from table import Row

LIMIT = 100
BLOCKS = 40
CELLS = 500


def measure(*, rounds: int) -> list[Row]:
    """From the click until the new cell is painted, in a notebook whose cells are all drawn."""
    with lab() as running:
        job = {"base": running.base, "blocks": BLOCKS, "cells": CELLS, "rounds": rounds}
        times = browse("codeout.mjs", job)
    ours, plain = (sorted(time[name] for time in times) for name in ("ours", "plain"))
    middle = len(times) // 2
    size = f"1 of {BLOCKS} blocks, {CELLS} cells"
    return [
        Row(
            "inserting a code block into a notebook until it is painted, against JupyterLab's new cell",
            size,
            f"{ours[middle]:.0f} ms",
            f"{plain[middle]:.0f} ms",
            ours[middle] / plain[middle],
            target=f"≤ {LIMIT} ms",
            met=ours[middle] <= LIMIT,
        ),
        Row("the same, the slowest", size, f"{ours[-1]:.0f} ms", f"{plain[-1]:.0f} ms"),
    ]
