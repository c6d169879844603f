"""The response that a record may have: the exact bytes that came back for its payload."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import Any

_COUNTS = ("status", "sentAt", "answered", "ended", "size")
_LARGEST = 2**53 - 1


def record_response(told: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """The response of a run for a record, from the API's `Response` and the bytes."""
    made = {key: told[key] for key in ("status", "sentAt", "answered", "ended", "size", "hash")}
    try:
        return {**made, "body": body.decode()}
    except UnicodeDecodeError:
        return {**made, "encoding": "base64", "body": base64.b64encode(body).decode()}


def is_response(value: Any) -> bool:
    """Whether a value can be read as the response of a record."""
    return (
        isinstance(value, dict)
        and all(is_count(value.get(key)) for key in _COUNTS)
        and isinstance(value.get("hash"), str)
        and isinstance(value.get("body"), str)
        and value.get("encoding", "base64") == "base64"
    )


def response_problems(response: Mapping[str, Any]) -> list[str]:
    """What is wrong with a response that can be read."""
    try:
        body = _bytes(response)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        return ["The response is damaged: its body cannot be read."]
    problems = []
    found = hashlib.sha256(body).hexdigest()
    if found != response["hash"]:
        problems.append(
            f"The response does not match its hash: it is {found}, "
            f"the record says {response['hash']}."
        )
    if len(body) != response["size"]:
        problems.append(
            f"The response has {len(body)} bytes, the record says {int(response['size'])}."
        )
    return problems


def is_count(value: Any) -> bool:
    """Whether a value is a whole number that JavaScript can count with."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and value == value // 1
        and 0 <= value <= _LARGEST
    )


def _bytes(response: Mapping[str, Any]) -> bytes:
    body: str = response["body"]
    if "encoding" not in response:
        return body.encode()
    found = base64.b64decode(body, validate=True)
    if base64.b64encode(found).decode() != body:
        raise ValueError("not the base64 of these bytes")
    return found
