"""Finds out what a model supports, with one short request for each question."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from ..base import classify
from ..base.http import ProxyUnusable
from ..base.outcome import Outcome
from ..providers.provider import Provider
from .continuation import delta_of, partial_of, usage_of
from .picture import data_url
from .reasoning import reasons
from .reply import End
from .wire import Wire, client_for

Check = Literal["streaming", "tools", "images", "reasoning", "prefill"]
Result = Literal["yes", "no", "failed"]

_SECONDS = 60.0
_MOST_BYTES = 2 * 1024 * 1024
# A provider that rejects a request for its content does not support what is in it.
_REFUSED = (400, 404, 415, 422, 501)

_COUNT = {
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
_NUMBER = "4827"
_THINK = {
    "role": "user",
    "content": "How many letters r are in the word strawberry? Answer with the number only.",
}


@dataclass(frozen=True)
class Found:
    """Whether a model supports what was checked."""

    check: Check
    model: str
    result: Result
    error: Outcome | None = None
    """Why the provider refused it, or why it could not be found out."""

    def json(self) -> dict[str, Any]:
        """The contract's `ProviderCheck`."""
        return {**asdict(self), "error": self.error.json() if self.error else None}


class _Cut(Exception):
    """We ended the reply before the model did."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


@dataclass(frozen=True)
class _Question:
    messages: list[Any]
    supported: Callable[[list[str]], bool]
    """Whether these chunks of a reply show that the model supports it."""
    options: dict[str, Any]


def _question(check: Check) -> _Question:
    if check == "streaming":
        # A provider that does not stream sends one chunk.
        return _Question([_COUNT], lambda chunks: len(chunks) > 1, {})
    if check == "tools":
        return _Question([_CALL], lambda chunks: partial_of(chunks).tools, {"tools": [_TOOL]})
    if check == "images":
        parts = [
            {"type": "image_url", "image_url": {"url": data_url(_NUMBER)}},
            {"type": "text", "text": "Which number is in the picture? Write only its digits."},
        ]
        return _Question([{"role": "user", "content": parts}], _reads_the_number, {})
    if check == "reasoning":
        return _Question([_THINK], _reasons, {"stream_options": {"include_usage": True}})
    partial = {"role": "assistant", "content": _SAID}
    return _Question(
        [_COUNT, partial], lambda chunks: partial_of(chunks).text.startswith(_NEXT), {}
    )


async def probe(provider: Provider, model: str, check: Check) -> Found:
    """Ask a model one question, by one request."""
    question = _question(check)
    got: list[str] = []
    try:
        kind, outcome = await _ask(provider, model, question, got)
    except _Cut as cut:
        # It would have gone on, so that what did not come may still have come.
        is_shown = question.supported(got)
        return (
            Found(check, model, "yes") if is_shown else Found(check, model, "failed", cut.outcome)
        )
    if kind == "finish":
        return Found(check, model, "yes" if question.supported(got) else "no")
    # The other two contain nothing that only some models support.
    refused = check in ("tools", "images", "prefill") and outcome.status in _REFUSED
    return Found(check, model, "no" if refused else "failed", outcome)


def _reads_the_number(chunks: list[str]) -> bool:
    return _NUMBER in re.sub(r"\D", "", partial_of(chunks).text)


def _reasons(chunks: list[str]) -> bool:
    """Whether thoughts came with the reply, before it, or in the count of tokens."""
    if any(reasons(delta_of(data)) for data in chunks):
        return True
    details = (usage_of(chunks) or {}).get("completion_tokens_details")
    counted = details.get("reasoning_tokens") if isinstance(details, dict) else None
    if isinstance(counted, int | float) and counted > 0:
        return True
    return partial_of(chunks).text.lstrip().startswith(("<think>", "<thinking>"))


async def _ask(provider: Provider, model: str, question: _Question, got: list[str]) -> End:
    """Collect the chunks of a reply in `got`; raises `_Cut` if it is too long."""
    request = {
        "model": model,
        "messages": question.messages,
        "stream": True,
        **question.options,
    }

    async def answered() -> None:
        return

    async def chunks(data: list[str]) -> None:
        got.extend(data)

    try:
        client = await client_for(provider.base_url)
    except ProxyUnusable as error:
        return "lose", classify.bad_proxy(str(error))
    async with client:
        wire = Wire(client, provider, answered=answered, chunks=chunks, most_bytes=_MOST_BYTES)
        try:
            end = await asyncio.wait_for(wire.send(json.dumps(request).encode()), _SECONDS)
        except asyncio.TimeoutError:
            late = f"The reply was not complete within {_SECONDS:g} s."
            raise _Cut(classify.network(late)) from None
    if end[1].code == "too-large":
        long = f"The reply was not complete after {_MOST_BYTES:,} bytes."
        raise _Cut(replace(end[1], message=long))
    return end
