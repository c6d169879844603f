"""Decides whether and when a turn is retried. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..base.outcome import Outcome
from .model import Turn, TurnKey
from .states import State

FIRST = 1_000
LONGEST = 60_000
MOST_BILLED = 5

_YEAR = 366 * 24 * 3600 * 1000
_RETRIED_TYPES = ("network", "server", "rate")
_TOO_OFTEN = (
    f"{MOST_BILLED} attempts in a row may have been billed and brought no new text, so automatic "
    "retries are paused. Retry now to try once more."
)


@dataclass(frozen=True)
class Ended:
    """How an attempt ended, as far as it matters for retrying."""

    state: State
    outcome: Outcome | None
    billable: bool
    """Whether the provider may have accepted the request and so may bill it."""
    reached: int
    """Characters of the reply so far, including the attempts that it continues."""
    dropped: bool = False


@dataclass(frozen=True)
class Waiting:
    """A turn that is waiting for its next attempt."""

    turn: TurnKey
    generation: int
    attempt: int
    """The number of the next attempt."""
    retry_at: int
    whole: int
    """The full wait in milliseconds; the time left never exceeds it."""
    owner: str
    busy: str | None
    """The owner of a live run of the chat that has to end first; None if there is none."""


def backoff(failures: int, retry_after: float | None = None) -> int:
    """Milliseconds to wait after this many consecutive failures; `retry_after` is a lower bound."""
    grown = LONGEST if failures > 6 else min(FIRST * 2 ** max(failures - 1, 0), LONGEST)
    return max(grown, round(min((retry_after or 0) * 1000, _YEAR)))


def eligible(state: State, end: Outcome | None, turn: Turn) -> bool:
    """Whether the server may start the next attempt automatically."""
    if not turn.auto or turn.paused is not None or end is None:
        return False
    if state not in ("failed", "interrupted"):
        # An `unknown` run may have been answered and billed; only the user can decide.
        return False
    return end.type in _RETRIED_TYPES and end.code != "quota"


def retryable(state: State) -> bool:
    """Whether the user may start another attempt."""
    return state in ("failed", "interrupted", "unknown", "stopped")


def is_compared(state: State) -> bool:
    """Whether it matters how far an attempt came that ended so."""
    return state not in ("done", "stopped")


def after_end(turn: Turn, ended: Ended, at: int) -> Turn:
    """The turn's new state after an attempt has ended."""
    if ended.state == "done":
        return replace(turn, failures=0, billed=0, reached=0, paused=None, retry_at=None)
    if ended.state == "stopped":
        return replace(turn, retry_at=None)
    fresh = ended.reached > turn.reached
    counted = replace(
        turn,
        failures=turn.failures + 1,
        billed=0 if fresh else turn.billed + ended.billable,
        reached=max(turn.reached, ended.reached),
        paused=None if fresh else turn.paused,
    )
    return scheduled(counted, ended, at)


def scheduled(turn: Turn, ended: Ended, at: int) -> Turn:
    """The turn with the time of its next attempt, or paused, or with no attempt to come."""
    if ended.dropped or not eligible(ended.state, ended.outcome, turn):
        return replace(turn, retry_at=None)
    if turn.billed >= MOST_BILLED:
        return replace(turn, retry_at=None, paused=_TOO_OFTEN)
    wish = ended.outcome.retry_after if ended.outcome else None
    return replace(turn, retry_at=at + backoff(turn.failures, wish))


def left(waiting: Waiting, now: int) -> int:
    """Milliseconds until it is due; setting the clock back does not prolong the wait."""
    return min(max(waiting.retry_at - now, 0), waiting.whole)
