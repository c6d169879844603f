"""What a reply costs in bytes of Yjs updates, in the browser, beside rewriting it as it comes."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import chromium
from scale import ROOT, lab
from table import Row

SIZES = (10_000, 100_000)
PIECES = 500
LIMIT = 1.1


def measure() -> list[Row]:
    """One row for each size of reply."""
    with tempfile.TemporaryDirectory(prefix="turnbook-updates-") as folder:
        with lab(Path(folder)) as (base, told):
            job = {
                "base": base,
                "control": told["control"],
                "chromium": chromium.ensure(ROOT),
                "sizes": SIZES,
                "pieces": PIECES,
            }
            line = ["node", str(ROOT / "bench/updates.mjs"), json.dumps(job)]
            done = subprocess.run(line, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit("Counting the updates failed; the words above say why.")
    return [_row(result) for result in json.loads(done.stdout)]


def _row(result: dict[str, int]) -> Row:
    size, count = result["size"], result["bytes"]
    share = count / size
    return Row(
        "Yjs updates for one reply, against rewriting it with each piece",
        f"{size // 1000} kB, {PIECES} pieces",
        f"{count:,} B ({share:.2f} x text)",
        f"{result['rewritten']:,} B",
        count / result["rewritten"],
        f"≤ {LIMIT} x text",
        share <= LIMIT,
    )
