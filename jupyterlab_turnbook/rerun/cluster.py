"""Sends from the workers of a Dask cluster. The store stays with the client."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from typing import Any

from .answer import Answer
from .plan import CannotRerun, Wanted
from .runner import Gone
from .spool import token

LOCAL = "local"

_SECONDS = 10
_LOOK_SECONDS = 2.0
_THREADS = 4


class Cluster:
    """A `Backend` that submits each request as a task. No key is in a task's arguments."""

    def __init__(self, client: Any, cluster: Any, leases: int) -> None:
        self._client = client
        self._cluster = cluster
        self._leases = leases
        self._stored: list[str] = []
        self._loads: Counter[str] = Counter()
        self._workers: list[str] = []
        self._looked_at = -_LOOK_SECONDS

    @classmethod
    async def connect(cls, address: str, workers: int, leases: int) -> Cluster:
        """Connect to a scheduler, or start workers on this machine."""
        try:
            from distributed import Client, LocalCluster

            from . import worker
        except ImportError:
            raise CannotRerun(
                'Dask is not installed. Run: pip install "jupyterlab-turnbook[dask]"'
            ) from None
        cluster = None
        if address == LOCAL:
            cluster = await LocalCluster(
                n_workers=workers,
                threads_per_worker=_THREADS,
                processes=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
                asynchronous=True,
            )
        try:
            client = await Client(cluster or address, asynchronous=True, timeout=_SECONDS)
            await client.wait_for_workers(workers if cluster else 1, timeout=_SECONDS)
            await client.run(worker.prepare)
        except (OSError, TimeoutError, asyncio.TimeoutError, ValueError) as error:
            raise CannotRerun(f"No Dask scheduler with workers at {address}: {error}") from error
        made = cls(client, cluster, leases)
        # Before requests ask for it at the same time.
        await made._least_busy()
        return made

    async def send(self, attempt: str, wanted: Wanted) -> Answer:
        """Send a request from one of the workers; raises `Gone` if the scheduler goes away."""
        from distributed.client import FutureCancelledError

        from .worker import send

        target = wanted.request.target
        worker = await self._least_busy()
        self._loads[worker] += 1
        future = self._client.submit(
            send,
            attempt,
            target.provider,
            target.model,
            wanted.request.body,
            self._leases,
            key=token(attempt),
            pure=False,
            retries=0,
            workers=[worker] if worker else None,
            allow_other_workers=bool(worker),
        )
        try:
            return Answer.of(await future)
        except FutureCancelledError as error:
            raise Gone(f"The Dask scheduler went away ({error.reason}).") from error
        except Exception as error:
            # A worker without Turnbook, or one that cannot read its files; whether anything was
            # sent is not known.
            raise Gone(f"A worker failed: {type(error).__name__}: {error}") from error
        finally:
            self._loads[worker] -= 1
            future.release()

    async def _least_busy(self) -> str:
        # Tasks that wait do not count as work to Dask, which would give them all to one worker.
        now = time.monotonic()
        if now - self._looked_at >= _LOOK_SECONDS:
            self._looked_at = now
            try:
                self._workers = list(await self._client.nthreads())
            except OSError as error:
                raise Gone(f"The Dask scheduler went away ({error}).") from error
        # With none, Dask waits for one.
        return min(self._workers, key=lambda worker: self._loads[worker], default="")

    async def collect(self, attempts: list[str]) -> dict[str, Answer]:
        """The answers that workers have kept on their disks."""
        from . import spool

        found: dict[str, Answer] = {}
        for kept in (await self._client.run(spool.collect, attempts)).values():
            found.update({attempt: Answer.of(answer) for attempt, answer in kept.items()})
        return found

    async def forget(self, attempts: list[str]) -> None:
        """These answers are in the store; the workers hear of it at the end."""
        self._stored += attempts
        for attempt in attempts:
            # As `Queue.close` does, which would first make a queue.
            self._client._send_to_scheduler({"op": "queue_release", "name": token(attempt)})

    async def close(self) -> None:
        """Let the workers delete what is in the store, and end what was started here."""
        from . import spool

        try:
            if self._client.status == "running":
                await self._client.run(spool.forget, self._stored)
            await self._client.close(timeout=_SECONDS)
        except (OSError, TimeoutError, asyncio.TimeoutError):
            # What stays on the workers' disks goes after a month.
            pass
        if self._cluster is not None:
            await self._cluster.close(timeout=_SECONDS)
