"""The body of an attempt that continues a partial reply."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..base import dialect
from ..providers.provider import Continuation
from .model import Run
from .reasoning import reasons

INSTRUCTION = (
    "Your reply was cut off. Continue it exactly after its last character: "
    "repeat nothing, add no greeting and no comment."
)

_SPACE = " \t\n\r"


@dataclass(frozen=True)
class Partial:
    """What had arrived of a reply."""

    text: str
    tools: bool = False
    """Whether the model had started a tool call."""
    thought: bool = False
    """Whether it had sent reasoning, which is no part of the text and cannot be continued."""

    def __bool__(self) -> bool:
        return bool(self.text) or self.tools or self.thought


def next_body(body: bytes, partial: Partial, continuation: Continuation) -> bytes:
    """The bytes for the next attempt: `body` itself unless the provider can continue `partial`.

    Reasoning alone, half a tool call, or a body without a list of messages cannot be continued.
    Messages are inserted at the end of `messages`; all other bytes stay the same.
    """
    if not partial.text or partial.tools or continuation == "restart":
        return body
    added: list[dict[str, Any]] = [{"role": "assistant", "content": partial.text}]
    if continuation == "instruct":
        added.append({"role": "user", "content": INSTRUCTION})
    text = body.decode("utf-8")
    span = _list_span(text, "messages")
    if span is None:
        return body
    start, close = span[0], span[1] - 1
    empty = not text[start + 1 : close].strip(_SPACE)
    inserted = ",".join(json.dumps(message, ensure_ascii=False) for message in added)
    return (text[:close] + ("" if empty else ",") + inserted + text[close:]).encode("utf-8")


def refused_to_go_on(last: Run) -> bool:
    """Whether the provider rejected a request that continues a partial reply; it always will."""
    if last.continues is None or last.end is None:
        return False
    # Some versions of llama.cpp answer 500 to a prefilled reply while the model is to think.
    says_so = last.end.status == 500 and "prefill" in last.end.message.lower()
    return last.end.status in (400, 422) or says_so


def delta_text(data: str) -> str:
    """The reply's text in one chunk; some providers send it in parts."""
    return _text(delta_of(data))


def partial_of(chunks: Iterable[str]) -> Partial:
    """The reply in a run's chunks. Raises `ValueError` if a chunk is not JSON."""
    texts: list[str] = []
    tools = thought = False
    for data in chunks:
        delta = delta_of(data)
        texts.append(_text(delta))
        tools = tools or bool(delta.get("tool_calls"))
        thought = thought or reasons(delta)
    return Partial(dialect.well_formed("".join(texts)), tools, thought)


def usage_of(chunks: Iterable[str]) -> dict[str, Any] | None:
    """The last token usage reported in these chunks."""
    found = None
    for data in chunks:
        usage = _object(data).get("usage")
        found = usage if isinstance(usage, dict) else found
    return found


def _object(data: str) -> dict[str, Any]:
    chunk = dialect.parse_chunk(data)
    if chunk is None:
        # Raises if it is not JSON; any other JSON value is ignored.
        dialect.parse(data)
        return {}
    return chunk


def first_choice(chunk: dict[str, Any]) -> dict[str, Any]:
    """The choice that is the reply: the first one with index 0 or without an index."""
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            index = choice.get("index")
            if index is None or (index == 0 and not isinstance(index, bool)):
                return choice
    return {}


def delta_of(data: str) -> dict[str, Any]:
    """What one chunk adds to the reply."""
    delta = first_choice(_object(data)).get("delta")
    return delta if isinstance(delta, dict) else {}


def _text(delta: dict[str, Any]) -> str:
    content = delta.get("content")
    if isinstance(content, list):
        # Mistral: parts, of which some are reasoning.
        parts = [each for each in content if isinstance(each, dict) and each.get("type") == "text"]
        return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return content if isinstance(content, str) else ""


def _list_span(text: str, wanted: str) -> tuple[int, int] | None:
    # As in JSON parsers, the last of repeated keys wins.
    decoder = json.JSONDecoder()
    found: tuple[int, int] | None = None
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        value, end = decoder.raw_decode(text, at)
        if key == wanted and isinstance(value, list):
            found = (at, end)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
