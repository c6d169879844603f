"""Keeping a provider's secrets out of everything that is stored, shown or logged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

MARK = "[key]"

# Shorter values are placeholders such as "ollama" or "lm-studio", which a reply may well contain.
_SHORTEST = 12
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)


def redactor(key: str | None, headers: Mapping[str, str]) -> Callable[[str], str]:
    """A function that replaces the key, and what headers carry of that kind, by `[key]`."""
    values = [key] if key else []
    for name, value in headers.items():
        if _SECRET_HEADER.search(name):
            values += [value, value.partition(" ")[2]]
    secrets = {value for value in values if len(value) >= _SHORTEST}
    # Events are JSON text, where a secret may stand in its escaped form.
    secrets |= {json.dumps(value)[1:-1] for value in secrets}
    if not secrets:
        return lambda text: text
    pattern = re.compile("|".join(re.escape(v) for v in sorted(secrets, key=len, reverse=True)))
    return lambda text: pattern.sub(MARK, text)
