"""``jupyter turnbook``: what can be done with chats on the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .verify import verify


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 if all records are good, else 1."""
    parser = argparse.ArgumentParser(prog="jupyter turnbook", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser(
        "verify",
        help="check that replay records are what was exported",
        description="Check replay records: the payload against its hash, the cells against the "
        "payload, and the lineage, with the chat that they come from if it is there.",
    )
    check.add_argument("files", nargs="+", type=Path, metavar="FILE")
    check.add_argument(
        "--parent",
        type=Path,
        metavar="CHAT",
        help="the chat that the records come from, if it is not in their folder",
    )
    options = parser.parse_args(arguments)
    results = [_report(path, options.parent) for path in options.files]
    return 0 if all(results) else 1


def _report(path: Path, parent: Path | None) -> bool:
    found = verify(path, parent)
    if found.problems:
        print(f"{path}: FAILED")
    else:
        print(f"{path}: OK  sha256 {found.hash}")
    for line in found.problems:
        print(f"  problem: {line}")
    for line in found.notes:
        print(f"  note: {line}")
    return not found.problems


if __name__ == "__main__":
    sys.exit(main())
