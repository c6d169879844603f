"""Measure and print one table. `make bench ARGS="--samples 500"` takes more samples."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys

import first_token
from servers import servers


def percentile(values: list[float], percent: float) -> float:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


def main() -> int:
    """Run everything."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--warmup", type=int, default=20)
    args = parser.parse_args()
    print(
        "==> Time to first token, through Turnbook and straight from the same provider", flush=True
    )
    with servers() as running:
        direct, turnbook = asyncio.run(first_token.measure(running, args.samples, args.warmup))
    print(f"\n{'time to first token':24}{'p50':>10}{'p99':>10}")
    marks = [(percentile(direct, p), percentile(turnbook, p)) for p in (50, 99)]
    rows = {
        "straight from provider": [f"{one * 1e3:.2f} ms" for one, _ in marks],
        "through Turnbook": [f"{other * 1e3:.2f} ms" for _, other in marks],
        "difference": [f"{(other - one) * 1e3:+.2f} ms" for one, other in marks],
        "ratio": [f"{other / one:.2f}" for one, other in marks],
    }
    for name, cells in rows.items():
        print(f"{name:24}" + "".join(f"{cell:>10}" for cell in cells))
    print(f"{len(direct)} samples each, by turns, after {args.warmup} to warm up")
    return 0


if __name__ == "__main__":
    sys.exit(main())
