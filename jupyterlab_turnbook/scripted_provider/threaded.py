"""The scripted provider on its own event loop, for tests whose loop is busy or absent."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from .script import Script
from .server import Recorded, ScriptedProvider

T = TypeVar("T")


class ThreadedScriptedProvider:
    """A `ScriptedProvider` in a thread; every method may be called from any other thread."""

    def __init__(self, *, key: str | None = None) -> None:
        self._provider = ScriptedProvider(key=key)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> None:
        """Start the thread and listen."""
        self._thread.start()
        self._run(self._provider.start())

    def stop(self) -> None:
        """Close all connections and end the thread."""
        self._run(self._provider.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return self._provider.url

    @property
    def control(self) -> str:
        """The base URL of the control API."""
        return self._provider.control

    @property
    def requests(self) -> list[Recorded]:
        """All requests so far."""
        return list(self._provider.requests)

    def completions(self) -> list[Recorded]:
        """The completion requests so far."""
        return self._call(self._provider.completions)

    def counts(self) -> dict[str, Any]:
        """How often each path was requested, and how many scripts are queued."""
        return self._call(self._provider.counts)

    def script(self, *scripts: Script | str, model: str | None = None) -> None:
        """Queue scripts, one for each coming completion of `model`, or of any model."""
        self._call(lambda: self._provider.script(*scripts, model=model))

    def release(self, gate: str) -> None:
        """Open a gate."""
        self._call(lambda: self._provider.release(gate))

    def set_models(self, models: Any) -> None:
        """Set what `/v1/models` returns."""
        self._call(lambda: self._provider.set_models(models))

    def reset(self) -> None:
        """Clear all scripts and records, and close open connections."""
        self._run(self._provider.reset())

    async def requested(self, count: int, timeout: float = 10) -> list[Recorded]:
        """Wait, on the caller's loop, for `count` completion requests; returns those so far."""
        return await self._await(self._provider.requested(count, timeout))

    async def hung_up(self, count: int = 1, timeout: float = 10) -> None:
        """Wait, on the caller's loop, until `count` clients have left before their reply ended."""
        await self._await(self._provider.hung_up(count, timeout))

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _await(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def _call(self, work: Callable[[], T]) -> T:
        async def call() -> T:
            return work()

        return self._run(call())
