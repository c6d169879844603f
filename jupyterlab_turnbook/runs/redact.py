"""Keeping a provider's secrets out of everything that is stored, shown or logged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

MARK = "[key]"

_LONG = 12
_SHORTEST = 4
# What people write where a server wants some key and checks none; a reply may well contain it.
_PLACEHOLDERS = frozenset(
    [
        "api-key",
        "apikey",
        "changeme",
        "dummy",
        "empty",
        "fake",
        "ignored",
        "key",
        "lm-studio",
        "lmstudio",
        "local",
        "no-key",
        "nokey",
        "none",
        "not-needed",
        "null",
        "ollama",
        "placeholder",
        "test",
        "token",
        "unused",
        "vllm",
    ]
)
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)
# In JSON, the letter of an escape is no letter of the word that follows.
_BEFORE = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4}))"
_AFTER = r"(?![A-Za-z0-9])"


def redactor(key: str | None, headers: Mapping[str, str]) -> Callable[[str], str]:
    """A function that replaces the key, and what headers carry of that kind, by `[key]`.

    A key of fewer than 12 characters may be a part of a word, so it is replaced only where it is by
    itself; placeholders, and what has fewer than 4, protect nothing and are left.
    """
    values = [key] if key else []
    for name, value in headers.items():
        if _SECRET_HEADER.search(name):
            values += [value, value.partition(" ")[2]]
    secrets = {
        value for value in values if len(value) >= _SHORTEST and value.lower() not in _PLACEHOLDERS
    }
    # Events are JSON text, where a secret may stand in its escaped form.
    secrets |= {json.dumps(value)[1:-1] for value in secrets}
    if not secrets:
        return lambda text: text
    pattern = re.compile("|".join(_found(v) for v in sorted(secrets, key=len, reverse=True)))
    return lambda text: pattern.sub(MARK, text)


def _found(secret: str) -> str:
    literal = re.escape(secret)
    return literal if len(secret) >= _LONG else f"{_BEFORE}{literal}{_AFTER}"
