"""The requests of one provider: which goes next, when, and whether any more go."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..runs.retry import backoff
from .answer import NO_MODEL, Answer
from .limits import IN_A_ROW, LONGEST_WAIT, LOSSES, TRIES, Pace
from .plan import Target, Wanted

_STOPPING = {
    "quota": "The account has no credit left",
    "auth": "The provider refuses the key",
    "bad-provider": "The provider cannot be used",
}


@dataclass
class _Model:
    """What waits for one model of the provider, and how it fares."""

    next: deque[Wanted] = field(default_factory=deque)
    running: int = 0
    paused_until: float = 0.0
    limited: int = 0
    """How often it was paused since its last reply, because it asked to wait."""
    alone: int = 0
    """How often of these in a row, while no other model of the provider was answered, either."""
    good_before: int = 0
    """How many good replies the provider had sent when it was last paused."""
    lost: int = 0
    """How often it was paused since its last reply, because nothing came back."""
    epoch: int = 0
    """How often it was paused. A request remembers it, as it does that of the pace."""
    refused: int = 0
    is_answered: bool = False
    is_stopped: bool = False


class Lane:
    """What waits for one provider. Time is passed in, in seconds."""

    def __init__(self, provider: str, wanted: Iterable[Wanted], pace: Pace) -> None:
        self.provider = provider
        self.pace = pace
        self.stopped: str | None = None
        """Why nothing more goes to this provider."""
        self._models: dict[Target, _Model] = {}
        self._places: dict[str, int] = {}
        for place, each in enumerate(wanted):
            self._places[each.key] = place
            self._models.setdefault(each.request.target, _Model()).next.append(each)
        self._later: list[tuple[float, int, Wanted]] = []
        self._pushed = itertools.count()
        self._tries: Counter[str] = Counter()
        self._good = 0
        """How many good replies came, of all models: they may share the limit of an account."""
        self._begun: dict[str, tuple[int, int]] = {}
        """What is under way, with the epochs of the pace and of the model in which it began."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits."""
        waits = self._later or any(model.next for model in self._models.values())
        return self.stopped is not None or not waits

    def take(
        self, now: float, may: Callable[[Wanted, int], bool] = lambda wanted, running: True
    ) -> Wanted | None:
        """The request to send now; None if there is no room, or none is due.

        `may` says of a request whether it may go while so many to its model are under way.
        """
        if self._is_full:
            return None
        while self._later and self._later[0][0] <= now:
            self._go_first(heapq.heappop(self._later)[2])
        due = [
            model
            for model in self._models.values()
            if model.next
            and model.paused_until <= now
            # What brings nothing back is tried with one request.
            and not (model.lost and model.running)
            and may(model.next[0], model.running)
        ]
        if not due:
            return None
        # A model that is limited does not hold up others; else, the order is that of the plan.
        model = min(due, key=lambda each: (each.limited, self._places[each.next[0].key]))
        wanted = model.next.popleft()
        self._begun[wanted.key] = (self.pace.epoch, model.epoch)
        model.running += 1
        return wanted

    def drop(self, wanted: Wanted) -> tuple[int, int]:
        """This one is not under way any more; returns the epochs in which it began."""
        self._model(wanted).running -= 1
        return self._begun.pop(wanted.key)

    def due_in(self, now: float) -> float | None:
        """Seconds until something is due that waits for a time; None if nothing does."""
        if self._is_full:
            return None
        times = [model.paused_until for model in self._models.values() if model.next]
        times = [time for time in times if time > now] + [time for time, _, _ in self._later[:1]]
        return max(0.0, min(times) - now) if times else None

    def ended(self, wanted: Wanted, answer: Answer, now: float) -> str | None:
        """A request ended. What goes wrong for good stops the model or the provider: returns why."""
        epochs = self.drop(wanted)
        model = self._model(wanted)
        if answer.is_good:
            self._good += 1
            model.is_answered = True
            model.limited = model.lost = 0
            self.pace.good()
            return None
        if answer.state != "refused":
            return self._lose(wanted, answer, epochs, now) if answer.is_lost else None
        code, kind = answer.outcome["code"], answer.outcome["type"]
        if code == NO_MODEL:
            return self._stop_model(wanted, answer.outcome["message"])
        # Another status than 401 may be about this model, or about what it is asked.
        if code in _STOPPING and (code != "auth" or answer.outcome["status"] == 401):
            return self._stop(f"{_STOPPING[code]}: {answer.outcome['message']}")
        if kind == "rate":
            return self._slow_down(wanted, answer, epochs, now)
        if kind in ("server", "network"):
            # A server that fails is not one that has too much to do: the pace stays.
            self._try_later(wanted, answer, now)
        return self._count_refusal(wanted, answer)

    @property
    def _is_full(self) -> bool:
        return self.stopped is not None or len(self._begun) >= self.pace.now

    def _model(self, wanted: Wanted) -> _Model:
        return self._models[wanted.request.target]

    def _go_first(self, wanted: Wanted) -> None:
        model = self._model(wanted)
        if not model.is_stopped:
            model.next.appendleft(wanted)

    def _slow_down(
        self, wanted: Wanted, answer: Answer, epochs: tuple[int, int], now: float
    ) -> str | None:
        model = self._model(wanted)
        self.pace.limited(epochs[0])
        # Those that were under way together are refused together.
        if epochs[1] == model.epoch:
            model.epoch += 1
            model.limited += 1
            model.alone = model.alone + 1 if model.good_before == self._good else 1
            model.good_before = self._good
        pause = backoff(model.limited, answer.waits) / 1000
        if pause > LONGEST_WAIT:
            why = f"It asks to wait {pause:.0f} seconds. {answer.outcome['message']}"
            return self._stop_model(wanted, why)
        if model.alone > TRIES:
            why = f"It still refuses after {TRIES} pauses. {answer.outcome['message']}"
            return self._stop_model(wanted, why)
        model.paused_until = max(model.paused_until, now + pause)
        self._go_first(wanted)
        return None

    def _lose(
        self, wanted: Wanted, answer: Answer, epochs: tuple[int, int], now: float
    ) -> str | None:
        model = self._model(wanted)
        # Those that were under way together are lost together.
        if epochs[1] != model.epoch:
            return None
        model.epoch += 1
        model.lost += 1
        if model.lost >= LOSSES:
            why = f"{LOSSES} times in a row, requests were sent and nothing came back."
            return self._stop_model(wanted, f"{why} {answer.outcome['message']}")
        model.paused_until = max(model.paused_until, now + backoff(model.lost) / 1000)
        # It may be because of what is asked: something else is asked next, if there is any.
        for _ in model.next.copy():
            if model.next[0].request is not wanted.request:
                break
            model.next.rotate(-1)
        return None

    def _try_later(self, wanted: Wanted, answer: Answer, now: float) -> None:
        self._tries[wanted.key] += 1
        tries = self._tries[wanted.key]
        if tries < TRIES and not self._model(wanted).is_stopped:
            wait = backoff(tries, min(answer.waits or 0.0, LONGEST_WAIT)) / 1000
            heapq.heappush(self._later, (now + wait, next(self._pushed), wanted))

    def _count_refusal(self, wanted: Wanted, answer: Answer) -> str | None:
        model = self._model(wanted)
        model.refused += 1
        if model.is_answered or model.refused < IN_A_ROW:
            return None
        return self._stop_model(
            wanted,
            f"{IN_A_ROW} requests were refused and none was answered. {answer.outcome['message']}",
        )

    def _stop_model(self, wanted: Wanted, why: str) -> str | None:
        model, target = self._model(wanted), wanted.request.target
        if model.is_stopped:
            return None
        model.is_stopped = True
        model.next.clear()
        self._later = [each for each in self._later if each[2].request.target != target]
        heapq.heapify(self._later)
        return f"{target}: no more is sent. {why}"

    def _stop(self, why: str) -> str | None:
        if self.stopped is not None:
            return None
        self.stopped = f"{self.provider}: no more is sent. {why}"
        return self.stopped
