"""When a turn may be tried again, and how long to wait; pure functions of what is known."""

from __future__ import annotations

from .model import Outcome, Turn
from .states import State

FIRST = 1_000
LONGEST = 60_000

_RETRIED_TYPES = ("network", "server", "rate")


def backoff(failures: int, retry_after: float | None = None) -> int:
    """Milliseconds to wait after so many failures in a row; the provider's wish is a floor."""
    grown = LONGEST if failures > 6 else min(FIRST * 2 ** max(failures - 1, 0), LONGEST)
    return max(grown, round((retry_after or 0) * 1000))


def eligible(state: State, end: Outcome | None, turn: Turn) -> bool:
    """Whether the server may start the next attempt by itself."""
    if not turn.auto or turn.paused is not None or end is None:
        return False
    if state not in ("failed", "interrupted"):
        # `unknown` may have been billed and answered: only the user can decide.
        return False
    return end.type in _RETRIED_TYPES and end.code != "quota"


def retryable(state: State) -> bool:
    """Whether the user may start another attempt."""
    return state in ("failed", "interrupted", "unknown", "stopped")
