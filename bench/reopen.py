"""Opening a chat whose reply is under way: how long until the page shows its true state."""

from __future__ import annotations

import httpx
from browser import browse, lab
from chats import write_chat
from table import Row

LIMIT = 1000
PAIRS = 100
REPLY = "So much of the reply has come so far. " * 500
MARK = "The last words that came."
# A provider that says nothing for long is given up, and the reply would be in the file.
ALIVE = {"tokens": " More." * 300, "every": 1000}
SCRIPT = {"steps": [{"tokens": REPLY + MARK}, ALIVE, {"finish": "stop"}, {"done": True}]}


def measure(*, rounds: int) -> list[Row]:
    """From the moment at which the page connects to the last word that has come."""
    with lab() as running:
        script = {"scripts": [SCRIPT]}
        httpx.post(f"{running.control}/script", json=script).raise_for_status()
        file = write_chat(running.root, PAIRS)
        job = {
            "base": running.base,
            "file": file,
            "before": f"Question {PAIRS - 1}",
            "arrived": MARK,
            "rounds": rounds,
        }
        times = sorted(browse("reopen.mjs", job))
    size = f"{len(REPLY) // 1000} kB so far"
    row = Row(
        "a chat whose reply streams: from connecting until it shows, the slowest",
        size,
        f"{times[-1]:.0f} ms",
        target=f"≤ {LIMIT} ms",
        met=times[-1] <= LIMIT,
    )
    return [row, Row("the same, the middle one", size, f"{times[len(times) // 2]:.0f} ms")]
