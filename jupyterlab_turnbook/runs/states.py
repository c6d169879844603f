"""The states of a run and the transitions between them, as a pure function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal[
    "claimed", "sending", "streaming", "done", "failed", "stopped", "interrupted", "unknown"
]
"""The state of a run."""

Happening = Literal["send", "answer", "finish", "fail", "stop", "lose", "crash"]
"""What can happen to a run. `lose` means the connection broke, `crash` that its process died."""

STATES: tuple[State, ...] = (
    "claimed",
    "sending",
    "streaming",
    "done",
    "failed",
    "stopped",
    "interrupted",
    "unknown",
)
ALIVE: frozenset[State] = frozenset({"claimed", "sending", "streaming"})

_ENDS: dict[Happening, State] = {
    "finish": "done",
    "fail": "failed",
    "stop": "stopped",
    "lose": "interrupted",
}


@dataclass(frozen=True)
class Progress:
    """A state and when it was entered, in milliseconds."""

    state: State
    at: int


def advance(progress: Progress, happening: Happening, at: int) -> Progress:
    """The next state; a happening that does not apply to the current state changes nothing."""
    state = _next(progress.state, happening)
    return progress if state == progress.state else Progress(state, max(at, progress.at))


def _next(state: State, happening: Happening) -> State:
    if state not in ALIVE:
        return state
    if happening == "send":
        return "sending" if state == "claimed" else state
    if happening == "answer":
        return "streaming" if state == "sending" else state
    if happening == "crash":
        # It died while sending, so the request may or may not have left.
        return "unknown" if state == "sending" else "interrupted"
    return _ENDS[happening]
