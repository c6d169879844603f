"""Starts `jupyter turnbook` quickly: a process that has loaded the modules, and forks.

`python -m faults.rerunner` reads one JSON object a line, `{arguments, environment, log, hooks}`. It
answers with the pid of a new process, and with its status when it has ended.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

from jupyterlab_turnbook.command import main as turnbook
from jupyterlab_turnbook.rerun import command, notebook, store  # noqa: F401  (loaded once, for all)

from .hooks import FaultyConnection, Hooks


def _install(hooks: Hooks) -> None:
    """Count commits and files that are replaced, and strike at one of them."""
    FaultyConnection.hooks = hooks

    class Sqlite:
        """The module `sqlite3` as the store sees it."""

        def __getattr__(self, name: str) -> Any:
            return _connect if name == "connect" else getattr(sqlite3, name)

    def _connect(file: Path, **options: Any) -> sqlite3.Connection:
        return sqlite3.connect(file, factory=FaultyConnection, **options)

    class Os:
        """The module `os` as who writes notebooks sees it."""

        def __getattr__(self, name: str) -> Any:
            return _replace if name == "replace" else getattr(os, name)

    def _replace(name: str, path: Path) -> None:
        hooks.about_to_commit()
        os.replace(name, path)
        hooks.committed()

    vars(store)["sqlite3"] = Sqlite()
    vars(notebook)["os"] = Os()


def _run(job: dict[str, Any]) -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(job["environment"])
    log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(log, stream)
    hooks = Hooks(**job["hooks"])
    _install(hooks)
    code = turnbook(job["arguments"])
    Path(job["log"]).with_suffix(".writes").write_text(str(hooks.commits))
    return code


def main() -> None:
    """Fork for each line of stdin, one after another."""
    # Ctrl+C is for the one who counts.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("{}", flush=True)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = _run(json.loads(line))
            finally:
                os._exit(code)
        print(json.dumps({"pid": pid}), flush=True)
        _, status = os.waitpid(pid, 0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    main()
