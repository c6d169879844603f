"""Models of one provider that share the limit of an account, and one that has a limit of its own."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from dataclasses import dataclass, field

import pytest

from jupyterlab_turnbook.rerun.answer import Answer
from jupyterlab_turnbook.rerun.lane import Lane
from jupyterlab_turnbook.rerun.limits import Pace
from jupyterlab_turnbook.rerun.plan import Wanted

from .test_rerun_limits import WHOLE, refused, some

REFUSED_AFTER = 0.05
"""Seconds."""


@dataclass
class Account:
    """Accepts so many requests per second, with a burst; never those to some models."""

    burst: float
    per_second: float = 1.0
    reply: float = 3.0
    """Seconds that a reply takes."""
    waits: float | None = None
    never: tuple[str, ...] = ()
    _left: float = field(init=False)
    _at: float = 0.0

    def __post_init__(self) -> None:
        self._left = self.burst

    def asked(self, model: str, now: float) -> tuple[float, Answer]:
        """When it answers, and what."""
        self._left = min(self.burst, self._left + (now - self._at) * self.per_second)
        self._at = now
        if model in self.never or self._left < 1:
            return now + REFUSED_AFTER, refused(429, "rate", "rate", self.waits)
        self._left -= 1
        return now + self.reply, WHOLE


@dataclass
class Minutes(Account):
    """Accepts 60 in each minute of the clock."""

    _used: Counter[int] = field(default_factory=Counter)

    def asked(self, model: str, now: float) -> tuple[float, Answer]:
        """When it answers, and what."""
        minute = int(now // 60)
        if self._used[minute] >= 60:
            return now + REFUSED_AFTER, refused(429, "rate", "rate", self.waits)
        at, answer = super().asked(model, now)
        self._used[minute] += answer.is_good
        return at, answer


@dataclass
class Rerun:
    """What came of a rerun, in seconds of a clock that is not waited for."""

    good: Counter[str] = field(default_factory=Counter)
    last: dict[str, float] = field(default_factory=dict)
    """When the last answer of each model came."""
    refused: Counter[str] = field(default_factory=Counter)
    stops: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, account: Account, lane: Lane) -> Rerun:
        """Send all of a lane."""
        made = cls()
        now, order = 0.0, itertools.count()
        coming: list[tuple[float, int, Wanted, Answer]] = []
        while coming or not lane.is_empty:
            while (wanted := lane.take(now)) is not None:
                at, answer = account.asked(wanted.request.target.model, now)
                heapq.heappush(coming, (at, next(order), wanted, answer))
            due = lane.due_in(now)
            now = min([each[0] for each in coming[:1]] + ([] if due is None else [now + due]))
            while coming and coming[0][0] <= now:
                _, _, wanted, answer = heapq.heappop(coming)
                made._add(wanted.request.target.model, answer, now)
                made.stops += filter(None, [lane.ended(wanted, answer, now)])
        return made

    def _add(self, model: str, answer: Answer, now: float) -> None:
        self.last[model] = now
        (self.good if answer.is_good else self.refused)[model] += 1


@pytest.mark.parametrize("reply", [0.3, 3.0, 20.0])
@pytest.mark.parametrize(
    ("burst", "waits", "models"),
    [(40, None, 2), (40, 1.0, 3), (8, 5.0, 6), (8, 20.0, 2), (1, None, 6), (1, 5.0, 3)],
)
def test_models_that_share_a_limit_get_all_their_replies(
    burst: float, waits: float | None, models: int, reply: float
) -> None:
    names = [str(number) for number in range(models)]
    lane = Lane("p", some(300 // models, *names), Pace())
    made = Rerun.of(Account(burst, reply=reply, waits=waits), lane)
    assert made.stops == []
    assert made.good == dict.fromkeys(names, 300 // models)


@pytest.mark.parametrize("models", [2, 3, 6])
@pytest.mark.parametrize("waits", [None, 1.0, 5.0, 20.0])
def test_models_that_share_the_requests_of_a_minute_get_all_their_replies(
    waits: float | None, models: int
) -> None:
    lane = Lane("p", some(300 // models, *map(str, range(models))), Pace())
    made = Rerun.of(Minutes(40, 40, waits=waits), lane)
    assert (made.stops, made.good.total()) == ([], 300)
    assert max(made.last.values()) < 600


@pytest.mark.parametrize("reply", [0.3, 3.0, 20.0])
@pytest.mark.parametrize("waits", [None, 1.0, 5.0, 20.0])
def test_a_model_that_is_always_limited_does_not_delay_another(
    waits: float | None, reply: float
) -> None:
    def rerun(*models: str) -> Rerun:
        account = Account(1000, 1000, reply, waits, never=("limited",))
        return Rerun.of(account, Lane("p", some(300, *models), Pace()))

    made = rerun("limited", "good")
    assert made.good == {"good": 300}
    assert made.last["good"] <= 1.25 * rerun("good").last["good"]
    # It is tried with few requests, and stops soon after there is nothing else to wait for.
    assert made.refused["limited"] < 150
    assert made.last["limited"] - made.last["good"] < 360
    [why] = made.stops
    assert why.startswith("p/limited: no more is sent. It still refuses after 6 pauses.")


def test_an_always_limited_model_stops_beside_models_that_share_a_limit() -> None:
    lane = Lane("p", some(100, "limited", "one", "other"), Pace())
    made = Rerun.of(Account(40, waits=5.0, never=("limited",)), lane)
    assert made.good == {"one": 100, "other": 100}
    assert [why.split(":")[0] for why in made.stops] == ["p/limited"]


def test_an_account_that_answers_nothing_is_given_a_minute() -> None:
    made = Rerun.of(Account(0, 0, waits=1.0), Lane("p", some(100, "one", "other"), Pace()))
    assert len(made.stops) == 2
    assert all(60 < last < 90 for last in made.last.values())
