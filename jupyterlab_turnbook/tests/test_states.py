"""The states of a run, and when it may be retried."""

from __future__ import annotations

import itertools
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_turnbook.base.outcome import Outcome
from jupyterlab_turnbook.runs.model import Turn
from jupyterlab_turnbook.runs.retry import backoff, eligible, retryable
from jupyterlab_turnbook.runs.states import ALIVE, STATES, Happening, Progress, State, advance

HAPPENINGS = get_args(Happening)
EXPECTED: dict[tuple[str, str], str] = {
    ("claimed", "send"): "sending",
    ("sending", "answer"): "streaming",
    ("claimed", "crash"): "interrupted",
    ("sending", "crash"): "unknown",
    ("streaming", "crash"): "interrupted",
    **{(state, "finish"): "done" for state in ALIVE},
    **{(state, "fail"): "failed" for state in ALIVE},
    **{(state, "stop"): "stopped" for state in ALIVE},
    **{(state, "lose"): "interrupted" for state in ALIVE},
}


@pytest.mark.parametrize(("state", "happening"), itertools.product(STATES, HAPPENINGS))
def test_every_pair_of_state_and_happening(state: State, happening: Happening) -> None:
    after = advance(Progress(state, 10), happening, 20)
    expected = EXPECTED.get((state, happening), state)
    assert after == Progress(expected, 10 if expected == state else 20)  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.sampled_from(HAPPENINGS), st.integers(0, 1000))))
def test_ends_are_final_and_time_does_not_run_backwards(steps: list[tuple[Happening, int]]) -> None:
    progress = Progress("claimed", 500)
    for happening, at in steps:
        after = advance(progress, happening, at)
        assert after.at >= progress.at
        if progress.state not in ALIVE:
            assert after == progress
        progress = after


def test_states_are_all_listed() -> None:
    assert set(STATES) == set(get_args(State))


def test_backoff_doubles_up_to_a_minute() -> None:
    assert [backoff(n) for n in range(1, 9)] == [1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]
    assert backoff(10**6) == 60000
    assert backoff(0) == 1000


def test_retry_after_is_a_floor() -> None:
    assert backoff(1, 30) == 30_000
    assert backoff(7, 30) == 60_000
    assert backoff(1, 0.2) == 1000


TURN = Turn(auto=True, retry_at=None, failures=1, generation=1, paused=None)


@pytest.mark.parametrize(
    ("state", "end", "turn", "expected"),
    [
        ("interrupted", Outcome("network", "network"), TURN, True),
        ("failed", Outcome("server", "503"), TURN, True),
        ("failed", Outcome("rate", "rate"), TURN, True),
        ("failed", Outcome("rate", "quota"), TURN, False),
        ("failed", Outcome("auth", "auth"), TURN, False),
        ("failed", Outcome("unknown", "context_length_exceeded"), TURN, False),
        ("unknown", Outcome("unknown", "unknown"), TURN, False),
        ("stopped", Outcome(), TURN, False),
        ("done", Outcome(), TURN, False),
        ("streaming", None, TURN, False),
        ("failed", Outcome("server", "503"), Turn(False, None, 1, 1, None), False),
        ("failed", Outcome("server", "503"), Turn(True, None, 5, 1, "five in a row"), False),
    ],
)
def test_what_is_retried_automatically(
    state: State, end: Outcome | None, turn: Turn, expected: bool
) -> None:
    assert eligible(state, end, turn) is expected


def test_what_the_user_may_retry() -> None:
    assert [state for state in STATES if retryable(state)] == [
        "failed",
        "stopped",
        "interrupted",
        "unknown",
    ]
