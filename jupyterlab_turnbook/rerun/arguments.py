"""The arguments of ``rerun``, ``diff`` and ``inspect``. What runs them is loaded when it is needed."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from .limits import FAILURES, MOST, START


def _rerun(options: argparse.Namespace) -> int:
    from . import command

    return command.rerun(options)


def _inspect(options: argparse.Namespace) -> int:
    from . import command

    return command.inspect(options)


def _diff(options: argparse.Namespace) -> int:
    from . import command

    return command.diff(options)


def add_commands(commands: Any) -> None:
    """Add the parsers of both commands."""
    parser = commands.add_parser(
        "rerun",
        help="send the requests of replay records again, to several models, several times",
        description="Send the requests of replay records again. The payloads are the records' "
        "bytes with only the model, and what --set names, replaced. The same command finishes "
        "what is missing and repeats nothing.",
    )
    parser.set_defaults(run=_rerun)
    add = parser.add_argument
    add("records", nargs="+", type=Path, metavar="RECORD", help="records, or folders with records")
    add(
        "--model",
        action="append",
        default=[],
        metavar="A,B",
        help="models, as provider/model; by default the record's own",
    )
    add(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="a value to replace or add, as in temperature=0",
    )
    add("--repeat", type=_at_least_1, default=1, metavar="N", help="how often each is asked")
    add("--out", type=Path, required=True, metavar="FILE", help="the results notebook")
    add(
        "--store", type=Path, metavar="FILE", help="where replies are kept; by default beside --out"
    )
    add("--again", action="store_true", help="also send unknown and broken ones once more")
    add("--dry-run", action="store_true", help="say requests, tokens and price; send nothing")
    add("--max-requests", type=_at_least_1, metavar="N", help="send at most so many requests")
    add("--max-cost", type=_dollars, metavar="DOLLARS", help="stop before more than this is spent")
    add(
        "--price",
        action="append",
        default=[],
        metavar="MODEL=IN,OUT",
        help="dollars for a million tokens",
    )
    add(
        "--concurrency",
        type=_at_least_1,
        default=START,
        metavar="N",
        help=f"requests at once to a provider at first ({START})",
    )
    add(
        "--max-concurrency",
        dest="most",
        type=_at_least_1,
        default=MOST,
        metavar="N",
        help=f"requests at once to a provider at most ({MOST})",
    )
    add("--schema", type=Path, metavar="FILE", help="a JSON schema for replies")
    add("--check", type=Path, metavar="FILE.py", help="a file with functions check_…(reply)")
    add(
        "--against",
        type=Path,
        metavar="RESULTS",
        help="compare with these results, not with the records' responses",
    )
    add(
        "--fail-on",
        action="append",
        default=[],
        metavar="WHAT",
        help=f"exit with 1 on any of {', '.join(FAILURES)}",
    )
    add("--json", type=Path, metavar="FILE", help="write a report as JSON")
    add("--junit", type=Path, metavar="FILE", help="write a report as JUnit's XML")
    add(
        "--progress",
        choices=("text", "json", "none"),
        default="text",
        help="how to say how far it is",
    )
    add(
        "--dask",
        metavar="ADDRESS",
        help="send from the workers of this Dask scheduler; `local` starts some",
    )
    add("--workers", type=_at_least_1, default=2, metavar="N", help="workers of --dask local (2)")
    compare = commands.add_parser(
        "diff",
        help="compare two results notebooks",
        description="Compare the replies of two results notebooks, by record, model and repeat.",
    )
    compare.set_defaults(run=_diff)
    compare.add_argument("a", type=Path, metavar="A")
    compare.add_argument("b", type=Path, metavar="B")
    compare.add_argument("--json", action="store_true", help="print JSON")
    export = commands.add_parser(
        "inspect",
        help="write results as logs of Inspect",
        description="Write a results notebook as logs of Inspect (inspect_ai), one for each model.",
    )
    export.set_defaults(run=_inspect)
    export.add_argument("results", type=Path, metavar="RESULTS")
    export.add_argument(
        "--output", type=Path, default=Path("logs"), metavar="FOLDER", help="where they go (logs)"
    )


def _dollars(text: str) -> float:
    value = float(text)
    # No number is more than NaN.
    if not (math.isfinite(value) and value >= 0):
        raise argparse.ArgumentTypeError("must be an amount of dollars")
    return value


def _at_least_1(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value
