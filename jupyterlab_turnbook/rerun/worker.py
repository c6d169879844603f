"""What runs on the workers of a Dask cluster: one request for each task, never a second time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from distributed import Queue, Semaphore, secede

from . import spool
from .answer import Json, nothing_known
from .sending import Sender
from .settings import open_registry

T = TypeVar("T")

_WAIT = 1.0
_DIED = (
    "The worker that sent this request died before the reply was stored. It may have been "
    "answered and billed, so it was not repeated."
)


class _Process:
    """What all tasks in this process share: an event loop, connections and semaphores."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        # Keys come from this machine's environment and files.
        self._sender = self.run(_new_sender())
        self._semaphores: dict[str, Semaphore] = {}
        self._lock = threading.Lock()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def send(self, provider: str, model: str, body: bytes) -> Json:
        return self.run(self._sender.send(provider, model, body)).packed()

    def semaphore(self, provider: str, leases: int) -> Semaphore:
        name = f"turnbook-{provider}-{leases}"
        with self._lock:
            if name not in self._semaphores:
                self._semaphores[name] = Semaphore(max_leases=leases, name=name)
            return self._semaphores[name]


_process: _Process | None = None
_making = threading.Lock()


def send(attempt: str, provider: str, model: str, body: bytes, leases: int) -> Json:
    """Send a request and return its answer.

    Dask runs a task again whose worker died. So the attempt is taken first, on the scheduler: it
    lives as long as the scheduler that could run it again.
    """
    secede()
    with _shared().semaphore(provider, leases):
        try:
            _take(attempt)
            spool.begin(attempt)
        except spool.Begun as begun:
            return begun.answer or nothing_known(_DIED).packed()
        answer = _shared().send(provider, model, body)
        spool.keep(attempt, answer)
    return answer


def token(attempt: str) -> str:
    """The name of the queue that says that an attempt was taken."""
    return f"turnbook-{attempt}"


def _take(attempt: str) -> None:
    # The one primitive of Dask that is atomic and outlives who uses it: a queue with one place.
    try:
        Queue(token(attempt), maxsize=1).put(1, timeout=_WAIT)
    except (TimeoutError, asyncio.TimeoutError):
        found = spool.collect([attempt])
        raise spool.Begun(found.get(attempt)) from None


def _shared() -> _Process:
    global _process
    with _making:
        if _process is None:
            _process = _Process()
        return _process


async def _new_sender() -> Sender:
    return Sender(open_registry())
