"""Inject every fault, count what went wrong, print one table.

python -m faults [--sample] [--only WORDS] [--part K/N] [--seed N] [--report FILE] [--write]
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
    faults: list[catalog.Fault], seed: int, *, everything: bool, checking: bool, verbose: bool
) -> tuple[list[Tally], Checks]:
    """Let all happen, one fault after another, in one world; when `checking`, show that the counting sees."""
    task = asyncio.current_task()
    assert task is not None
    # Ended from outside, the servers still have to be ended.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    tallies: list[Tally] = []
    with tempfile.TemporaryDirectory(prefix="turnbook-faults-", ignore_cleanup_errors=True) as home:
        async with World(Path(home), seed, everything=everything) as world:
            world.random.seed(seed)
            checks = await selftest.found_out(world) if checking else []
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


def _part(text: str) -> tuple[int, int]:
    part, _, of = text.partition("/")
    if not 1 <= int(part) <= int(of):
        raise argparse.ArgumentTypeError("is K/N, from 1/N to N/N")
    return int(part), int(of)


def main() -> int:
    """0 when nothing was lost, doubled, sent too often or left in a wrong state."""
    parser = argparse.ArgumentParser(prog="python -m faults")
    parser.add_argument(
        "--sample", action="store_true", help="strike at a few places of each fault"
    )
    parser.add_argument("--seed", type=int, default=20261116)
    parser.add_argument("--only", default="", help="faults whose name has these words")
    parser.add_argument(
        "--part",
        type=_part,
        default=(1, 1),
        metavar="K/N",
        help="every N-th of them, from the K-th; what is wrong on purpose is in the first part",
    )
    parser.add_argument("--report", type=Path, help="write [name, passed, notes] for each fault")
    parser.add_argument(
        "--write", action="store_true", help="write the table of a whole run into docs/"
    )
    parser.add_argument("--verbose", action="store_true", help="end at the first broken fault")
    args = parser.parse_args()
    part, parts = args.part
    chosen = [fault for fault in catalog.FAULTS if args.only in fault.name][part - 1 :: parts]
    print(f"Seed {args.seed}", file=sys.stderr, flush=True)
    began = time.monotonic()
    tallies, checks = asyncio.run(
        inject(
            chosen,
            args.seed,
            everything=not args.sample,
            checking=part == 1,
            verbose=args.verbose,
        )
    )
    print("\n" + table.text(tallies))
    found = sum(good for _, good in checks)
    if checks:
        print(f"\n{found} of {len(checks)} servers and pages wrong on purpose were found out.")
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
