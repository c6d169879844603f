"""A provider, and the checks of its settings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, cast, get_args

Continuation = Literal["prefill", "instruct", "restart"]
Reasoning = Literal["never", "rounds", "always"]
Source = Literal["local", "config", "environment", "user"]

LOCAL = "local"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PRINTABLE = re.compile(r"[\x20-\x7e]*")
_LONGEST_KEY = 8192


class BadSettings(ValueError):
    """Invalid settings; the message says which and why, and never contains a secret."""


@dataclass(frozen=True)
class Timeouts:
    """How long to wait for a provider, in seconds."""

    connect: float = 10.0
    first_byte: float = 300.0
    between_bytes: float = 30.0


@dataclass(frozen=True)
class Provider:
    """An OpenAI-compatible service and what is needed to send it a request."""

    name: str
    base_url: str
    key: str | None = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    timeouts: Timeouts
    continuation: Continuation
    source: Source
    models: tuple[str, ...] | None
    reasoning: Reasoning = "rounds"
    """Of which turns the model's reasoning is sent back."""


def check_name(name: Any) -> str:
    """A valid provider name."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise BadSettings(
            "A provider's name has 1 to 64 letters, digits, dots, dashes and underscores, and "
            "begins with a letter or digit."
        )
    if name == LOCAL:
        raise BadSettings("The name `local` belongs to the embedded model; choose another.")
    return name


def check_key(value: Any) -> str | None:
    """A key without surrounding whitespace; None if it is empty."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadSettings("The key must be text.")
    key = value.strip()
    if not _PRINTABLE.fullmatch(key) or len(key) > _LONGEST_KEY:
        raise BadSettings("The key has invalid characters or is too long; copy it again.")
    return key or None


def check_headers(value: Any) -> dict[str, str]:
    """Extra headers for every request."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadSettings("`headers` must be a mapping of names to texts.")
    for name, text in value.items():
        if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
            raise BadSettings("`headers` has an invalid header name.")
        if not isinstance(text, str) or not _PRINTABLE.fullmatch(text):
            raise BadSettings(f"The header {name} must be one line of plain text.")
    return dict(value)


def check_timeouts(value: Any) -> Timeouts:
    """Time limits, with defaults for those not given."""
    if value is None:
        return Timeouts()
    if not isinstance(value, Mapping):
        raise BadSettings("`timeouts` must be a mapping of names to seconds.")
    known = {each.name for each in fields(Timeouts)}
    for name, seconds in value.items():
        if name not in known:
            raise BadSettings(f"`timeouts` has {', '.join(sorted(known))}, not {str(name)[:40]}.")
        good = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not good or not math.isfinite(seconds) or seconds <= 0:
            raise BadSettings(f"`timeouts`: {name} must be a number of seconds above 0.")
    return Timeouts(**{name: float(seconds) for name, seconds in value.items()})


def check_continuation(value: Any) -> Continuation:
    """How a partial reply is continued.

    By default the request is sent again: we cannot know whether a service would continue at the
    next character, and one that does not would spoil the reply.
    """
    if value is None:
        return "restart"
    if value not in get_args(Continuation):
        raise BadSettings("`continuation` is one of prefill, instruct and restart.")
    return cast("Continuation", value)


def check_reasoning(value: Any) -> Reasoning:
    """Of which turns the model's reasoning is sent back.

    By default of those with tool calls: some services reject them without it, and ignore that of
    other turns.
    """
    if value is None:
        return "rounds"
    if value not in get_args(Reasoning):
        raise BadSettings("`reasoning` is one of never, rounds and always.")
    return cast("Reasoning", value)


def check_models(value: Any) -> tuple[str, ...] | None:
    """A fixed list of models, or None to ask the provider."""
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not all(isinstance(m, str) and m for m in value):
        raise BadSettings("`models` must be a list of model names.")
    return tuple(value)
