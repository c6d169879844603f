"""Replies in the formats of services: one script for each, with what a client should read in it.

They are written from what the services document, not recorded, so that each is short and has what
is special about its format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .script import Script

PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA"
    "AABJRU5ErkJggg=="
)
"""A picture of one pixel."""

THOUGHT = ("The user greets me. ", "I greet ", "back.")
SAID = ("Hello", ", how are", " you?")
CALLING = ("They ask for the weather. ", "I need ", "the tool.")
CALL = {"id": "call_1", "name": "get_weather", "arguments": '{"city": "Berlin"}'}

_TIME = 1_760_000_000


@dataclass(frozen=True)
class Format:
    """A reply as a service sends it, and what it means."""

    script: Script = field(repr=False)
    text: str = "".join(SAID)
    reasoning: str = "".join(THOUGHT)
    calls: tuple[dict[str, str], ...] = ()
    images: tuple[str, ...] = ()
    details: tuple[dict[str, Any], ...] = ()
    """`reasoning_details` as they have to be sent back: texts of one index are joined."""

    def json(self) -> dict[str, Any]:
        """What `GET /control/formats` returns."""
        return {
            "text": self.text,
            "reasoning": self.reasoning,
            "calls": list(self.calls),
            "images": list(self.images),
            "details": list(self.details),
            "script": self.script,
        }


def _stream(*chunks: dict[str, Any], before: str = "") -> Script:
    first = [{"raw": before}] if before else []
    return {"steps": [*first, *({"chunk": chunk} for chunk in chunks), {"done": True}]}


class _Service:
    """Makes chunks as a service writes them."""

    def __init__(self, model: str, id_: str, choice: dict[str, Any], **more: Any) -> None:
        self._chunk = {
            "id": id_,
            "object": "chat.completion.chunk",
            "created": _TIME,
            "model": model,
            **more,
        }
        self._choice = choice

    def __call__(
        self, delta: dict[str, Any], finish: str | None = None, **more: Any
    ) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, **self._choice, "finish_reason": finish}
        return {**self._chunk, "choices": [choice], **more}

    def usage(self, **more: Any) -> dict[str, Any]:
        """The last chunk of services that count tokens in one of its own."""
        return {**self._chunk, "choices": [], "usage": _usage(**more)}


def _usage(**more: Any) -> dict[str, Any]:
    return {"prompt_tokens": 12, "completion_tokens": 20, "total_tokens": 32, **more}


def _function(*, name: str | None = None, arguments: str | None = None) -> dict[str, Any]:
    made = {"name": name, "arguments": arguments}
    return {key: value for key, value in made.items() if value is not None}


_REASONED = {"reasoning_tokens": 11}
_HALVES = CALL["arguments"][:9], CALL["arguments"][9:]


def _deepseek() -> dict[str, Format]:
    chunk = _Service(
        "deepseek-reasoner", "c0de-1", {"logprobs": None}, system_fingerprint="fp_scripted"
    )
    counted = _usage(
        prompt_tokens_details={"cached_tokens": 8},
        completion_tokens_details=_REASONED,
        prompt_cache_hit_tokens=8,
        prompt_cache_miss_tokens=4,
    )
    begin = chunk({"role": "assistant", "content": None, "reasoning_content": ""})

    def thoughts(*texts: str) -> list[dict[str, Any]]:
        return [chunk({"content": None, "reasoning_content": text}) for text in texts]

    call = {"index": 0, "id": CALL["id"], "type": "function"}
    first = {**call, "function": _function(name=CALL["name"], arguments="")}
    rest = [{"index": 0, "function": _function(arguments=half)} for half in _HALVES]
    return {
        "deepseek": Format(
            _stream(
                begin,
                *thoughts(*THOUGHT),
                *(chunk({"content": text, "reasoning_content": None}) for text in SAID),
                chunk({"content": "", "reasoning_content": None}, "stop", usage=counted),
                before=": keep-alive\n\n",
            )
        ),
        "deepseek-calls": Format(
            _stream(
                begin,
                *thoughts(*CALLING),
                *(chunk({"tool_calls": [part]}) for part in (first, *rest)),
                chunk({"content": "", "reasoning_content": None}, "tool_calls", usage=counted),
            ),
            text="",
            reasoning="".join(CALLING),
            calls=(CALL,),
        ),
    }


def _vllm(name: str, field_: str) -> dict[str, Format]:
    chunk = _Service("Qwen/Qwen3-8B", "chatcmpl-1", {"logprobs": None})
    begin = chunk({"role": "assistant", "content": ""})
    call = {"id": CALL["id"], "type": "function", "index": 0}
    first = {**call, "function": _function(name=CALL["name"])}
    rest = [{"index": 0, "function": _function(arguments=half)} for half in _HALVES]
    return {
        name: Format(
            _stream(
                begin,
                *(chunk({field_: text}) for text in THOUGHT),
                *(chunk({"content": text}) for text in SAID),
                chunk({"content": ""}, "stop", stop_reason=None),
                chunk.usage(),
            )
        ),
        f"{name}-calls": Format(
            _stream(
                begin,
                *(chunk({field_: text}) for text in CALLING),
                *(chunk({"tool_calls": [part]}) for part in (first, *rest)),
                chunk({"content": ""}, "tool_calls"),
                chunk.usage(),
            ),
            text="",
            reasoning="".join(CALLING),
            calls=(CALL,),
        ),
    }


def _ollama() -> dict[str, Format]:
    chunk = _Service("qwen3:8b", "chatcmpl-2", {}, system_fingerprint="fp_ollama")
    empty = {"role": "assistant", "content": ""}
    whole = {
        "id": CALL["id"],
        "index": 0,
        "type": "function",
        "function": _function(name=CALL["name"], arguments=CALL["arguments"]),
    }
    return {
        "ollama": Format(
            _stream(
                *(chunk({**empty, "reasoning": text}) for text in THOUGHT),
                *(chunk({"role": "assistant", "content": text}) for text in SAID),
                chunk(empty, "stop"),
                chunk.usage(),
            )
        ),
        "ollama-calls": Format(
            _stream(
                *(chunk({**empty, "reasoning": text}) for text in CALLING),
                chunk({**empty, "tool_calls": [whole]}),
                chunk(empty, "tool_calls"),
                chunk.usage(),
            ),
            text="",
            reasoning="".join(CALLING),
            calls=(CALL,),
        ),
    }


def _openrouter() -> dict[str, Format]:
    usual = {"native_finish_reason": None, "logprobs": None}
    waiting = ": OPENROUTER PROCESSING\n\n"
    counted = _usage(
        cost=0.00042,
        prompt_tokens_details={"cached_tokens": 8},
        completion_tokens_details=_REASONED,
    )
    empty = {"role": "assistant", "content": ""}

    def service(model: str, provider: str) -> _Service:
        return _Service(model, "gen-1", usual, provider=provider)

    def thought(chunk: _Service, text: str | None, detail: dict[str, Any]) -> dict[str, Any]:
        return chunk({**empty, "reasoning": text, "reasoning_details": [detail]})

    claude = service("anthropic/claude-sonnet-4.5", "Anthropic")
    text = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
    gpt = service("openai/gpt-5", "OpenAI")
    summary = {"type": "reasoning.summary", "format": "openai-responses-v1", "index": 0}
    hidden = {
        "type": "reasoning.encrypted",
        "data": "Z0FBQUFBQm9-scripted_-==",
        "id": "rs_1",
        "format": "openai-responses-v1",
        "index": 1,
    }
    gemini = service("google/gemini-2.5-flash-image", "Google")
    call = {"index": 0, "id": CALL["id"], "type": "function"}
    whole = {**call, "function": _function(name=CALL["name"], arguments=CALL["arguments"])}
    picture = {"type": "image_url", "image_url": {"url": PIXEL}, "index": 0}

    def signed(thoughts: tuple[str, ...]) -> list[dict[str, Any]]:
        said = [thought(claude, each, {**text, "text": each}) for each in thoughts]
        return [*said, thought(claude, None, {**text, "signature": "EuYBCkQYBCJA-scripted"})]

    def kept(thoughts: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
        return ({**text, "text": "".join(thoughts), "signature": "EuYBCkQYBCJA-scripted"},)

    return {
        "openrouter": Format(
            _stream(
                *signed(THOUGHT),
                *(claude({"role": "assistant", "content": each}) for each in SAID),
                claude(empty, "stop"),
                claude(empty, usage=counted),
                before=waiting * 2,
            ),
            details=kept(THOUGHT),
        ),
        "openrouter-calls": Format(
            _stream(
                *signed(CALLING),
                claude({**empty, "content": None, "tool_calls": [whole]}),
                claude(empty, "tool_calls"),
                claude(empty, usage=counted),
                before=waiting,
            ),
            text="",
            reasoning="".join(CALLING),
            calls=(CALL,),
            details=kept(CALLING),
        ),
        "openrouter-encrypted": Format(
            _stream(
                *(thought(gpt, each, {**summary, "summary": each}) for each in THOUGHT),
                thought(gpt, None, hidden),
                *(gpt({"role": "assistant", "content": each}) for each in SAID),
                gpt(empty, "stop"),
                gpt(empty, usage=counted),
            ),
            details=({**summary, "summary": "".join(THOUGHT)}, hidden),
        ),
        "openrouter-image": Format(
            _stream(
                gemini({"role": "assistant", "content": "Here it is."}),
                gemini({**empty, "images": [picture]}),
                gemini(empty, "stop"),
                gemini(empty, usage=counted),
            ),
            text="Here it is.",
            reasoning="",
            images=(PIXEL,),
        ),
    }


def _llama() -> dict[str, Format]:
    chunk = _Service("qwen3-8b.gguf", "chatcmpl-3", {}, system_fingerprint="b7000-scripted")
    begin = chunk({"role": "assistant", "content": None})
    timings = {"prompt_n": 12, "prompt_ms": 40.5, "predicted_n": 20, "predicted_ms": 310.25}
    call = {"index": 0, "id": CALL["id"], "type": "function"}
    first = {**call, "function": _function(name=CALL["name"], arguments=_HALVES[0])}
    rest = {"index": 0, "function": _function(arguments=_HALVES[1])}
    return {
        "llama.cpp": Format(
            _stream(
                begin,
                *(chunk({"reasoning_content": text}) for text in THOUGHT),
                *(chunk({"content": text}) for text in SAID),
                chunk({}, "stop", timings=timings),
                {**chunk.usage(), "timings": timings},
            )
        ),
        "llama.cpp-calls": Format(
            _stream(
                begin,
                *(chunk({"reasoning_content": text}) for text in CALLING),
                *(chunk({"tool_calls": [part]}) for part in (first, rest)),
                chunk({}, "tool_calls", timings=timings),
            ),
            text="",
            reasoning="".join(CALLING),
            calls=(CALL,),
        ),
    }


def _mistral() -> dict[str, Format]:
    chunk = _Service("magistral-medium-latest", "c0de-2", {})

    def thinking(text: str) -> dict[str, Any]:
        part = {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
        return chunk({"content": [part]})

    return {
        "mistral": Format(
            _stream(
                chunk({"role": "assistant", "content": ""}),
                *map(thinking, THOUGHT),
                # The end of the reasoning and the beginning of the reply may come together.
                chunk({"content": [{"type": "text", "text": SAID[0]}]}),
                *(chunk({"content": text}) for text in SAID[1:]),
                chunk({"content": ""}, "stop", usage=_usage()),
            )
        )
    }


FORMATS: dict[str, Format] = {
    **_deepseek(),
    **_vllm("vllm", "reasoning_content"),
    **_vllm("vllm-new", "reasoning"),
    **_ollama(),
    **_openrouter(),
    **_llama(),
    **_mistral(),
}
"""The scripts by name; a name can be queued wherever a script can."""
