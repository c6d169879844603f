"""Editing a request of 200 messages and 400 kB: what a key press waits for, and what edits weigh.

Times are of the processor, and nothing waits for anything else; those "on the screen" are a browser's.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

from browser import browse, lab
from chats import write_chat
from table import BenchError, Row

ROOT = Path(__file__).resolve().parent.parent
SIZE = "200 messages, 400 kB"
KEY_MS = 50
FRAME_MS = 50
PAIRS = 1000
# Pixels for each frame: nearly a whole window of the list.
STEP = 400


def measure() -> list[Row]:
    """Run the work in Node and put its figures into rows."""
    job = {"messages": 200, "bytes": 400_000, "keys": 100}
    line = ["node", str(ROOT / "bench/request.mjs"), json.dumps(job)]
    done = subprocess.run(line, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != 0:
        raise BenchError("The bench of requests failed; its words are above.")
    return [*_rows(json.loads(done.stdout)), *_on_the_screen()]


def _on_the_screen() -> list[Row]:
    with lab() as running:
        file = write_chat(running.root, 100, 4000)
        long = write_chat(running.root, PAIRS, 20)
        job = {"base": running.base, "file": file, "rounds": 5, "long": long, "step": STEP}
        found = browse("panel.mjs", job)
    first, *later = found["opened"]
    size = f"{found['sections']:,} sections"
    # Browsers tell tenths of a millisecond; three frames of a screen with 60 Hz are 50 of them.
    slowest, plain = round(max(found["frames"])), round(max(found["plain"]))
    return [
        Row(
            f"request: slowest of {len(found['frames'])} frames while scrolling; of a plain list",
            size,
            f"{slowest} ms",
            f"{plain} ms",
            slowest / plain,
            f"≤ {FRAME_MS} ms",
            slowest <= FRAME_MS,
        ),
        Row(
            "request: longest task while scrolling, its work alone",
            size,
            f"{found['work']:.1f} ms",
            target=f"≤ {FRAME_MS} ms",
            met=found["work"] <= FRAME_MS,
        ),
        Row("request: open the panel on the screen, first", SIZE, f"{first:.0f} ms"),
        Row("request: open the panel on the screen, again", SIZE, f"{median(later):.0f} ms"),
    ]


def _rows(found: dict[str, Any]) -> list[Row]:
    whole = median(found["whole"])
    rows = [
        _key("request: key press to hash and tokens, by length", found["key"], whole),
        _key("request: key press to hash and tokens, tokenizer", found["keyExact"], whole),
    ]
    single = {
        "request: first hash and tokens": found["open"],
        "request: undo": median(found["undo"]),
        "request: redo": median(found["redo"]),
        "request: take a version": median(found["version"]),
        "request: restore a version": found["restore"],
        "request: capture the snapshot": found["capture"],
        "request: check the snapshot": found["check"],
        "request: apply the snapshot": found["apply"],
    }
    rows += [Row(what, SIZE, f"{ms:.1f} ms") for what, ms in single.items()]
    growth = found["growth"]
    size = found["size"]
    rows += [
        _grown("request: growth by 1,000 key presses", growth["typed"], size * 1000),
        _grown("request: growth by 1,000 options set", growth["set"], size * 1000),
        _grown("request: growth by 50 filter changes", growth["filtered"], size * 50),
    ]
    return rows


def _key(what: str, times: list[float], whole: float) -> Row:
    """All but the slowest twentieth decide; beside it what making the whole request again costs."""
    middle, slow = median(times), sorted(times)[len(times) * 95 // 100]
    return Row(
        what,
        SIZE,
        f"{middle:.1f} ms (p95 {slow:.1f})",
        f"{whole:.1f} ms",
        middle / whole,
        f"p95 ≤ {KEY_MS} ms",
        slow <= KEY_MS,
    )


def _grown(what: str, grown: int, copies: int) -> Row:
    """Beside it what a copy of the request for each change weighs."""
    return Row(
        what,
        SIZE,
        f"{grown / 1e3:.1f} kB",
        f"{copies / 1e3:.0f} kB",
        grown / copies,
    )
