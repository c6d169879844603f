"""Says how far a rerun is: a line for people, or JSON lines for programs."""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any, Literal, TextIO

from ..base.terminal import printable
from .plan import Wanted
from .runner import Runner

Kind = Literal["text", "json", "none"]

_WINDOW = 10.0
_EVERY = 0.2
_EVERY_LINE = 5.0


class Progress:
    """Hears of what happens and tells it, not too often."""

    def __init__(
        self,
        kind: Kind,
        out: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kind = kind
        self._out = out or (sys.stdout if kind == "json" else sys.stderr)
        self._is_terminal = self._out.isatty()
        self._clock = clock
        self._ends: deque[float] = deque()
        self._last = -1e9
        self._said = 0
        self._width = 0

    def hear(self, runner: Runner, what: str, wanted: Wanted | None) -> None:
        """Something happened."""
        now = self._clock()
        if what == "result" and wanted is not None:
            self._ends.append(now)
            if self._kind == "json":
                self._print(_result(runner, wanted))
        for note in runner.tally.notes[self._said :]:
            self.note(note)
        self._said = len(runner.tally.notes)
        is_line = self._kind == "text" and not self._is_terminal
        pause = _EVERY_LINE if is_line else _EVERY
        if now - self._last >= pause:
            self.show(runner)

    def show(self, runner: Runner) -> None:
        """Say how far it is."""
        now = self._last = self._clock()
        facts = self.facts(runner, now)
        if self._kind == "json":
            self._print({"event": "progress", **facts})
        elif self._kind == "text":
            line = _line(facts)
            end = "\r" if self._is_terminal else "\n"
            self._out.write(line.ljust(self._width if self._is_terminal else 0) + end)
            self._out.flush()
            self._width = len(line)

    def note(self, text: str) -> None:
        """Say something that stays to be read."""
        if self._kind == "json":
            self._print({"event": "note", "message": text})
        elif self._kind == "text":
            line = printable(text)
            self._out.write(line.ljust(self._width if self._is_terminal else 0) + "\n")
            self._out.flush()

    def end(self, **facts: Any) -> None:
        """Say how it ended."""
        if self._kind == "json":
            self._print({"event": "end", **facts})

    def facts(self, runner: Runner, now: float) -> dict[str, Any]:
        """The figures of now."""
        while self._ends and self._ends[0] < now - _WINDOW:
            self._ends.popleft()
        tally = runner.tally
        span = min(_WINDOW, max(now - tally.began, 1e-3))
        rate = len(self._ends) / span
        left = tally.total - tally.had - tally.new
        return {
            "total": tally.total,
            "had": tally.had,
            "done": tally.done,
            "broken": tally.broken,
            "unknown": tally.unknown,
            "refused": tally.refused,
            "sent": tally.sent,
            "rate": round(rate, 2),
            "cost": round(tally.cost, 6),
            "unpriced": tally.unpriced,
            "secondsLeft": round(left / rate, 1) if rate and left else None if left else 0,
            "atOnce": {lane.provider: lane.pace.now for lane in runner.lanes},
        }

    def _print(self, value: dict[str, Any]) -> None:
        self._out.write(json.dumps(value) + "\n")
        self._out.flush()


def _result(runner: Runner, wanted: Wanted) -> dict[str, Any]:
    attempt = runner.results[wanted.key]
    answer = attempt.answer
    return {
        "event": "result",
        "key": wanted.key,
        "record": wanted.request.record.name,
        "model": str(wanted.request.target),
        "repeat": wanted.repeat,
        "request": wanted.request.hash,
        "attempt": attempt.n,
        "state": None if answer is None else answer.state,
        "message": "" if answer is None else answer.outcome["message"],
    }


def _line(facts: dict[str, Any]) -> str:
    ready = facts["had"] + facts["done"]
    parts = [f"{ready}/{facts['total']} replies"]
    parts += [f"{facts[name]} {name}" for name in ("broken", "unknown") if facts[name]]
    parts.append(f"{facts['rate']:g}/s")
    more = " or more" if facts["unpriced"] else ""
    parts.append(f"${facts['cost']:.4f}{more}")
    if facts["secondsLeft"]:
        minutes, seconds = divmod(round(facts["secondsLeft"]), 60)
        parts.append(f"{minutes}:{seconds:02d} left")
    parts += [f"{name} {limit} at once" for name, limit in facts["atOnce"].items()]
    return " · ".join(parts)
