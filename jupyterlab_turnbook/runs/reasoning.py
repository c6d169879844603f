"""The reasoning in a model's chunks, in the fields that services use for it."""

from __future__ import annotations

from typing import Any

FIELDS = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
"""DeepSeek and llama.cpp; vLLM, Ollama and OpenRouter; OpenRouter's pieces; others."""


def reasons(delta: dict[str, Any]) -> bool:
    """Whether a delta has reasoning, which may be encrypted."""
    return any(delta.get(field) for field in FIELDS) or bool(_thinking(delta))


def reasoning_text(delta: dict[str, Any]) -> str:
    """The readable reasoning of a delta; services that send it in two fields mean the same."""
    for field in FIELDS:
        value = delta.get(field)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            return "".join(_texts(value, ("text", "summary")))
    return "".join(_texts(_thinking(delta), ("text",)))


def _thinking(delta: dict[str, Any]) -> list[Any]:
    # Mistral: `content` is a list of parts, of which some are `{type: thinking, thinking: [...]}`.
    content = delta.get("content")
    found: list[Any] = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and part.get("type") == "thinking":
            inner = part.get("thinking")
            found += inner if isinstance(inner, list) else [{"text": inner}] if inner else []
    return found


def _texts(parts: list[Any], names: tuple[str, ...]) -> list[str]:
    read = (part.get(name) for part in parts if isinstance(part, dict) for name in names)
    return [text for text in read if isinstance(text, str)]
