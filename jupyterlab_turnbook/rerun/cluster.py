"""Sends from the workers of a Dask cluster. The store stays with the client."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from .answer import Answer, nothing_known
from .plan import CannotRerun, Wanted
from .runner import Gone

LOCAL = "local"

_SECONDS = 10
_LOOK_SECONDS = 1.0
_THREADS = 4
_DIED = (
    "The worker that sent this request went away before the reply was stored. It may have been "
    "answered and billed, so it was not repeated."
)


@dataclass
class _Worker:
    """A process that sends, as long as it is there."""

    address: str
    process: str
    """What `worker.prepare` said: a task for this process is of no use to another."""
    gone: asyncio.Future[None]
    load: int = 0


class Cluster:
    """A `Backend` that submits each request as a task. No key is in a task's arguments.

    Dask runs a task again whose worker died. So each is for one process, by name, and that one
    sends it once: no request has to be registered anywhere before it leaves.
    """

    def __init__(self, client: Any, cluster: Any, leases: int) -> None:
        self._client = client
        self._cluster = cluster
        self._leases = leases
        self._stored: list[str] = []
        self._workers: dict[str, _Worker] = {}
        self._unusable: dict[str, str] = {}
        """Workers without Turnbook, and why they cannot send."""
        self._changed = asyncio.Event()
        self._lost: str | None = None
        """Why nothing more can be sent."""
        self._watching: asyncio.Task[None] | None = None

    @classmethod
    async def connect(cls, address: str, workers: int, leases: int) -> Cluster:
        """Connect to a scheduler, or start workers on this machine."""
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise CannotRerun(
                'Dask is not installed. Run: pip install "jupyterlab-turnbook[dask]"'
            ) from None
        cluster = None
        try:
            if address == LOCAL:
                cluster = await LocalCluster(
                    n_workers=workers,
                    threads_per_worker=_THREADS,
                    processes=True,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                    asynchronous=True,
                )
            client = await Client(cluster or address, asynchronous=True, timeout=_SECONDS)
            await client.wait_for_workers(workers if cluster else 1, timeout=_SECONDS)
            made = cls(client, cluster, leases)
            await made._look()
        except (OSError, RuntimeError, TimeoutError, asyncio.TimeoutError, ValueError) as error:
            raise CannotRerun(f"No Dask scheduler with workers at {address}: {error}") from error
        if not made._workers:
            why = next(iter(made._unusable.values()), "they went away")
            await made.close()
            raise CannotRerun(
                f"No worker at {address} can send: {why}. Install and set up Turnbook there, too."
            )
        made._watching = asyncio.create_task(made._watch())
        return made

    async def send(self, attempt: str, wanted: Wanted) -> Answer:
        """Send a request from one of the workers; raises `Gone` if the scheduler goes away."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        from .worker import NotMine, send

        target = wanted.request.target
        worker = await self._least_busy()
        worker.load += 1
        future = self._client.submit(
            send,
            attempt,
            worker.process,
            target.provider,
            target.model,
            wanted.request.body,
            self._leases,
            key=f"turnbook-{attempt}",
            pure=False,
            retries=0,
            workers=[worker.address],
        )
        result = asyncio.ensure_future(future.result())
        try:
            await asyncio.wait({result, worker.gone}, return_when=asyncio.FIRST_COMPLETED)
            if result.done():
                return Answer.of(result.result())
            worker.gone.result()
            return nothing_known(_DIED)
        except (NotMine, KilledWorker):
            # Another process has come in its place.
            self._workers.pop(worker.address, None)
            return nothing_known(_DIED)
        except FutureCancelledError as error:
            raise Gone(f"The Dask scheduler went away ({error.reason}).") from error
        except Gone:
            raise
        except Exception as error:
            # A worker without Turnbook, or one that cannot read its files; whether anything was
            # sent is not known.
            raise Gone(f"A worker failed: {type(error).__name__}: {error}") from error
        finally:
            worker.load -= 1
            result.cancel()
            future.release()

    async def collect(self, attempts: list[str]) -> dict[str, Answer]:
        """The answers that workers have kept on their disks."""
        from . import spool

        found: dict[str, Answer] = {}
        for kept in (
            await self._client.run(spool.collect, attempts, workers=list(self._workers))
        ).values():
            found.update({attempt: Answer.of(answer) for attempt, answer in kept.items()})
        return found

    async def forget(self, attempts: list[str]) -> None:
        """These answers are in the store; the workers hear of it at the end."""
        self._stored += attempts

    async def close(self) -> None:
        """Let the workers delete what is in the store, and end what was started here."""
        from .worker import forget

        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
        try:
            if self._client.status == "running":
                # Those that have none of it, or cannot, are no matter.
                await self._client.run(forget, self._stored, on_error="ignore")
            await self._client.close(timeout=_SECONDS)
        except (OSError, TimeoutError, asyncio.TimeoutError):
            # What stays on the workers' disks goes after a month.
            pass
        if self._cluster is not None:
            await self._cluster.close(timeout=_SECONDS)

    async def _least_busy(self) -> _Worker:
        # Tasks that wait do not count as work to Dask, which would give them all to one worker.
        while not self._workers:
            if self._lost is not None:
                raise Gone(self._lost)
            self._changed.clear()
            await self._changed.wait()
        return min(self._workers.values(), key=lambda worker: worker.load)

    async def _watch(self) -> None:
        try:
            while True:
                await asyncio.sleep(_LOOK_SECONDS)
                await self._look()
        except Exception as error:  # noqa: BLE001 - Dask has no common class for it
            self._lost = f"The Dask scheduler went away ({error})."
            for worker in self._workers.values():
                worker.gone.set_exception(Gone(self._lost))
                # Nobody may be waiting for it.
                worker.gone.exception()
            self._workers.clear()
            self._changed.set()

    async def _look(self) -> None:
        """Notice workers that came or went."""
        from . import worker as remote

        there = set(await self._client.nthreads())
        for address in self._workers.keys() - there:
            self._workers.pop(address).gone.set_result(None)
        new = list(there - self._workers.keys() - self._unusable.keys())
        if not new:
            return
        found = await self._client.run(remote.prepare, workers=new, on_error="return")
        for address, process in found.items():
            if isinstance(process, OSError):
                # It has gone already.
                continue
            if isinstance(process, Exception):
                self._unusable[address] = f"{type(process).__name__}: {process}"
                continue
            gone = asyncio.get_running_loop().create_future()
            self._workers[address] = _Worker(address, process, gone)
        self._changed.set()
