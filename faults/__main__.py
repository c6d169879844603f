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

from . import catalog, selftest, table
from .tally import Tally
from .world import World

Checks = list[tuple[str, bool]]


async def inject(
    faults: list[catalog.Fault], seed: int, *, everything: bool, verbose: bool
) -> tuple[list[Tally], Checks]:
    """Let all happen, one fault after another, in one world; and show that the counting sees."""
    task = asyncio.current_task()
    assert task is not None
    # Ended from outside, the servers still have to be ended.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    tallies: list[Tally] = []
    with tempfile.TemporaryDirectory(prefix="turnbook-faults-", ignore_cleanup_errors=True) as home:
        async with World(Path(home), seed, everything=everything) as world:
            world.random.seed(seed)
            checks = await selftest.found_out(world)
            for name, good in checks:
                world.say(f"    {'ok' if good else 'WRONG':6}{name}")
            for fault in faults:
                # Each has chances of its own, so that it strikes alike when it runs alone.
                world.random.seed(f"{seed} {fault.name}")
                world.tally = Tally(fault.name, fault.client)
                tallies.append(world.tally)
                await _inject(world, fault, verbose)
            world.sweep()
    return tallies, checks


async def _inject(world: World, fault: catalog.Fault, verbose: bool) -> None:
    began = time.monotonic()
    tally = world.tally
    try:
        await fault.inject(world)
        await world.check_health()
    except Exception as error:
        if verbose:
            raise
        tally.amiss(f"{fault.name}: the harness broke: {error!r}")
    if not tally.injected:
        tally.amiss(f"{fault.name}: it was never injected")
    mark = "ok" if tally.clean else "WRONG"
    took = time.monotonic() - began
    world.say(f"    {mark:6}{tally.injected:5} x {fault.name} ({took:.1f} s)")
    for note in tally.notes[:5]:
        world.say(f"           {note}")


def main() -> int:
    """0 when nothing was lost, doubled, sent too often or left in a wrong state."""
    parser = argparse.ArgumentParser(prog="python -m faults")
    parser.add_argument(
        "--sample", action="store_true", help="strike at a few places of each fault"
    )
    parser.add_argument("--seed", type=int, default=20261116)
    parser.add_argument("--only", default="", help="faults whose name has these words")
    parser.add_argument("--report", type=Path, help="write [name, passed, notes] for each fault")
    parser.add_argument(
        "--write", action="store_true", help="write the table of a whole run into docs/"
    )
    parser.add_argument("--verbose", action="store_true", help="end at the first broken fault")
    args = parser.parse_args()
    chosen = [fault for fault in catalog.FAULTS if args.only in fault.name]
    print(f"Seed {args.seed}", file=sys.stderr, flush=True)
    began = time.monotonic()
    tallies, checks = asyncio.run(
        inject(chosen, args.seed, everything=not args.sample, verbose=args.verbose)
    )
    print("\n" + table.text(tallies))
    found = sum(good for _, good in checks)
    print(f"\n{found} of {len(checks)} servers and pages that are wrong on purpose were found out.")
    took = time.monotonic() - began
    print(f"Seed {args.seed}; {took:.0f} s")
    for tally in tallies:
        for note in tally.notes[:20]:
            print(note)
    if args.report:
        rows = [(one.fault, one.clean, "\n".join(one.notes[:20])) for one in tallies]
        args.report.write_text(json.dumps([*checks, *rows]))
    if args.write and args.sample:
        print("The documentation has the counts of whole runs: those of a sample are not written.")
    elif args.write:
        run = table.Run(args.seed, round(took), everything=chosen == catalog.FAULTS)
        table.keep(tallies, run, [fault.name for fault in catalog.FAULTS])
    return 0 if all(good for _, good in checks) and all(one.clean for one in tallies) else 1


if __name__ == "__main__":
    sys.exit(main())
