"""Runs the user's own checks of replies in a process of its own."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..records.javascript import well_formed
from .answer import Json
from .plan import CannotRerun

SECONDS = 60.0
"""How long the checks of one reply may take."""

# What Python needs to start; keys of providers are in none of these.
_ENVIRONMENT = (
    "HOME",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "USERPROFILE",
    "VIRTUAL_ENV",
)


def run_checks(
    file: Path, entries: Sequence[Json], payloads: dict[str, str], seconds: float = SECONDS
) -> dict[str, list[Json]]:
    """The results of the checks of each whole reply, by key: name, passed, message.

    Raises:
        CannotRerun: If the file cannot be loaded or has no checks.
    """
    found: dict[str, list[Json]] = {}
    todo = [entry for entry in entries if entry["state"] == "done"]
    while todo:
        done, todo = _session(file, todo, payloads, seconds)
        found.update(done)
    return found


def probe_checks(file: Path, seconds: float = SECONDS) -> list[str]:
    """The names of the checks in a file. Raises `CannotRerun` as `run_checks` does."""
    with _Checker(file) as checker:
        return _hello(file, checker, seconds)


def _session(
    file: Path, entries: Sequence[Json], payloads: dict[str, str], seconds: float
) -> tuple[dict[str, list[Json]], list[Json]]:
    """Check until the process ends; returns what was found and what is left."""
    found: dict[str, list[Json]] = {}
    with _Checker(file) as checker:
        names = _hello(file, checker, seconds)
        for place, entry in enumerate(entries):
            answer = checker.ask(_question(entry, payloads), seconds)
            if answer is None:
                # The next process goes on after this reply.
                message = f"the process ended, or took more than {seconds:g} seconds"
                found[entry["key"]] = [_failed(name, message) for name in names]
                return found, list(entries[place + 1 :])
            found[entry["key"]] = answer["checks"]
    return found, []


def _hello(file: Path, checker: _Checker, seconds: float) -> list[str]:
    hello = checker.ask(None, seconds)
    if hello is None:
        raise CannotRerun(f"{file}: the process that was to run its checks ended or hung.")
    if "error" in hello:
        raise CannotRerun(f"{file}: {hello['error']}")
    return list(hello["checks"])


class _Checker:
    """The process: a line in, a line out."""

    def __init__(self, file: Path) -> None:
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.checker", str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> _Checker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def ask(self, question: Json | None, seconds: float) -> Json | None:
        """The answer to a question; None if the process ended or took too long."""
        assert self._process.stdin is not None
        try:
            if question is not None:
                self._process.stdin.write(json.dumps(question) + "\n")
                self._process.stdin.flush()
            # A check may say anything, and no file may hold half a character.
            answer: Any = well_formed(json.loads(self._lines.get(timeout=seconds) or "null"))
        except (OSError, queue.Empty, ValueError):
            return None
        return answer if isinstance(answer, dict) else None

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")


def _question(entry: Json, payloads: dict[str, str]) -> Json:
    return {
        "record": entry["record"],
        "payload": json.loads(payloads[entry["record"]]),
        "model": f"{entry['provider']}/{entry['model']}",
        "repeat": entry["repeat"],
        **entry["reply"],
    }


def _failed(name: str, message: str) -> Json:
    return {"name": name, "passed": False, "message": message}


def failures(entries: Iterable[Json]) -> int:
    """How many checks failed."""
    return sum(not check["passed"] for entry in entries for check in entry["checks"])
