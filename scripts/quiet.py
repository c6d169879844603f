"""Runs a command with its output in a log, and shows its progress in one line.

    python scripts/quiet.py TITLE COMMAND [ARGUMENT ...]

In a terminal that line is rewritten in place; elsewhere a line is printed every half minute. If the
command fails, the end of its output and the log's path are shown. Needs only Python.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / ".logs"
TAIL = 40
"""How many lines of a failed command's output are shown."""

EVERY = 30.0
"""Seconds between progress lines where they cannot be rewritten in place."""

Progress = Callable[[str], "str | None"]

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def plain(line: str) -> str:
    """A line without colours and cursor movements."""
    return _ESCAPES.sub("", line).rsplit("\r", 1)[-1].strip()


def any_line(line: str) -> str | None:
    """Shows every line that is not empty as progress."""
    return line or None


class _Screen:
    """Shows the progress of one command, beside those that run at the same time."""

    _running: ClassVar[list[_Screen]] = []
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, title: str) -> None:
        self._title = title
        self._began = time.monotonic()
        self._in_place = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self._said = ""
        self._shown = self._began
        self._done = threading.Event()
        with self._lock:
            self._running.append(self)
            if not self._in_place:
                print(f"==> {title}", flush=True)
        self._ticker = threading.Thread(target=self._tick, daemon=True)
        self._ticker.start()

    def say(self, text: str) -> None:
        """Set the text of the next update."""
        self._said = text

    def end(self, failed: bool) -> None:
        """Show the outcome."""
        self._done.set()
        self._ticker.join()
        outcome = "FAILED after" if failed else "done in"
        with self._lock:
            if self._in_place:
                print(f"\r\x1b[K==> {self._title}: {outcome} {self._seconds()}", flush=True)
            else:
                print(f"    {self._name()}{outcome} {self._seconds()}", flush=True)
            self._running.remove(self)

    def _tick(self) -> None:
        while not self._done.wait(0.2):
            with self._lock:
                if self._in_place:
                    self._rewrite()
                elif time.monotonic() - self._shown >= EVERY:
                    self._shown = time.monotonic()
                    print(f"    {self._name()}{self._seconds()}: {self._said[:100]}", flush=True)

    def _rewrite(self) -> None:
        """One line for all that run, written by the first of them."""
        if self is self._running[0]:
            parts = [f"{one._title} ({one._seconds()}) {one._said}" for one in self._running]
            width = shutil.get_terminal_size().columns - 1
            each = max(20, (width - 4) // len(parts) - 3)
            line = "==> " + " | ".join(part[:each] for part in parts)
            print(f"\r\x1b[K{line[:width]}", end="", flush=True)

    def _name(self) -> str:
        """The title, where a line could be of another command."""
        return f"{self._title}: " if len(self._running) > 1 else ""

    def _seconds(self) -> str:
        return f"{time.monotonic() - self._began:.0f} s"


def log_path(title: str) -> Path:
    """The log of the command with that title."""
    return LOGS / (re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") + ".log")


def write_log(title: str, text: str) -> None:
    """Write the log of a command that could not be started."""
    log = log_path(title)
    log.parent.mkdir(exist_ok=True)
    log.write_text(text, encoding="utf-8")


def run(
    title: str,
    command: list[str],
    *,
    env: Mapping[str, str] | None = None,
    progress: Progress = any_line,
    show_end: bool = True,
) -> int:
    """Run a command; returns its exit code. If it fails, the end of its output is shown."""
    log = log_path(title)
    log.parent.mkdir(exist_ok=True)
    screen = _Screen(title)
    code = 1
    try:
        with log.open("w", encoding="utf-8") as file:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
            )
            assert process.stdout is not None
            for line in process.stdout:
                file.write(line)
                said = progress(plain(line))
                if said:
                    screen.say(said)
            code = process.wait()
    except OSError as error:
        write_log(title, f"{error}\n")
    finally:
        screen.end(code != 0)
    if code != 0 and show_end:
        print_end(title)
    return code


def print_end(title: str) -> None:
    """Print the end of a command's output, and the path of its log."""
    log = log_path(title)
    with log.open(encoding="utf-8", errors="replace") as file:
        last = deque(filter(None, map(plain, file)), maxlen=TAIL)
    for line in last:
        print(f"    | {line}")
    print(f"    The whole output: {log.relative_to(ROOT)}", flush=True)


def main() -> int:
    """The entry point for the Makefile."""
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return run(sys.argv[1], sys.argv[2:])
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
