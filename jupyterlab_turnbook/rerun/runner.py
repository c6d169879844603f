"""Sends what is missing, and nothing twice."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from ..providers.provider import LOCAL
from .answer import Answer, nothing_known
from .costs import Costs
from .lane import Lane
from .limits import MOST, START, Budget, Pace
from .plan import Plan, Wanted
from .store import Attempt, NotTwice, Store, StoreError, is_missing

_LOST = "The request may have been answered and billed, so it was not repeated."
_LEFT = f"The rerun was ended while this request was under way. {_LOST}"


class Gone(Exception):
    """What sends has gone away; whether this request was sent is not known."""


class Backend(Protocol):
    """What sends: this process, or a cluster."""

    async def send(self, attempt: str, wanted: Wanted) -> Answer:
        """Send a request once; raises `Gone` if nothing more can be sent."""

    async def collect(self, attempts: list[str]) -> dict[str, Answer]:
        """The answers to attempts of a process that has died, if they are still somewhere."""

    async def forget(self, attempts: list[str]) -> None:
        """These answers are in the store."""

    async def close(self) -> None:
        """End it."""


@dataclass
class Tally:
    """What has been done, for the progress."""

    total: int
    had: int = 0
    """Replies that were in the store before."""
    done: int = 0
    broken: int = 0
    unknown: int = 0
    refused: int = 0
    """Requests that were refused; some are tried again."""
    sent: int = 0
    cost: float = 0.0
    unpriced: int = 0
    """Replies whose cost is not known."""
    began: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def new(self) -> int:
        """The results that came in this run."""
        return self.done + self.broken + self.unknown


@dataclass(frozen=True)
class Options:
    """How to send."""

    again: bool = False
    start: int = START
    most: int = MOST


class Runner:
    """Sends all of a plan that the store lacks."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        backend: Backend,
        costs: Costs,
        budget: Budget,
        options: Options,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.plan = plan
        self.store = store
        self.costs = costs
        self.told: Callable[[str, Wanted | None], None] = lambda what, wanted: None
        """Hears of each event: `result`, `note` or `change`."""
        self._backend = backend
        self._budget = budget
        self._options = options
        self._clock = clock
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_ending = False
        self.results: dict[str, Attempt] = {}
        """The last attempt of each key."""
        self.tally = Tally(len(plan.wanted))
        self.lanes: list[Lane] = []

    @property
    def under_way(self) -> int:
        """How many requests are being sent."""
        return len(self._tasks)

    async def prepare(self) -> list[Wanted]:
        """Read the store; returns what has to be sent."""
        open_ends = await self.store.open_ends()
        if open_ends:
            found = await self._backend.collect(open_ends)
            for attempt, answer in found.items():
                await self.store.ended(attempt, answer)
            await self._backend.forget(list(found))
            lost = await self.store.give_up()
            if lost:
                self._note(
                    f"{lost} requests of an earlier rerun were started, and no reply was stored. "
                    "They may have been answered and billed; they are unknown, not repeated."
                )
        self.results = await self.store.last(wanted.key for wanted in self.plan.wanted)
        for wanted in self.plan.wanted:
            had = self.results.get(wanted.key)
            if had is not None and had.answer is not None and had.answer.is_good:
                self.costs.learn(wanted.request, had.answer.reply)
        missing = [
            wanted
            for wanted in self.plan.wanted
            if is_missing(self.results.get(wanted.key), again=self._options.again)
        ]
        self.tally.had = len(self.plan.wanted) - len(missing)
        return missing

    async def run(self, missing: Iterable[Wanted]) -> None:
        """Send these; returns when nothing is under way any more. Raises `StoreError`."""
        self.tally.began = self._clock()
        by_provider: dict[str, list[Wanted]] = {}
        for wanted in missing:
            by_provider.setdefault(wanted.request.target.provider, []).append(wanted)
        self.lanes = [Lane(name, some, self._pace(name)) for name, some in by_provider.items()]
        await self._drive()

    def end(self) -> int:
        """Send nothing more, and wait for what is under way; returns how many that are."""
        self._is_ending = True
        self._changed.set()
        return self.under_way

    def leave(self) -> None:
        """Send nothing more, and do not wait: what is under way becomes unknown."""
        self._is_ending = True
        for task in self._tasks:
            task.cancel()
        self._changed.set()

    async def _drive(self) -> None:
        while True:
            self._changed.clear()
            now = self._clock()
            for lane in self.lanes:
                while not self._is_ending and (wanted := lane.take(now, self._may)):
                    self._start(lane, wanted)
            for task in [task for task in self._tasks if task.done()]:
                self._tasks.discard(task)
                if not task.cancelled() and task.exception() is not None:
                    # The store cannot be written: nothing more may be sent.
                    self._is_ending = True
                    await asyncio.gather(*self._tasks, return_exceptions=True)
                    task.result()
            if not self._tasks and (self._is_ending or all(lane.is_empty for lane in self.lanes)):
                return
            await self._wait([lane.due_in(now) for lane in self.lanes])

    async def _wait(self, times: list[float | None]) -> None:
        soon = [each for each in times if each is not None and not self._is_ending]
        waiting = asyncio.ensure_future(self._changed.wait())
        await asyncio.wait({waiting}, timeout=min(soon, default=None))
        waiting.cancel()

    def _may(self, wanted: Wanted, running: int) -> bool:
        """Whether a request need not wait until it is known what those under way cost."""
        if self._budget.max_cost is None:
            return True
        if running and not self.costs.is_known(wanted.request):
            # The first reply of a model says how long others may be.
            return False
        expected = self.costs.expected(wanted.request)
        return not self._budget.waits(expected) or self._budget.refuses(expected) is not None

    def _start(self, lane: Lane, wanted: Wanted) -> None:
        """Send a request, unless it exceeds a limit; then everything stops."""
        expected = self.costs.expected(wanted.request)
        why = self._budget.refuses(expected)
        if why is not None:
            self._stop(f"No more is sent. {why}")
            return
        attempt = str(uuid.uuid4())
        self._budget.begin(attempt, expected)
        task = asyncio.ensure_future(self._one(lane, wanted, attempt))
        self._tasks.add(task)
        task.add_done_callback(lambda _: self._changed.set())

    async def _one(self, lane: Lane, wanted: Wanted, attempt: str) -> None:
        try:
            answer, n = await self._send(wanted, attempt)
        except NotTwice:
            lane.drop(wanted)
            self._budget.end(attempt, 0.0)
            return
        target = wanted.request.target
        if answer.is_good:
            self.costs.learn(wanted.request, answer.reply)
        cost = self.costs.cost(target, answer.reply.usage)
        self._budget.end(attempt, 0.0 if answer.state == "refused" else cost)
        self._count(answer, cost)
        self.results[wanted.key] = Attempt(attempt, wanted.key, n, answer)
        why = lane.ended(wanted, answer, self._clock())
        self.told("result", wanted)
        if why is not None:
            self._note(why)

    async def _send(self, wanted: Wanted, attempt: str) -> tuple[Answer, int]:
        at = time.time_ns() // 1_000_000
        # On the disk before anything leaves.
        try:
            n = await self.store.started(wanted, attempt, at, again=self._options.again)
        except asyncio.CancelledError:
            # It never left.
            await self.store.withdraw(attempt)
            raise
        self.tally.sent += 1
        try:
            answer = await self._backend.send(attempt, wanted)
        except asyncio.CancelledError:
            answer = nothing_known(_LEFT)
        except Gone as error:
            answer = nothing_known(f"{error} {_LOST}")
            self._stop(f"{error} Run the same command again to go on.")
        await self.store.ended(attempt, answer)
        if answer.state != "unknown":
            # The answer to an unknown one may still turn up.
            await self._backend.forget([attempt])
        return answer, n

    def _count(self, answer: Answer, cost: float | None) -> None:
        tally = self.tally
        setattr(tally, answer.state, getattr(tally, answer.state) + 1)
        if answer.state != "refused":
            tally.cost += cost or 0.0
            tally.unpriced += cost is None

    def _pace(self, provider: str) -> Pace:
        # A local model answers one after another.
        return Pace(1.0, 1) if provider == LOCAL else Pace(self._options.start, self._options.most)

    def _stop(self, why: str) -> None:
        if not self._is_ending:
            self._is_ending = True
            self._note(why)

    def _note(self, text: str) -> None:
        self.tally.notes.append(text)
        self.told("note", None)


__all__ = ["Backend", "Options", "Runner", "StoreError", "Tally"]
