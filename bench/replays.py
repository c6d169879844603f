"""Replays in a browser: building and opening one, seeing all of it, and what it takes of the heap."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chromium
from chats import write_chat
from scale import ROOT, lab
from table import Row

# A system message, two messages for each pair, and the one being written.
SECTIONS = (30, 2000)
OPEN_LIMIT = 1000


def measure() -> list[Row]:
    """The figures of a short and of a long request."""
    with tempfile.TemporaryDirectory(prefix="turnbook-replays-") as folder:
        with lab(Path(folder)) as (base, told):
            root = Path(told["root"])
            job = {
                "base": base,
                "chromium": chromium.ensure(ROOT),
                "rounds": 5,
                "sizes": [
                    {"sections": count, "file": write_chat(root, (count - 2) // 2, 100)}
                    for count in SECTIONS
                ],
            }
            line = ["node", str(ROOT / "bench/replays.mjs"), json.dumps(job)]
            done = subprocess.run(line, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit("Measuring replays failed; the words above say why.")
    return [row for result in json.loads(done.stdout) for row in _rows(result)]


def _rows(result: dict[str, Any]) -> Iterator[Row]:
    size = f"{result['sections']:,} sections"
    opened = result["open"]
    yield Row(
        "replay: from the command to its first frame",
        size,
        f"{opened:.0f} ms",
        target=f"≤ {OPEN_LIMIT} ms",
        met=opened <= OPEN_LIMIT,
    )
    yield Row("replay: built anew after an edit", size, f"{result['rebuild']:.0f} ms")
    if result["all"] is not None:
        yield Row("replay: all sections in the notebook", size, f"{result['all']:.0f} ms")
    yield Row("replay: heap of one that is open", size, f"{result['heap']:.2f} MB")
