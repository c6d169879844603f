"""One dialect of JSON: what is read here is read in the browser too (`src/runs/dialect.ts`).

It is RFC 8259 to the letter, as UTF-8 without a byte order mark. Of repeated keys the last counts,
nothing is nested deeper than `MAX_DEPTH`, and a number that no double can hold is null. Half a
character may stand in an escape: its other half may come with the next chunk, and what stays alone
when the text is put together is replaced (`well_formed`).
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

MAX_DEPTH = 200

# A string that is never closed is one token too: to begin again at each quote in it takes for ever.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
# Two searches that each begin with a set of characters: one for both is a hundred times slower.
_EXPONENT = re.compile(r"[eE]\+?[0-9]")
_DIGITS = re.compile(r"[0-9]{300}")


def parse(text: str) -> Any:
    """Read JSON; raises `ValueError` for everything else."""
    return _decode(text, _STRICT)


def parse_bytes(data: bytes) -> Any:
    """Read JSON that came as bytes."""
    return parse(data.decode("utf-8"))


def parse_chunk(text: str) -> dict[str, Any] | None:
    """Read what a provider wrote; None if it is no JSON object.

    Providers write `NaN` and `-Infinity` where they mean that there is no number.
    """
    try:
        value = _decode(text, _LENIENT)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def storable(text: str, chunk: dict[str, Any]) -> str:
    """The text of a chunk as every JSON reader takes it; as it came, where that is clear."""
    # These may be words of the reply; then it is only written in another way.
    if "NaN" in text or "Infinity" in text or _maybe_huge(text):
        return json.dumps(chunk, allow_nan=False)
    return text


def well_formed(text: str) -> str:
    """Put halves of characters together, and replace those that stay alone."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _nothing(name: str) -> None:
    return None


def _float(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


def _int(digits: str) -> int | None:
    # Python refuses to read very long ones.
    return int(digits) if _float(digits) is not None else None


def _decode(text: str, decoders: tuple[json.JSONDecoder, json.JSONDecoder]) -> Any:
    if _is_too_deep(text):
        raise ValueError(f"It is nested deeper than {MAX_DEPTH} levels")
    if text.startswith("\ufeff"):
        raise ValueError("It begins with a byte order mark")
    return decoders[_maybe_huge(text)].decode(text)


def _maybe_huge(text: str) -> bool:
    """Whether there may be a number that no double can hold."""
    return bool(_EXPONENT.search(text) or _DIGITS.search(text))


def _is_too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif token in "]}":
            depth -= 1
    return False


def _decoders(constant: Any) -> tuple[json.JSONDecoder, json.JSONDecoder]:
    return (
        json.JSONDecoder(parse_constant=constant),
        json.JSONDecoder(parse_constant=constant, parse_float=_float, parse_int=_int),
    )


_STRICT = _decoders(_refuse)
_LENIENT = _decoders(_nothing)
