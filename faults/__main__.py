"""Inject every fault, count what went wrong, print one table.

    python -m faults [--sample] [--only WORDS] [--seed N] [--report FILE] [--write]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
import time
from pathlib import Path

from . import catalog, table
from .tally import Tally
from .world import World


async def inject(
    faults: list[catalog.Fault], seed: int, *, everything: bool, verbose: bool
) -> list[Tally]:
    """Let all happen, one fault after another, in one world."""
    tallies: list[Tally] = []
    with tempfile.TemporaryDirectory(prefix="turnbook-faults-", ignore_cleanup_errors=True) as home:
        async with World(Path(home), seed, everything=everything) as world:
            for fault in faults:
                # Each has chances of its own, so that it strikes alike when it runs alone.
                world.random.seed(f"{seed} {fault.name}")
                world.tally = Tally(fault.name)
                tallies.append(world.tally)
                began = time.monotonic()
                try:
                    await fault.inject(world)
                    await world.check_health()
                except Exception as error:
                    if verbose:
                        raise
                    world.tally.amiss(f"{fault.name}: the harness broke: {error!r}")
                tally = world.tally
                mark = "ok" if tally.clean else "WRONG"
                took = time.monotonic() - began
                world.say(f"    {mark:6}{tally.injected:5} x {fault.name} ({took:.1f} s)")
                for note in tally.notes[:5]:
                    world.say(f"           {note}")
            world.sweep()
    return tallies


def main() -> int:
    """0 when nothing was lost, doubled, sent too often or left in a wrong state."""
    parser = argparse.ArgumentParser(prog="python -m faults")
    parser.add_argument("--sample", action="store_true", help="strike at a few places of each fault")
    parser.add_argument("--seed", type=int, default=20261116)
    parser.add_argument("--only", default="", help="faults whose name has these words")
    parser.add_argument("--report", type=Path, help="write [name, passed] for each fault")
    parser.add_argument("--write", action="store_true", help="keep the table in docs and README")
    parser.add_argument("--verbose", action="store_true", help="end at the first broken fault")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    chosen = [fault for fault in catalog.FAULTS if args.only in fault.name]
    print(f"Seed {args.seed}", file=sys.stderr, flush=True)
    began = time.monotonic()
    tallies = asyncio.run(
        inject(chosen, args.seed, everything=not args.sample, verbose=args.verbose)
    )
    print("\n" + table.text(tallies))
    print(f"\nSeed {args.seed}; {time.monotonic() - began:.0f} s")
    for tally in tallies:
        for note in tally.notes[:20]:
            print(note)
    if args.report:
        checks = [[tally.fault, tally.clean] for tally in tallies]
        args.report.write_text(json.dumps(checks))
    if args.write:
        table.keep(tallies, args.seed)
    return 0 if all(tally.clean for tally in tallies) else 1


if __name__ == "__main__":
    sys.exit(main())
