"""Replaces values in the bytes of a request and leaves all other bytes as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from ..base import dialect
from ..records.javascript import dumps

_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()


class CannotReplace(ValueError):
    """A value that cannot be replaced; the message says why."""


@dataclass(frozen=True)
class Change:
    """A value to put at a place of a request."""

    path: tuple[str, ...]
    value: Any

    @property
    def name(self) -> str:
        """The place as the user writes it."""
        return ".".join(self.path)


class _Member(NamedTuple):
    name: str
    start: int
    end: int
    """Where its value begins and ends in the text."""


def parse_change(text: str) -> Change:
    """Read ``path=value``; the value is JSON, or a text if it is not JSON."""
    name, sign, value = text.partition("=")
    path = tuple(name.split("."))
    if not sign or not all(path):
        raise CannotReplace(f"{text!r} is not path=value, as in temperature=0.2.")
    if path == ("model",):
        raise CannotReplace("The model is no option. Name it as a model.")
    try:
        parsed = dialect.parse(value)
    except ValueError:
        parsed = value
    if _has_huge(parsed):
        raise CannotReplace(f"{text!r}: a number of 2^53 or more is not the same to all readers.")
    return Change(path, parsed)


def changes_in(options: dict[str, Any]) -> list[Change]:
    """The changes that results name."""
    return [Change(tuple(name.split(".")), value) for name, value in options.items()]


def replaced(payload: str, changes: Sequence[Change]) -> str:
    """The payload with these values in it. Objects that a path lacks are added."""
    for change in changes:
        payload = _replaced(payload, change)
    return payload


def _replaced(text: str, change: Change) -> str:
    at = _skip(text, 0)
    for depth, name in enumerate(change.path):
        members = list(_members(text, at))
        found = [each for each in members if each.name == name]
        if len(found) > 1:
            raise CannotReplace(f"The request has {name!r} twice, so {change.name} is ambiguous.")
        if not found:
            return _added(text, at, members, change, depth)
        at = found[0].start
    return text[:at] + _written(change.value) + text[found[0].end :]


def _added(text: str, at: int, members: list[_Member], change: Change, depth: int) -> str:
    if text[at] != "{":
        raise CannotReplace(f"The request has nothing at {change.name}.")
    value = change.value
    for name in reversed(change.path[depth + 1 :]):
        value = {name: value}
    member = f"{_written(change.path[depth])}:{_written(value)}"
    place = members[-1].end if members else at + 1
    return f"{text[:place]}{',' if members else ''}{member}{text[place:]}"


def _members(text: str, at: int) -> Iterator[_Member]:
    """The values in the object or list that begins here; a list's have their places as names."""
    is_object = text[at] == "{"
    if not is_object and text[at] != "[":
        return
    at, count = _skip(text, at + 1), 0
    while text[at] not in "]}":
        name = str(count)
        if is_object:
            name, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield _Member(name, at, end)
        at, count = _skip(text, end), count + 1
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _written(value: Any) -> str:
    return dumps(value)


def _has_huge(value: Any) -> bool:
    if isinstance(value, list | dict):
        return any(map(_has_huge, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and abs(value) >= 2**53
