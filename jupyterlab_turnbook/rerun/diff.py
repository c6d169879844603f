"""Compares two results notebooks: ``jupyter turnbook diff A B``."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from .answer import Json, Reply
from .notebook import name_of
from .reading import Results
from .stats import output_of, signature

Kind = Literal["same", "changed", "only in A", "only in B"]


@dataclass(frozen=True)
class Difference:
    """One reply in both notebooks."""

    kind: Kind
    record: str
    model: str
    repeat: int
    a: Json | None
    b: Json | None

    def json(self) -> Json:
        """The difference for programs."""
        return {
            "kind": self.kind,
            "record": self.record,
            "model": self.model,
            "repeat": self.repeat,
            "a": _told(self.a),
            "b": _told(self.b),
        }


def differences(a: Results, b: Results) -> list[Difference]:
    """All replies of both, matched by record, model and repeat, in the order of A, then B."""
    first, second = _by_place(a), _by_place(b)
    names = {
        record["hash"]: record["name"] for made in (b, a) for record in made.results["records"]
    }
    made = []
    for place in dict.fromkeys([*first, *second]):
        one, other = first.get(place), second.get(place)
        record, model, repeat = place
        made.append(Difference(_kind(one, other), names[record], model, repeat, one, other))
    return made


def report(a: Results, b: Results, found: list[Difference]) -> Iterator[str]:
    """The differences as lines for people."""
    if a.results["options"] != b.results["options"]:
        yield f"options: {a.results['options']} -> {b.results['options']}"
    for each in found:
        if each.kind == "same":
            continue
        yield f"{each.kind}: {each.record} · {each.model} · {each.repeat}"
        if each.a is not None and each.b is not None:
            yield from (f"  {line}" for line in _lines(each.a, each.b))
    counts = {kind: sum(each.kind == kind for each in found) for kind in _KINDS}
    yield ", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "nothing"


_KINDS: tuple[Kind, ...] = ("same", "changed", "only in A", "only in B")


def _by_place(made: Results) -> dict[tuple[str, str, int], Json]:
    return {
        (entry["record"], name_of(entry), int(entry["repeat"])): entry
        for entry in made.entries
        if entry["state"] != "missing"
    }


def _kind(a: Json | None, b: Json | None) -> Kind:
    if a is None or b is None:
        return "only in B" if a is None else "only in A"
    return "same" if _compared(a) == _compared(b) else "changed"


def _compared(entry: Json) -> tuple[Any, ...]:
    return (entry["state"], output_of(Reply.of(entry["reply"])))


def _lines(a: Json, b: Json) -> Iterator[str]:
    if a["state"] != b["state"]:
        yield f"{a['state']} -> {b['state']}"
    one, other = (_text(entry).splitlines() for entry in (a, b))
    # The first two lines would name the files.
    for line in islice(difflib.unified_diff(one, other, n=1, lineterm=""), 2, None):
        if not line.startswith("@@"):
            yield line


def _text(entry: Json) -> str:
    reply = Reply.of(entry["reply"])
    return "\n".join(filter(None, [reply.content, signature(reply)]))


def _told(entry: Json | None) -> Json | None:
    if entry is None:
        return None
    return {key: entry[key] for key in ("state", "request", "reply", "response", "cost")}
