"""``jupyter turnbook``: what can be done with chats on the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .records import command as records
from .records.verify import Findings, verify
from .rerun import arguments as rerun


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 if it went well."""
    parser = argparse.ArgumentParser(prog="jupyter turnbook", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    records.add_commands(commands, _check)
    rerun.add_commands(commands)
    options = parser.parse_args(arguments)
    return int(options.run(options))


def _check(path: Path, parent: Path | None, *, with_response: bool) -> Findings:
    """Check a record or a results notebook, whichever it is."""
    if _may_be_results(path):
        from .rerun import reading

        if reading.is_results(path):
            return reading.verify_results(path)
    return verify(path, parent, with_response=with_response)


def _may_be_results(path: Path) -> bool:
    # Records are checked without loading what results need.
    try:
        return b'"results"' in path.read_bytes()
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
