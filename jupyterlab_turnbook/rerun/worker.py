"""What runs on the workers of a Dask cluster: one request for each task, never a second time."""

from __future__ import annotations

import asyncio
import uuid

from distributed import Semaphore, Worker, get_worker, secede
from distributed.utils import sync

from . import spool
from .answer import Json
from .sending import Sender
from .settings import open_registry

_IDLE_SECONDS = 0.1
_TURNS = 5


class NotMine(Exception):
    """The task was for another process, or has been run before; it sent nothing."""


class Leases:
    """The leases that this process has of a provider's semaphore.

    All workers and clients share a semaphore that allow as many requests at once; Dask has no
    semaphore with two numbers. The lease of a
    request that ended serves the next one, if that comes soon: asking the scheduler each time takes
    longer. Every few times it is given back, so that others have their turn.
    """

    def __init__(self, semaphore: Semaphore) -> None:
        self._semaphore = semaphore
        self._free = 0
        self._waiting = 0
        self._turns = 0

    async def acquire(self) -> None:
        """Wait for a lease."""
        if self._free:
            self._free -= 1
            return
        self._waiting += 1
        try:
            await self._semaphore.acquire()
        finally:
            self._waiting -= 1

    def release(self) -> None:
        """A request ended."""
        self._turns += 1
        if self._waiting or self._turns % _TURNS == 0:
            self._give_back()
        else:
            self._free += 1
            asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._expire)

    def _expire(self) -> None:
        if self._free:
            self._free -= 1
            self._give_back()

    def _give_back(self) -> None:
        # The scheduler hears of it, and nobody has to wait for that.
        asyncio.ensure_future(self._semaphore.release())  # noqa: RUF006


class _Shared:
    """What all tasks of a worker share."""

    def __init__(self) -> None:
        self.process = str(uuid.uuid4())
        # Keys come from this machine's environment and files.
        self._registry = open_registry()
        self.sender = Sender(self._registry)
        self.begun: set[str] = set()
        self._leases: dict[str, Leases] = {}

    def read_again(self) -> None:
        """Read settings and keys again; local models that run go on."""
        self._registry = open_registry(self._registry.local)
        self.sender.use(self._registry)

    def begin(self, attempt: str, process: str) -> None:
        """Only this process may send the attempt, and only now; raises `NotMine`."""
        if process != self.process or attempt in self.begun:
            raise NotMine(attempt)
        self.begun.add(attempt)

    def leases(self, worker: Worker, provider: str, count: int) -> Leases:
        """Those of a provider."""
        name = f"turnbook-{provider}-{count}"
        if name not in self._leases:
            semaphore = Semaphore(count, name, scheduler_rpc=worker.scheduler, loop=worker.loop)
            self._leases[name] = Leases(semaphore)
        return self._leases[name]


_shared: _Shared | None = None


def send(attempt: str, process: str, provider: str, model: str, body: bytes, leases: int) -> Json:
    """Send a request and return its answer; raises `NotMine` instead of sending it twice."""
    secede()
    worker = get_worker()
    answer: Json = sync(worker.loop, _send, worker, attempt, process, provider, model, body, leases)
    return answer


async def prepare(dask_worker: Worker) -> str:
    """Load and read what the first request would wait for; returns the name of this process.

    Each client calls it when it comes: settings and keys may have been corrected since the last one.
    """
    if _shared is not None:
        _shared.read_again()
    return _prepared().process


def forget(attempts: list[str]) -> None:
    """These answers are in the client's store."""
    spool.forget(attempts)
    if _shared is not None:
        _shared.begun.difference_update(attempts)


async def _send(
    worker: Worker, attempt: str, process: str, provider: str, model: str, body: bytes, count: int
) -> Json:
    shared = _prepared()
    shared.begin(attempt, process)
    leases = shared.leases(worker, provider, count)
    await leases.acquire()
    try:
        answer = (await shared.sender.send(provider, model, body)).packed()
    finally:
        leases.release()
    await asyncio.to_thread(spool.keep, attempt, answer)
    return answer


def _prepared() -> _Shared:
    global _shared
    if _shared is None:
        _shared = _Shared()
    return _shared
