"""Sends requests from this process, each once."""

from __future__ import annotations

import asyncio
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from ..base.http import ProxyUnusable
from ..base.outcome import Outcome
from ..providers.provider import LOCAL, Provider
from ..providers.registry import LocalFailed, LocalMissing, UnknownProvider
from ..records.javascript import well_formed
from ..runs.clients import Clients
from ..runs.received import Received, together
from ..runs.reply import End
from ..runs.wire import Wire
from .answer import NO_MODEL, Answer, State, reply_of

_LEFT = "The rerun was ended while this reply came."

MOST_BYTES = 2**27
"""The longest response that is read."""


class Local(Protocol):
    """What a sender needs of the models on this machine."""

    def use(self, model: str) -> AbstractContextManager[None]:
        """A context in which a model is not stopped for being idle."""

    async def stop(self) -> None:
        """Stop those that were started for this sender."""


class Providers(Protocol):
    """What a sender needs of the providers; a `ProviderRegistry` has it."""

    @property
    def local(self) -> Local:
        """The models on this machine."""

    async def prepare(self, name: str, model: str = "") -> Provider:
        """A provider with its key, and with a local model started."""


class Sender:
    """Sends bytes to providers, with the keys that this process can read."""

    def __init__(self, registry: Providers) -> None:
        self._registry = registry
        self._clients = Clients()
        self._ready: dict[str, Provider] = {}

    async def send(self, provider: str, model: str, body: bytes) -> Answer:
        """Send these bytes once and read the response to its end; never raises for a provider."""
        try:
            ready = await self._prepare(provider, model)
            client = await self._clients.get(ready.base_url)
        except (UnknownProvider, LocalMissing, LocalFailed, ProxyUnusable) as error:
            # Another model of this machine may be there.
            is_model = isinstance(error, LocalMissing | LocalFailed)
            code = NO_MODEL if is_model else "bad-provider"
            outcome = Outcome("unknown", code, None, str(error))
            return Answer("refused", well_formed(outcome.json()))
        events: list[str] = []
        marks: list[Any] = []

        async def answered() -> None:
            pass

        async def chunks(more: list[str]) -> None:
            events.extend(more)
            marks.extend(wire.received.take(len(more)))

        wire = Wire(client, ready, answered=answered, chunks=chunks, most_bytes=MOST_BYTES)
        sent_at = time.time_ns() // 1_000_000
        with self._registry.local.use(model) if provider == LOCAL else nullcontext():
            try:
                end = await wire.send(body)
            except asyncio.CancelledError:
                if not events:
                    raise
                # What arrived is kept.
                end = "stop", Outcome(code="left", status=200, message=_LEFT)
        return _answer(end, wire.received, sent_at, events, marks)

    def use(self, registry: Providers) -> None:
        """Send the next requests with other settings and keys."""
        self._registry = registry
        self._ready.clear()

    async def close(self) -> None:
        """Close the connections and stop local models."""
        await self._clients.close()
        await self._registry.local.stop()

    async def _prepare(self, name: str, model: str) -> Provider:
        if name == LOCAL:
            return await self._registry.prepare(name, model)
        if name in self._ready:
            return self._ready[name]
        registry = self._registry
        ready = await registry.prepare(name, model)
        # Settings and keys may have been corrected while it was prepared.
        if registry is self._registry:
            self._ready[name] = ready
        return ready


def _answer(
    end: End, received: Received, sent_at: int, events: list[str], marks: list[Any]
) -> Answer:
    happening, outcome = end
    response = None
    body = None
    if received.status is not None:
        response = {
            "status": received.status,
            "sentAt": sent_at,
            "answered": received.answered,
            "first": marks[0].at if marks else None,
            "ended": received.ended,
            "size": received.size,
            "hash": received.digest,
        }
        if received.exact:
            told = [(data, mark.before) for data, mark in zip(events, marks, strict=False)]
            body = together(told, received.rest, is_stream=received.is_stream)
    return Answer(
        _state(happening, outcome, bool(events)),
        well_formed(outcome.json()),
        reply_of(events),
        response,
        body,
    )


def _state(happening: str, outcome: Outcome, has_events: bool) -> State:
    if happening == "finish":
        return "done"
    was_answered = outcome.status is not None and 200 <= outcome.status < 300
    if happening == "lose" and not was_answered:
        return "unknown"
    says_no = outcome.type in ("auth", "rate") or not was_answered
    return "refused" if happening == "fail" and says_no and not has_events else "broken"
