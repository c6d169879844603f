"""The real engine in a world where time, the provider and the death of processes are simulated."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyterlab_turnbook.base import classify
from jupyterlab_turnbook.base.outcome import Outcome
from jupyterlab_turnbook.local.manager import LocalModel
from jupyterlab_turnbook.providers.registry import ProviderRegistry
from jupyterlab_turnbook.runs.engine import Engine
from jupyterlab_turnbook.runs.live import Live
from jupyterlab_turnbook.runs.model import Run
from jupyterlab_turnbook.runs.received import Received
from jupyterlab_turnbook.runs.reply import End

from .conftest import only
from .test_engine import NoKeys
from .test_scheduler import Timer

_RUN: contextvars.ContextVar[Run] = contextvars.ContextVar("run")
LOG = logging.getLogger("turnbook-simulation")


def reply_to(pair: str) -> list[str]:
    """The model's reply to a pair, in pieces; always the same."""
    return [f"{pair}:{n} " for n in range(8)]


def chunk(text: str, finish: str | None = None) -> str:
    """A chunk with some text."""
    return json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": finish}]})


@dataclass
class Request:
    """A request at the provider, and the reply so far."""

    run: Run
    body: bytes
    commands: asyncio.Queue[Callable[[SimulatedWire], Awaitable[End | None]]]
    answered: bool = False
    said: list[str] = field(default_factory=list)
    """The chunks that the provider sent, whether or not they were read."""
    taken: int = 0
    """How many of them were confirmed to be in the journal."""
    over: bool = False
    idle: bool = False

    @property
    def rest(self) -> list[str]:
        """The pieces of the reply that are still to come."""
        messages = json.loads(self.body)["messages"]
        had = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
        pieces = reply_to(self.run.pair)
        while pieces and had.startswith(pieces[0]):
            had = had.removeprefix(pieces.pop(0))
        return pieces[len(self.said) :]


@dataclass
class World:
    """Time, the provider and the servers on one journal."""

    directory: Path
    now: int = 1_000_000
    timers: list[tuple[Server, Timer]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def pass_(self, ms: int) -> None:
        """Let time pass and fire the timers that are due."""
        self.now += ms
        for entry in [entry for entry in self.timers if entry[1].at <= self.now]:
            self.timers.remove(entry)
            if not entry[1].cancelled and entry[0].lives:
                entry[1].call()

    def open_requests(self) -> list[Request]:
        """The requests that have not ended."""
        return [request for request in self.requests if not request.over]


class SimulatedWire:
    """Replaces the network: hands each request to the world and runs the world's commands."""

    world: World

    def __init__(
        self,
        client: Any,
        provider: Any,
        *,
        answered: Callable[[], Awaitable[None]],
        chunks: Callable[[list[str]], Awaitable[None]],
    ) -> None:
        self.answered = answered
        self.chunks = chunks
        self.finish: str | None = None
        self.received = Received(str)

    async def send(self, body: bytes, made: Any = None) -> End:
        """Run the provider's commands until one of them ends the request."""
        request = Request(_RUN.get(), body, asyncio.Queue())
        self.world.requests.append(request)
        try:
            while True:
                request.idle = True
                command = await request.commands.get()
                request.idle = False
                end = await command(self)
                if end is not None:
                    return end
        finally:
            request.over = True


class _Engine(Engine):
    async def _send(self, live: Live, body: bytes) -> End:
        _RUN.set(live.run)
        return await super()._send(live, body)


class Server:
    """A server process with its engine."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lives = True
        self.deaf: str | None = None
        """For a process about to die: whether it hangs `before` or `after` its next write."""
        local = only(LocalModel("/nowhere/model.gguf", world.directory, 0, LOG))
        settings = {"base_url": "http://127.0.0.1:9/v1", "continuation": "prefill"}
        registry = ProviderRegistry(
            {"test": settings}, [], NoKeys(), world.directory / "p.json", local, {}, LOG
        )
        wire: Any = type("WorldsWire", (SimulatedWire,), {"world": world})
        self.engine = _Engine(
            world.directory, registry, LOG, clock=lambda: world.now, later=self._later, wire=wire
        )
        self._submit = self.engine.journal.submit
        self.engine.journal.submit = self._interfere  # type: ignore[method-assign]
        self._hanging = asyncio.Event()

    async def start(self) -> None:
        """Open the journal."""
        await self.engine.open()

    async def settle(self) -> None:
        """Wait until nothing more happens without an outside event."""
        engine, calm = self.engine, 0
        while calm < 3:
            if self.deaf is None:
                await self._submit(lambda tx: None)
            await asyncio.sleep(0)
            busy = engine._claiming or engine.scheduler._looking or engine.scheduler._beginning
            requests = {request.run.id: request for request in self.world.open_requests()}
            waiting = all(run in requests and requests[run].idle for run in engine._live)
            if self.deaf is not None and self._hanging.is_set():
                return
            calm = 0 if busy or not waiting else calm + 1
            if not calm:
                await asyncio.sleep(0.0005)

    async def die(self) -> None:
        """Die at once: nothing more is written, and the lock is released."""
        self.deaf = self.deaf or "before"
        await self._end_tasks()
        self.lives = False
        journal = self.engine.journal
        journal._closed = True
        if journal._thread is not None:
            journal._jobs.put(None)
            await asyncio.to_thread(journal._thread.join)
        journal._reading.submit(journal._close_reader).result()
        journal._reading.shutdown()

    async def shut_down(self) -> None:
        """Shut down cleanly."""
        self.lives = False
        await self.engine.close()

    async def _end_tasks(self) -> None:
        mine = asyncio.current_task()
        engine = self.engine
        while True:
            tasks = {
                *(live.task for live in engine._live.values() if live.task is not None),
                *engine._claiming,
                *engine.scheduler._beginning.values(),
                *([engine.scheduler._looking] if engine.scheduler._looking else []),
                *([engine._neighbours._task] if engine._neighbours._task else []),
            }
            tasks = {task for task in tasks if not task.done() and task is not mine}
            if not tasks:
                break
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=0.05)
        engine.scheduler._closed = True
        await engine._clients.close()

    def _later(self, seconds: float, call: Callable[[], None]) -> Timer:
        made = Timer(self.world.now + seconds * 1000, call)
        self.world.timers.append((self, made))
        return made

    def _interfere(self, work: Any, *, durable: bool = False) -> asyncio.Future[Any]:
        told: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def tell(done: asyncio.Future[Any]) -> None:
            if self.deaf == "after":
                self._hanging.set()
            elif not told.done():
                error = done.exception()
                told.set_exception(error) if error else told.set_result(done.result())

        if self.deaf == "before":
            self._hanging.set()
        else:
            self._submit(work, durable=durable).add_done_callback(tell)
        return told


# What the provider can do


async def answer(wire: SimulatedWire) -> None:
    """Send the head of a successful response."""
    await wire.answered()


def say(request: Request, texts: list[str]) -> Callable[[SimulatedWire], Awaitable[None]]:
    """Send the next pieces of the reply."""

    async def command(wire: SimulatedWire) -> None:
        request.said += texts
        await wire.chunks([chunk(text) for text in texts])
        request.taken += len(texts)

    return command


async def finish(wire: SimulatedWire) -> End:
    """Finish the reply."""
    wire.finish = "stop"
    return "finish", Outcome(status=200, finish="stop")


async def break_off(wire: SimulatedWire) -> End:
    """Lose the connection."""
    return "lose", classify.network("It broke.", 200)


def refuse(status: int, wait: float | None) -> Callable[[SimulatedWire], Awaitable[End]]:
    """Answer with an error status."""

    async def command(wire: SimulatedWire) -> End:
        headers = {} if wait is None else {"retry-after": str(wait)}
        return "fail", classify.from_response(status, headers, b"", 0)

    return command
