"""The process in which the user's checks run: ``python -m jupyterlab_turnbook.rerun.checker FILE``.

A check is a function of the file whose name begins with ``check_``. It gets a reply as a dict and
fails if it raises an error or returns False.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

_LONGEST = 500


def load(file: Path) -> dict[str, Callable[[dict[str, Any]], Any]]:
    """The checks of a file, in its order."""
    spec = importlib.util.spec_from_file_location("turnbook_checks", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.resolve().parent))
    spec.loader.exec_module(module)
    return {
        name: value
        for name, value in vars(module).items()
        if name.startswith("check_") and callable(value)
    }


def run(name: str, check: Callable[[dict[str, Any]], Any], reply: dict[str, Any]) -> dict[str, Any]:
    """The result of one check."""
    try:
        passed, message = check(dict(reply)) is not False, "returned False"
    except Exception as error:  # noqa: BLE001 - a check may raise anything
        passed, message = False, f"{type(error).__name__}: {error}"
    return {"name": name, "passed": passed, "message": "" if passed else message[:_LONGEST]}


def main() -> None:
    """Answer each line with a line."""
    # The folder of the checks is the user's.
    sys.dont_write_bytecode = True
    questions, answers = _own()
    # What the checks print is for the user, not for who asks.
    with contextlib.redirect_stdout(sys.stderr):
        try:
            checks = load(Path(sys.argv[1]))
            error = None if checks else "it has no function whose name begins with check_"
        except Exception as raised:  # noqa: BLE001 - it is the user's file
            checks, error = {}, f"it cannot be loaded: {type(raised).__name__}: {raised}"
        print(json.dumps({"error": error} if error else {"checks": list(checks)}), file=answers)
        answers.flush()
        for line in questions:
            reply = json.loads(line)
            made = [run(name, check, reply) for name, check in checks.items()]
            print(json.dumps({"checks": made}), file=answers)
            answers.flush()


def _own() -> tuple[TextIO, TextIO]:
    """The pipes of who asks; processes that checks start read nothing, and print for the user."""
    questions = open(os.dup(0), encoding="utf-8")  # noqa: SIM115 - until the process ends
    answers = open(os.dup(1), "w", encoding="utf-8")  # noqa: SIM115
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return questions, answers


if __name__ == "__main__":
    main()
