"""What runs on the workers of a Dask cluster: one request for each task, never a second time."""

from __future__ import annotations

import asyncio
from typing import Any

from distributed import Semaphore, Worker, get_worker, secede
from distributed.utils import sync

from . import spool
from .answer import Json, nothing_known
from .sending import Sender
from .settings import open_registry
from .spool import token

_WAIT = 1.0
_DIED = (
    "The worker that sent this request died before the reply was stored. It may have been "
    "answered and billed, so it was not repeated."
)


class _Shared:
    """What all tasks of a worker share."""

    def __init__(self) -> None:
        # Keys come from this machine's environment and files.
        self.sender = Sender(open_registry())
        self._semaphores: dict[str, Semaphore] = {}

    def semaphore(self, worker: Worker, provider: str, leases: int) -> Semaphore:
        """The one that all workers and clients share which allow as many requests at once."""
        name = f"turnbook-{provider}-{leases}"
        if name not in self._semaphores:
            self._semaphores[name] = Semaphore(
                leases, name, scheduler_rpc=worker.scheduler, loop=worker.loop
            )
        return self._semaphores[name]


_shared: _Shared | None = None


def send(attempt: str, provider: str, model: str, body: bytes, leases: int) -> Json:
    """Send a request and return its answer.

    Dask runs a task again whose worker died. So the attempt is taken first, on the scheduler: that
    it was taken is known as long as the scheduler lives that could run it again.
    """
    secede()
    worker = get_worker()
    answer: Json = sync(worker.loop, _send, worker, attempt, provider, model, body, leases)
    return answer


async def prepare(dask_worker: Worker) -> None:
    """Load and read what the first request would wait for."""
    _prepared()


async def _send(
    worker: Worker, attempt: str, provider: str, model: str, body: bytes, leases: int
) -> Json:
    shared = _prepared()
    semaphore: Any = shared.semaphore(worker, provider, leases)
    await semaphore.acquire()
    try:
        await _take(worker, attempt)
        await asyncio.to_thread(spool.begin, attempt)
        answer = (await shared.sender.send(provider, model, body)).packed()
        await asyncio.to_thread(spool.keep, attempt, answer)
    except spool.Begun as begun:
        return begun.answer or nothing_known(_DIED).packed()
    finally:
        await semaphore.release()
    return answer


async def _take(worker: Worker, attempt: str) -> None:
    # The one primitive of Dask that is atomic and outlives who uses it: a queue with one place.
    # Asked for directly, since `Queue` would give each worker a client of its own.
    await worker.scheduler.queue_create(name=token(attempt), maxsize=1)
    try:
        await worker.scheduler.queue_put(name=token(attempt), data=1, timeout=_WAIT)
    except (TimeoutError, asyncio.TimeoutError):
        found = await asyncio.to_thread(spool.collect, [attempt])
        raise spool.Begun(found.get(attempt)) from None


def _prepared() -> _Shared:
    global _shared
    if _shared is None:
        _shared = _Shared()
    return _shared
