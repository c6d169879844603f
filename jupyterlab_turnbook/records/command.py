"""The commands ``verify`` and ``record`` of ``jupyter turnbook``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_data_dir

from ..base.terminal import printable
from .verify import Findings, verify

Check = Callable[..., Findings]


def add_commands(commands: Any, look: Check = verify) -> None:
    """Add the parsers of both commands; `look` is what checks a file."""
    check = commands.add_parser(
        "verify",
        help="check that replay records are what was exported",
        description="Check replay records: the payload against its hash, the cells against the "
        "payload, the response if there is one, and the lineage, with the chat that they come "
        "from if it is there.",
    )
    check.add_argument("files", nargs="+", type=Path, metavar="FILE")
    check.add_argument(
        "--parent",
        type=Path,
        metavar="CHAT",
        help="the chat that the records come from, if it is not in their folder",
    )
    check.add_argument(
        "--with-response",
        action="store_true",
        help="fail if a record does not have the response",
    )
    write = commands.add_parser(
        "record",
        help="make the replay record of a pair",
        description="Make the replay record of a pair from its chat and the journal. It can run "
        "while the Jupyter server does; nothing is sent and the chat is not changed.",
    )
    write.add_argument("chat", type=Path, metavar="CHAT")
    write.add_argument(
        "--pair",
        metavar="ID",
        help="the id of the pair's cell; the last pair that was sent if not given",
    )
    write.add_argument(
        "--with-response",
        action="store_true",
        help="put the exact bytes that came back into the record, too",
    )
    write.add_argument(
        "--journal",
        type=Path,
        metavar="FOLDER",
        help="the folder of the journal, if the server's setting journal_dir names one",
    )
    write.add_argument(
        "--output", type=Path, metavar="FILE", help="a new file; beside the chat if not given"
    )
    check.set_defaults(run=partial(_verify, look))
    write.set_defaults(run=_record)


def _verify(look: Check, options: argparse.Namespace) -> int:
    results = [_report(path, options, look) for path in options.files]
    return 0 if all(results) else 1


def _record(options: argparse.Namespace) -> int:
    # `verify` does without the journal's modules.
    from . import make

    journal = options.journal or Path(jupyter_data_dir()) / "turnbook"
    try:
        notebook = make.make(
            options.chat, options.pair, journal, with_response=options.with_response
        )
        path = options.output or make.name_of(options.chat, notebook)
        make.write(notebook, path)
    except make.CannotRecord as error:
        print(printable(f"{options.chat}: FAILED\n  problem: {error}"))
        return 1
    print(f"{path}: written")
    return 0 if _report(path, argparse.Namespace(parent=options.chat, with_response=False)) else 1


def _report(path: Path, options: argparse.Namespace, look: Check = verify) -> bool:
    found = look(path, options.parent, with_response=options.with_response)
    if found.problems:
        print(f"{path}: FAILED")
    else:
        print(f"{path}: OK  sha256 {found.hash}")
        if found.response is not None:
            print(f"  response: sha256 {found.response}")
    for line in found.problems:
        print(printable(f"  problem: {line}"))
    for line in found.notes:
        print(printable(f"  note: {line}"))
    return not found.problems
