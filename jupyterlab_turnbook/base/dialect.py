"""One dialect of JSON, the same as in the browser (`src/runs/dialect.ts`).

It is strict RFC 8259 in UTF-8 without a byte order mark. The last of repeated keys wins, nesting is
limited to `MAX_DEPTH`, and a number too large for a double becomes null. An escape may be a lone
surrogate: its other half may come with the next chunk. `well_formed` replaces those that are still
alone once the text has been put together.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Callable
from typing import Any

MAX_DEPTH = 200

# Python loads it with its first use, when the process may have no file descriptor left.
codecs.lookup("utf-16-le")

# Linear in any text; searching for `[0-9]{300}` would start over at each digit.
_EXPONENT = re.compile(r"[0-9][eE]\+?[0-9]{3}")
_DIGITS = re.compile(r"[0-9]+")
_LONG = 300
# With an exponent of two digits, fewer are enough to be too large for a double.
_LONG_BEFORE_EXPONENT = 200


def parse(text: str) -> Any:
    """Parse JSON; raises `ValueError` if it is not valid."""
    return _decode(text, _STRICT)


def parse_bytes(data: bytes) -> Any:
    """Parse JSON from UTF-8 bytes."""
    return parse(data.decode("utf-8"))


def parse_lenient(text: str) -> Any:
    """Parse JSON from providers; `NaN` and infinities, which some of them send, become None."""
    return _decode(text, _LENIENT)


def parse_chunk(text: str) -> dict[str, Any] | None:
    """Parse JSON from a provider; None if it is not a JSON object."""
    try:
        value = parse_lenient(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def storable(text: str, chunk: dict[str, Any]) -> str:
    """A chunk's text in a form that every JSON parser accepts; unchanged where possible."""
    # These may be in a text or an id, and the response is to be kept as it came.
    if ("NaN" in text or "Infinity" in text or _maybe_huge(text)) and _is_changed(text):
        return json.dumps(chunk, allow_nan=False)
    return text


def well_formed(text: str) -> str:
    """Joins surrogate pairs and replaces lone surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _nothing(name: str) -> None:
    return None


def _float(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


def _int(digits: str) -> int | None:
    # Python refuses to parse very long integers.
    return int(digits) if len(digits) < _LONG or _float(digits) is not None else None


def _decode(text: str, decoder: json.JSONDecoder) -> Any:
    if text.startswith("\ufeff"):
        raise ValueError("It begins with a byte order mark")
    try:
        value = decoder.decode(text)
        # Some of these brackets may be inside strings, so only count them as a first test.
        deep = text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(_ALL.decode(text))
    except RecursionError:
        deep = True
    if deep:
        raise ValueError(f"It is nested deeper than {MAX_DEPTH} levels")
    return value


def _maybe_huge(text: str) -> bool:
    """Whether the text may contain a number too large for a double."""
    least = _LONG_BEFORE_EXPONENT
    return bool(_EXPONENT.search(text)) or (
        len(text) >= least and any(len(run) >= least for run in _DIGITS.findall(text))
    )


def _is_changed(text: str) -> bool:
    """Whether a number of a JSON text is not what was read from it."""
    lost: list[str] = []

    def noticed(read: Callable[[str], Any]) -> Callable[[str], Any]:
        def take(written: str) -> Any:
            value = read(written)
            if value is None:
                lost.append(written)
            return value

        return take

    json.JSONDecoder(
        parse_constant=noticed(_nothing), parse_float=noticed(_float), parse_int=noticed(_int)
    ).decode(text)
    return bool(lost)


def _is_too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, list) else []
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in outer if type(inner) is list]
        if not level:
            return False
    return True


_STRICT = json.JSONDecoder(parse_constant=_refuse, parse_float=_float, parse_int=_int)
_LENIENT = json.JSONDecoder(parse_constant=_nothing, parse_float=_float, parse_int=_int)
# Turns objects into lists of their values, to measure the depth; keeps repeated keys too.
_ALL = json.JSONDecoder(
    object_pairs_hook=lambda pairs: [value for _, value in pairs],
    parse_constant=str,
    parse_float=str,
    parse_int=str,
)
