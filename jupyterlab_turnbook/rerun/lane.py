"""The requests of one provider: which goes next, when, and whether any more go."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, deque
from collections.abc import Iterable

from ..runs.retry import backoff
from .answer import NO_MODEL, Answer
from .limits import IN_A_ROW, LONGEST_WAIT, TRIES, Pace
from .plan import Target, Wanted

_STOPPING = {
    "quota": "The account has no credit left",
    "auth": "The provider refuses the key",
    "bad-provider": "The provider cannot be used",
}


class Lane:
    """What waits for one provider. Time is passed in, in seconds."""

    def __init__(self, provider: str, wanted: Iterable[Wanted], pace: Pace) -> None:
        self.provider = provider
        self.pace = pace
        self.running = 0
        self.stopped: str | None = None
        """Why nothing more goes to this provider."""
        self.stopped_models: dict[Target, str] = {}
        self.paused_until = 0.0
        self._next = deque(wanted)
        self._later: list[tuple[float, int, Wanted]] = []
        self._pushed = itertools.count()
        self._tries: Counter[str] = Counter()
        self._refused: Counter[Target] = Counter()
        self._answered: set[Target] = set()
        self._limited = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        return self.stopped is not None or not (self._next or self._later)

    def take(self, now: float) -> Wanted | None:
        """The request to send now; None if there is no room, or none is due."""
        if self.stopped is not None or self.running >= self.pace.now or now < self.paused_until:
            return None
        while (due := self._pop_due(now)) is not None:
            # A model may have been stopped since it came here.
            if due.request.target not in self.stopped_models:
                return due
        return None

    def put_back(self, wanted: Wanted) -> None:
        """This one is sent later, before the others."""
        self._next.appendleft(wanted)

    def _pop_due(self, now: float) -> Wanted | None:
        if self._later and self._later[0][0] <= now:
            return heapq.heappop(self._later)[2]
        return self._next.popleft() if self._next else None

    def due_in(self, now: float) -> float | None:
        """Seconds until something is due that waits for a time; None if nothing does."""
        if self.stopped is not None or self.running >= self.pace.now:
            return None
        times = [self._later[0][0]] if self._later and not self._next else []
        if now < self.paused_until:
            times = [self.paused_until]
        return max(0.0, min(times) - now) if times else None

    def ended(self, wanted: Wanted, answer: Answer, epoch: int, now: float) -> str | None:
        """A request ended. What goes wrong for good stops the model or the provider: returns why."""
        target = wanted.request.target
        if answer.state != "refused":
            self._answered.add(target)
            self._limited = 0
            if answer.is_good:
                self.pace.good()
            return None
        code, kind = answer.outcome["code"], answer.outcome["type"]
        if code == NO_MODEL:
            return self._stop_model(target, answer.outcome["message"])
        # Another status than 401 may be about this model, or about what it is asked.
        if code in _STOPPING and (code != "auth" or answer.outcome["status"] == 401):
            return self._stop(f"{_STOPPING[code]}: {answer.outcome['message']}")
        if kind == "rate":
            return self._slow_down(wanted, answer, epoch, now)
        if kind in ("server", "network"):
            # A server that fails is not one that has too much to do: the pace stays.
            self._try_later(wanted, answer, now)
        return self._count_refusal(target, answer)

    def _slow_down(self, wanted: Wanted, answer: Answer, epoch: int, now: float) -> str | None:
        shrinks = epoch == self.pace.epoch
        self.pace.limited(epoch)
        self._limited += shrinks
        pause = max(answer.waits or 0.0, backoff(self._limited) / 1000 if not answer.waits else 0.0)
        if pause > LONGEST_WAIT:
            return self._stop(f"It asks to wait {pause:.0f} seconds. {answer.outcome['message']}")
        if self._limited > TRIES:
            return self._stop(f"It still refuses after {TRIES} pauses. {answer.outcome['message']}")
        self.paused_until = max(self.paused_until, now + pause)
        self._next.appendleft(wanted)
        return None

    def _try_later(self, wanted: Wanted, answer: Answer, now: float) -> None:
        self._tries[wanted.key] += 1
        tries = self._tries[wanted.key]
        if tries < TRIES:
            wait = backoff(tries, min(answer.waits or 0.0, LONGEST_WAIT)) / 1000
            heapq.heappush(self._later, (now + wait, next(self._pushed), wanted))

    def _count_refusal(self, target: Target, answer: Answer) -> str | None:
        self._refused[target] += 1
        if target in self._answered or self._refused[target] < IN_A_ROW:
            return None
        return self._stop_model(
            target,
            f"{IN_A_ROW} requests were refused and none was answered. {answer.outcome['message']}",
        )

    def _stop_model(self, target: Target, why: str) -> str | None:
        if target in self.stopped_models:
            return None
        self.stopped_models[target] = f"{target}: no more is sent. {why}"
        return self.stopped_models[target]

    def _stop(self, why: str) -> str | None:
        if self.stopped is not None:
            return None
        self.stopped = f"{self.provider}: no more is sent. {why}"
        return self.stopped
