"""Reads and writes JSON the way JavaScript does, which is how records are made."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def loads(text: str) -> Any:
    """Parse JSON as JavaScript does: all numbers are floats, and keys that are indices come first.

    Raises:
        ValueError: If it is not JSON.
    """
    return json.loads(
        text,
        parse_int=_number,
        parse_float=float,
        parse_constant=_refuse,
        object_pairs_hook=_ordered,
    )


def dumps(value: Any, indent: int = 0, depth: int = 0) -> str:
    """Write JSON as ``JSON.stringify(value, null, indent)`` does."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(float(value))
    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return _block("[", "]", [dumps(item, indent, depth + 1) for item in value], indent, depth)
    colon = ": " if indent else ":"
    items = [f"{string(key)}{colon}{dumps(item, indent, depth + 1)}" for key, item in value.items()]
    return _block("{", "}", items, indent, depth)


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces."""
    if isinstance(value, list):
        return f"[{','.join(map(canonical, value))}]"
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return f"{{{','.join(f'{string(key)}:{canonical(value[key])}' for key in keys)}}}"
    return dumps(value)


def string(text: str) -> str:
    """A string in JSON; lone surrogates are escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def number(value: float) -> str:
    """A number in JSON, formatted as in JavaScript."""
    if math.isinf(value) or math.isnan(value):
        return "null"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}e0".partition("e")
    exponent = exponent.split("e")[0]
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The position of the decimal point, counted from the first digit.
    point = len(whole) + int(exponent) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def length(text: str) -> int:
    """The length of a text in JavaScript."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, end: int) -> str:
    """The beginning of a text, ``text.slice(0, end)``."""
    return text.encode("utf-16-le", "surrogatepass")[: end * 2].decode("utf-16-le", "surrogatepass")


def end(text: str, count: int) -> str:
    """The end of a text, ``text.slice(-count)``."""
    return text.encode("utf-16-le", "surrogatepass")[-count * 2 :].decode(
        "utf-16-le", "surrogatepass"
    )


def well_formed(value: Any) -> Any:
    """The value with lone surrogates in its texts replaced."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    return value


def _number(digits: str) -> float:
    try:
        return float(digits)
    except OverflowError:
        return math.inf


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _ordered(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    indices = sorted((key for key in found if _is_index(key)), key=int)
    if not indices:
        return found
    return {key: found[key] for key in [*indices, *(key for key in found if not _is_index(key))]}


def _is_index(key: str) -> bool:
    return (
        key.isascii() and key.isdigit() and str(int(key)) == key and int(key) < 2**32 - 1
        if len(key) < 11
        else False
    )


def _block(begin: str, end: str, items: list[str], indent: int, depth: int) -> str:
    if not items or not indent:
        return begin + ",".join(items) + end
    inner = "\n" + " " * indent * (depth + 1)
    return begin + inner + f",{inner}".join(items) + "\n" + " " * indent * depth + end
