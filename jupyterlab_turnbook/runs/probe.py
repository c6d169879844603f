"""Finds out what a provider supports, with a few short requests."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass
from typing import Any

import httpx

from ..base import classify
from ..base.outcome import Outcome
from ..providers.http import ProxyUnusable
from ..providers.provider import Continuation, Provider
from .continuation import partial_of
from .reply import End
from .wire import Wire, client_for

_SECONDS = 60.0
_MOST_BYTES = 256 * 1024

_ASK = {
    "role": "user",
    "content": "Count from one to eight in English words, in lower case, separated by single "
    "spaces. Write nothing else.",
}
# Cut inside a word: a model that continues at the next character writes `_NEXT`.
_SAID, _NEXT = "one two three fo", "ur five"
_CALL = {"role": "user", "content": "Call the function `ping`. Write nothing else."}
_TOOL = {
    "type": "function",
    "function": {
        "name": "ping",
        "description": "Answers pong.",
        "parameters": {"type": "object", "properties": {}},
    },
}


@dataclass(frozen=True)
class Probe:
    """What a provider was found to support with one of its models."""

    model: str
    streaming: bool = False
    tools: bool = False
    prefill: bool = False
    """Whether it continues a partial reply at the next character."""
    continuation: Continuation = "restart"
    """How replies that are cut off should be continued."""
    error: Outcome | None = None
    """Why nothing could be found out."""

    def json(self) -> dict[str, Any]:
        """The contract's `Probe`."""
        return {**asdict(self), "error": self.error.json() if self.error else None}


async def probe(provider: Provider, model: str) -> Probe:
    """Ask a model to count, to call a tool, and to continue a partial reply: three requests."""
    try:
        client = await client_for(provider.base_url)
    except ProxyUnusable as error:
        return Probe(model, error=classify.bad_proxy(str(error)))
    async with client:
        return await _probe(client, provider, model)


async def _probe(client: httpx.AsyncClient, provider: Provider, model: str) -> Probe:
    end, chunks = await _ask(client, provider, model, [_ASK])
    if end[0] != "finish":
        return Probe(model, error=end[1])
    # A provider that does not stream sends one chunk.
    streaming = len(chunks) > 1
    end, called = await _ask(client, provider, model, [_CALL], tools=[_TOOL])
    tools = end[0] == "finish" and partial_of(called).tools
    partial = {"role": "assistant", "content": _SAID}
    end, resumed = await _ask(client, provider, model, [_ASK, partial])
    prefill = end[0] == "finish" and partial_of(resumed).text.startswith(_NEXT)
    return Probe(model, streaming, tools, prefill, "prefill" if prefill else "restart")


async def _ask(
    client: httpx.AsyncClient, provider: Provider, model: str, messages: list[Any], **options: Any
) -> tuple[End, list[str]]:
    request = {"model": model, "messages": messages, "stream": True, **options}
    got: list[str] = []

    async def answered() -> None:
        return

    async def chunks(data: list[str]) -> None:
        got.extend(data)

    wire = Wire(client, provider, answered=answered, chunks=chunks, most_bytes=_MOST_BYTES)
    try:
        return await asyncio.wait_for(wire.send(json.dumps(request).encode()), _SECONDS), got
    except asyncio.TimeoutError:
        late = classify.network(f"The model did not answer within {_SECONDS:g} s.")
        return ("lose", late), got
