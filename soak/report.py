"""What a run prints in the end, and whether all is well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from faults.tally import Tally

from .memory import Sample, growth

LEAST_TURNS = 2.0
"""Turns a minute, of the browser as of the API; with fewer, nothing is shown."""
MOST_HINDERED = 0.25
"""The share of what the user tried that may fail because something was broken at that moment."""
MANY = 300
"""Among so many things that were done, each kind has worked."""


def show(
    tallies: Sequence[Tally],
    did: Counter[str],
    hindered: Counter[str],
    faults: Mapping[str, int],
    kinds: Collection[str],
    minutes: float,
) -> bool:
    """Print what was done and counted; whether all is well."""
    print("\ndid         " + ", ".join(f"{name} {n}" for name, n in did.most_common()))
    print("hindered    " + ", ".join(f"{name} {n}" for name, n in hindered.most_common()))
    print("faults      " + ", ".join(f"{name} {n}" for name, n in faults.items()))
    print(f"\n{'':24}{'turns':>8}{'lost':>8}{'twice':>8}{'extra':>8}{'wrong':>8}")
    good = True
    for tally in tallies:
        good &= tally.clean
        cells = (tally.injected, tally.lost, tally.duplicated, tally.extra, tally.wrong)
        print(f"{tally.fault:24}" + "".join(f"{cell:8}" for cell in cells))
        for note in tally.notes[:40]:
            print(f"    {note}")
    lacks = [*too_few(tallies, minutes), *too_hindered(did, hindered, kinds)]
    for lack in lacks:
        print(f"TOO LITTLE: {lack}")
    return good and not lacks


def too_few(tallies: Sequence[Tally], minutes: float) -> list[str]:
    """What was done too seldom for a verdict."""
    return [
        f"{tally.injected} {tally.fault} in {minutes:.1f} minutes"
        for tally in tallies
        if tally.injected < LEAST_TURNS * minutes
    ]


def too_hindered(did: Counter[str], hindered: Counter[str], kinds: Collection[str]) -> list[str]:
    """What worked too seldom for a verdict."""
    lacks = []
    tried = sum(did.values())
    if sum(hindered.values()) > MOST_HINDERED * tried:
        lacks.append(f"{sum(hindered.values())} of {tried} acts were hindered")
    lacks += [
        f"{name} was hindered {hindered[name]} times of {did[name]}"
        for name in did
        if did[name] >= 10 and hindered[name] > did[name] / 2
    ]
    if tried >= MANY:
        lacks += [f"{name} never worked" for name in kinds if did[name] == hindered[name]]
    return lacks


def show_memory(samples: Mapping[str, Sequence[Sample]], own: Mapping[str, float]) -> bool:
    """Print what was held while one page and one server lived; whether nothing grows."""
    good = True
    head = ("first", "last", "a minute", "a chat opened", "a notebook's")
    print(f"\n{'with all chats closed':24}" + "".join(f"{each:>16}" for each in head))
    for name, taken in samples.items():
        found = growth(name, taken, own.get(name))
        good &= not found.verdict
        ends = (taken[0].value, taken[-1].value) if taken else (0, 0)
        cells = [f"{end:,.0f}" for end in ends]
        slopes = (found.by_minute, found.by_chat, own.get(name))
        cells += ["" if each is None else f"{each:+,.2f}" for each in slopes]
        line = f"{name:24}" + "".join(f"{cell:>16}" for cell in cells)
        print(f"{line}  {found.verdict}".rstrip())
    return good
