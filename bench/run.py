"""Measure and print one table. `make bench ARGS=--quick` leaves the longest chat out."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import attachments
import codeout
import editing
import first_token
import growth
import manychats
import peruser
import references
import reopen
import replays
import reruns
import scale
import speedpage
import start
import streams
import updates
from table import Row, show

Options = argparse.Namespace


@dataclass(frozen=True)
class Part:
    """What can be measured alone."""

    title: str
    measure: Callable[[Options], Iterable[Row]]


PARTS = {
    "first-token": Part(
        "Time to first token", lambda options: first_token.rows(options.samples, options.warmup)
    ),
    "streams": Part("Many replies at once", lambda options: streams.rows(quick=options.quick)),
    "growth": Part("Growth of the journal", lambda options: growth.measure()),
    "updates": Part("Yjs updates for each reply", lambda options: updates.measure()),
    "request": Part("Editing a request", lambda options: editing.measure()),
    "replays": Part("Replays in the browser", lambda options: replays.measure()),
    "reopen": Part(
        "Opening a chat whose reply streams",
        lambda options: reopen.measure(rounds=3 if options.quick else 9),
    ),
    "start": Part(
        "From nothing to a chat", lambda options: start.measure(rounds=2 if options.quick else 5)
    ),
    "scale": Part(
        "Long chats in the browser (some minutes)",
        lambda options: scale.measure(quick=options.quick),
    ),
    "chats": Part(
        "Many chats that stream in one page",
        lambda options: manychats.measure(keys=60 if options.quick else 200),
    ),
    "attachments": Part(
        "Images in the browser",
        lambda options: attachments.measure(rounds=1 if options.quick else 5),
    ),
    "references": Part(
        "The list of references in the browser",
        lambda options: references.measure(rounds=1 if options.quick else 5),
    ),
    "codeout": Part(
        "Code to a notebook", lambda options: codeout.measure(rounds=5 if options.quick else 20)
    ),
    "rerun": Part("Reruns of records", lambda options: reruns.measure(quick=options.quick)),
    "hub": Part(
        "Users of a JupyterHub", lambda options: peruser.measure(users=2 if options.quick else 5)
    ),
}


def measured(part: Part, options: Options) -> tuple[list[Row], str]:
    """The rows of a part, and what ended it before its time, if anything did."""
    rows: list[Row] = []
    try:
        for row in part.measure(options):
            rows.append(row)
    except Exception as error:  # noqa: BLE001 - the other parts are measured
        traceback.print_exc()
        return rows, f"{type(error).__name__}: {error}".partition("\n")[0]
    return rows, ""


def main(arguments: list[str] | None = None) -> int:
    """Run everything. A missed target is told and is no failure; a part that breaks off is one."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--warmup", type=int, default=20)
    parser.add_argument(
        "--quick", action="store_true", help="without the longest chat and the most streams"
    )
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    parser.add_argument(
        "--write", action="store_true", help="put the rows into docs/speed.md, with date and load"
    )
    options = parser.parse_args(arguments)
    if options.write and options.quick:
        parser.error("the figures of a quick run are not for the documentation")
    # Ended from outside, the servers and the browser still have to be ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    before = os.getloadavg()[0]
    shown: list[Row] = []
    failed: dict[str, str] = {}
    for name in [options.only] if options.only else PARTS:
        print(f"==> {PARTS[name].title}", flush=True)
        began = os.getloadavg()[0]
        rows, error = measured(PARTS[name], options)
        shown += rows
        if error:
            failed[name] = error
        elif options.write:
            # At once: what is measured is kept, whatever comes after.
            speedpage.keep(name, rows, (began, os.getloadavg()[0]), order=list(PARTS))
    print()
    show(shown)
    # Times depend on what else the machine does; both sides of a ratio met the same.
    after = os.getloadavg()[0]
    print(f"\n{os.cpu_count()} cores, load {before:.1f} at the start and {after:.1f} at the end.")
    if before > 0.5 * (os.cpu_count() or 1):
        print("The machine had other work when this began: ratios count, not times.")
    for name, error in failed.items():
        print(f"FAILED: {name}, after the rows above that it has: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
