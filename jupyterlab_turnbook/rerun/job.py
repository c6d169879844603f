"""A rerun that a server does, in a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..providers.provider import LOCAL, Provider
from ..providers.registry import ProviderRegistry
from .answer import Json
from .costs import Costs
from .here import Here
from .limits import Budget
from .plan import CannotRerun, Plan
from .progress import Progress
from .reading import open_store
from .runner import Options, Runner
from .session import Outputs, Session
from .store import Store, StoreError

NOTHING: Json = {
    "done": 0,
    "broken": 0,
    "unknown": 0,
    "refused": 0,
    "underWay": 0,
    "rate": 0,
    "cost": 0,
    "unpriced": 0,
    "secondsLeft": None,
    "notes": [],
}
"""How far a rerun is before it began."""


@dataclass(frozen=True)
class Task:
    """What to send, and where results go."""

    plan: Plan
    costs: Costs
    out: Path
    store: Path
    budget: Budget
    again: bool


class Job(threading.Thread):
    """Sends a plan. It has a loop of its own, so that no computing holds up the server's."""

    def __init__(
        self,
        task: Task,
        providers: FromThread,
        log: logging.Logger,
        told: Callable[[], None],
        facts: Json,
    ) -> None:
        super().__init__(name="turnbook-rerun", daemon=True)
        self._task = task
        self._providers = providers
        self._log = log
        self._told = told
        self._began = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._session: Session | None = None
        self._watch = _Watch(self._look)
        self._stops = 0
        self._before: tuple[float, int] | None = None
        self.facts = facts
        """How far it is, as in the API's `Rerun`."""
        self.message = ""
        """Why it failed."""
        self.has_opened = False
        """Whether its store could be opened; before that, nothing was sent."""
        self.has_ended = False
        """Whether nothing more happens, of which nobody has been told yet."""
        self.is_over = False
        """Whether it has ended, and that has been kept."""

    @property
    def is_ending(self) -> bool:
        """Whether it was stopped."""
        return self._stops > 0

    @property
    def is_complete(self) -> bool:
        """Whether all replies are there."""
        return bool(self.facts["done"] == len(self._task.plan.wanted))

    async def begin(self) -> None:
        """Start; returns when the store is open, or it has failed."""
        self.start()
        await asyncio.to_thread(self._began.wait)

    def stop(self, *, now: bool = False) -> None:
        """Send nothing more; with `now`, what is under way is not waited for."""
        while self._stops < (2 if now else 1):
            self._stops += 1
            self._call(self._interrupt)

    def refresh(self) -> None:
        """Have the facts counted again."""
        self._call(self._show)

    def run(self) -> None:
        """Work until nothing is left to send."""
        try:
            asyncio.run(self._work())
        except (CannotRerun, StoreError) as error:
            self.message = str(error)
        except OSError as error:
            self.message = (
                f"The results could not be written: {error}. Replies that came are in "
                f"{self._task.store.name}. Make room or the folder writable, then go on."
            )
        except Exception as error:  # noqa: BLE001 - nobody else would hear of it
            self._log.exception("turnbook: a rerun failed")
            self.message = f"Something went wrong ({error!r}); see the server's log, then go on."
        finally:
            self.facts = {**self.facts, "underWay": 0, "rate": 0, "secondsLeft": None}
            self.has_ended = True
            try:
                self._told()
            finally:
                self.is_over = True
                self._began.set()
            self._told()

    async def _work(self) -> None:
        task = self._task
        store = Store(task.store)
        await open_store(store, task.out)
        self.has_opened = True
        backend = Here(self._providers)
        try:
            runner = Runner(
                task.plan, store, backend, task.costs, task.budget, Options(again=task.again)
            )
            self._session = Session(runner, Outputs(notebook=task.out), self._watch)
            self._loop = asyncio.get_running_loop()
            self._began.set()
            # Those of before there was a session to stop.
            for _ in range(self._stops):
                self._interrupt()
            await self._session.run()
        finally:
            await backend.close()
            await store.close()

    def _interrupt(self) -> None:
        if self._session is not None and self._session.interruptions < self._stops:
            self._session.interrupt()

    def _show(self) -> None:
        if self._session is not None and self._before is not None:
            self._watch.show(self._session.runner)

    def _call(self, work: Callable[[], None]) -> None:
        if self._loop is not None:
            # It may have ended since.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(work)

    def _look(self, runner: Runner, facts: Json) -> None:
        if self._before is None:
            self._before = _spent(runner, self._task.costs)
        cost, unpriced = self._before
        answers = [attempt.answer for attempt in list(runner.results.values())]
        states = Counter(answer.state for answer in answers if answer is not None)
        self.facts = {
            **{state: states[state] for state in ("done", "broken", "unknown", "refused")},
            "underWay": runner.under_way,
            "rate": facts["rate"],
            "cost": cost + runner.tally.cost,
            "unpriced": unpriced + runner.tally.unpriced,
            "secondsLeft": facts["secondsLeft"],
            "notes": list(runner.tally.notes),
        }
        self._told()


class FromThread:
    """The server's providers, for a thread with a loop of its own."""

    def __init__(self, registry: ProviderRegistry, loop: asyncio.AbstractEventLoop) -> None:
        self._registry = registry
        self._loop = loop

    @property
    def local(self) -> FromThread:
        """The models on this machine, which belong to the server's loop."""
        return self

    async def prepare(self, name: str, model: str = "") -> Provider:
        """A provider with its key, and with a local model started."""
        preparing = self._registry.prepare(name, model)
        if name != LOCAL:
            return await preparing
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(preparing, self._loop))

    @contextmanager
    def use(self, model: str) -> Iterator[None]:
        """A context in which a model is not stopped for being idle."""
        stack = ExitStack()
        self._loop.call_soon_threadsafe(stack.enter_context, self._registry.local.use(model))
        try:
            yield
        finally:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(stack.close)

    async def stop(self) -> None:
        """The server stops them."""


class _Watch(Progress):
    def __init__(self, look: Callable[[Runner, Json], None]) -> None:
        super().__init__("none")
        self._look = look

    def show(self, runner: Runner) -> None:
        super().show(runner)
        self._look(runner, self.facts(runner, time.monotonic()))


def _spent(runner: Runner, costs: Costs) -> tuple[float, int]:
    """What the replies that the store has cost, and of how many that is not known."""
    targets = {wanted.key: wanted.request.target for wanted in runner.plan.wanted}
    spent = [
        costs.cost(targets[key], attempt.answer.reply.usage)
        for key, attempt in runner.results.items()
        if attempt.answer is not None and attempt.answer.state != "refused"
    ]
    known = [each for each in spent if each is not None]
    return sum(known), len(spent) - len(known)
