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

# Linear in any text: a search for so many digits would begin again at each of them.
_EXPONENT = re.compile(r"[eE]\+?[0-9]")
_DIGITS = re.compile(r"[0-9]+")
_LONG = 300


def parse(text: str) -> Any:
    """Read JSON; raises `ValueError` for everything else."""
    return _decode(text, _STRICT)


def parse_bytes(data: bytes) -> Any:
    """Read JSON that came as bytes."""
    return parse(data.decode("utf-8"))


def parse_lenient(text: str) -> Any:
    """Read JSON of providers, who write `NaN` and `-Infinity` where they mean that there is no number."""
    return _decode(text, _LENIENT)


def parse_chunk(text: str) -> dict[str, Any] | None:
    """Read what a provider wrote; None if it is no JSON object."""
    try:
        value = parse_lenient(text)
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
    return int(digits) if len(digits) < _LONG or _float(digits) is not None else None


def _decode(text: str, decoder: json.JSONDecoder) -> Any:
    if text.startswith("\ufeff"):
        raise ValueError("It begins with a byte order mark")
    try:
        value = decoder.decode(text)
        # Brackets may also be in strings; those are not told apart before they are read.
        deep = text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(_ALL.decode(text))
    except RecursionError:
        deep = True
    if deep:
        raise ValueError(f"It is nested deeper than {MAX_DEPTH} levels")
    return value


def _maybe_huge(text: str) -> bool:
    """Whether there may be a number that no double can hold."""
    return bool(_EXPONENT.search(text)) or (
        len(text) >= _LONG and any(len(run) >= _LONG for run in _DIGITS.findall(text))
    )


def _is_too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, list) else []
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in outer if type(inner) is list]
        if not level:
            return False
    return True


_STRICT = json.JSONDecoder(parse_constant=_refuse, parse_float=_float, parse_int=_int)
_LENIENT = json.JSONDecoder(parse_constant=_nothing, parse_float=_float, parse_int=_int)
# Objects as lists of their values, those of repeated keys too, which are nested as well.
_ALL = json.JSONDecoder(
    object_pairs_hook=lambda pairs: [value for _, value in pairs],
    parse_constant=str,
    parse_float=str,
    parse_int=str,
)
