"""Turns the steps of a script into bytes and pauses."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Script = dict[str, Any]

STEPS = frozenset(
    {
        "headers",
        "delta",
        "reasoning",
        "tool_calls",
        "chunk",
        "raw",
        "raw_base64",
        "delay",
        "wait",
        "stall",
        "cut",
        "reset",
        "finish",
        "done",
        "tokens",
        "stamps",
        "body",
    }
)
FIELDS = frozenset({"status", "headers", "content_type", "steps", "split", "chunked"})


class BadScript(ValueError):
    """An invalid script; the message says which part."""


@dataclass(frozen=True)
class Send:
    """Write these body bytes; `b""` sends only the response head."""

    data: bytes


@dataclass(frozen=True)
class Delay:
    """Wait some seconds."""

    seconds: float


@dataclass(frozen=True)
class Wait:
    """Wait until this gate is released."""

    gate: str


@dataclass(frozen=True)
class Stall:
    """Send nothing more and keep the connection open."""


@dataclass(frozen=True)
class Cut:
    """Close the connection without ending the response; with `reset`, by RST."""

    reset: bool


Action = Send | Delay | Wait | Stall | Cut


def check(script: Any) -> Script:
    """Return a valid script; raises `BadScript` for an unknown field or step."""
    if not isinstance(script, dict):
        raise BadScript("A script is an object with `steps`.")
    unknown = set(script) - FIELDS
    if unknown:
        raise BadScript(f"Unknown script field {sorted(unknown)}; known are {sorted(FIELDS)}.")
    steps = script.get("steps")
    if not isinstance(steps, list):
        raise BadScript("A script has a list of `steps`.")
    for step in steps:
        if not isinstance(step, dict) or len(STEPS & set(step)) != 1:
            raise BadScript(f"A step has exactly one of {sorted(STEPS)}; got {step!r}.")
    return script


def gates(script: Script) -> set[str]:
    """The gates that a script waits at."""
    return {step["wait"] for step in script["steps"] if "wait" in step}


def event(data: Any) -> bytes:
    """One server-sent event."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def chunk(model: str, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """A well-formed `chat.completion.chunk`."""
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def words(text: str) -> list[str]:
    """The text split into words, each with the whitespace before it; nothing is lost."""
    return re.findall(r"\s*\S+|\s+$", text)


def actions(script: Script, model: str, *, usage: bool = False) -> Iterator[Action]:
    """The script as bytes to send and pauses to make, in order.

    With `usage` (a request's `stream_options.include_usage`), token counts come as from OpenAI: in
    a separate chunk after the finish.
    """
    said = 0
    for step in script["steps"]:
        said += "delta" in step or "reasoning" in step
        said += len(words(step["tokens"])) if "tokens" in step else 0
        if usage and "finish" in step:
            counted = {"prompt_tokens": 1, "completion_tokens": said, "total_tokens": 1 + said}
            yield Send(event(chunk(model, {}, step["finish"])))
            tokens = {**chunk(model, {}), "choices": [], "usage": step.get("usage", counted)}
            yield Send(event(tokens))
        else:
            yield from _actions(step, model)


def wants_usage(request: Any) -> bool:
    """Whether a request asks for the token usage of a stream."""
    options = request.get("stream_options") if isinstance(request, dict) else None
    return isinstance(options, dict) and options.get("include_usage") is True


def _actions(step: dict[str, Any], model: str) -> Iterator[Action]:
    if "headers" in step:
        yield Send(b"")
    elif "delta" in step:
        yield Send(event(chunk(model, {"content": step["delta"]})))
    elif "reasoning" in step:
        field = step.get("field", "reasoning_content")
        yield Send(event(chunk(model, {field: step["reasoning"]})))
    elif "tool_calls" in step:
        yield Send(event(chunk(model, {"tool_calls": step["tool_calls"]})))
    elif "chunk" in step:
        yield Send(event(step["chunk"]))
    elif "raw" in step:
        yield Send(step["raw"].encode())
    elif "raw_base64" in step:
        yield Send(base64.b64decode(step["raw_base64"]))
    elif "delay" in step:
        yield Delay(step["delay"] / 1000)
    elif "wait" in step:
        yield Wait(step["wait"])
    elif "stall" in step:
        yield Stall()
    elif "cut" in step:
        yield Cut(reset=False)
    elif "reset" in step:
        yield Cut(reset=True)
    elif "finish" in step:
        end = chunk(model, {}, step["finish"])
        if "usage" in step:
            end["usage"] = step["usage"]
        yield Send(event(end))
    elif "done" in step:
        yield Send(event("[DONE]"))
    elif "tokens" in step:
        every = step.get("every", 0) / 1000
        for index, word in enumerate(words(step["tokens"])):
            if every and index:
                yield Delay(every)
            yield Send(event(chunk(model, {"content": word})))
    elif "stamps" in step:
        # Each token is its time of creation, on the monotonic clock that all processes share.
        for index in range(step["stamps"]):
            if index:
                yield Delay(step.get("every", 0) / 1000)
            yield Send(event(chunk(model, {"content": f"{time.monotonic_ns()} "})))
    else:
        yield Send(json.dumps(step["body"], ensure_ascii=False).encode())


def content_type(script: Script) -> str:
    """The script's own content type, else JSON if it has a `body` step, else an event stream."""
    given = script.get("content_type")
    if given is not None:
        return str(given)
    plain = any("body" in step for step in script["steps"])
    return "application/json" if plain else "text/event-stream"


def echo(request: Any) -> Script:
    """The reply if nothing is queued: echoes the last user message."""
    said = last_user_text(request)
    if isinstance(request, dict) and request.get("stream"):
        return {
            "steps": [{"tokens": f"You said: {said}"}, {"finish": "stop"}, {"done": True}],
        }
    message = {"role": "assistant", "content": f"You said: {said}"}
    return {
        "steps": [
            {
                "body": {
                    "id": "chatcmpl-scripted",
                    "object": "chat.completion",
                    "created": 1_700_000_000,
                    "model": request.get("model", "") if isinstance(request, dict) else "",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                }
            }
        ]
    }


def last_user_text(request: Any) -> str:
    """The text of the request's last user message; empty if there is none."""
    messages = request.get("messages") if isinstance(request, dict) else None
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user":
            content = message.get("content")
            if isinstance(content, str):
                return content
            parts = content if isinstance(content, list) else []
            return " ".join(str(p.get("text", "")) for p in parts if isinstance(p, dict))
    return ""
