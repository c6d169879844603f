"""Statistics of replies. They depend on nothing but the replies."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..base import dialect
from ..records.javascript import canonical
from ..runs.usage import facts
from .answer import Json, Reply


@dataclass(frozen=True)
class Stats:
    """What the replies of one model to one record have in common."""

    wanted: int
    done: int
    distinct: int
    """How many different outputs there are, by text and tool calls."""
    agreement: float | None
    """The share of the most frequent output; None without replies."""
    tools: dict[str, int]
    """How often each signature of tool calls occurs."""
    valid: int | None
    """How many are valid JSON, or valid by the schema; None if nothing is JSON."""
    length: tuple[int, float, int] | None
    """The shortest, the median and the longest text, in characters."""
    first_ms: float | None
    """The median time to the first event."""
    took_ms: float | None
    """The median time to the end."""
    input: float | None
    output: float | None
    cost: float | None
    changed: int | None
    """How many differ from what they are compared with; None if there is nothing to compare."""
    checks: tuple[int, int] | None
    """How many checks passed, and how many there were."""

    def json(self) -> Json:
        """The statistics for a report."""
        return asdict(self)


def output_of(reply: Reply) -> str:
    """What makes two replies the same: text and tool calls."""
    return canonical([reply.content, signature(reply)])


def signature(reply: Reply) -> str:
    """The tool calls of a reply, with arguments written alike; empty if there are none."""
    return "; ".join(f"{call['name']}({_arguments(call)})" for call in reply.tool_calls)


def stats_of(entries: Sequence[Json]) -> Stats:
    """The statistics of the entries of one record and model."""
    good = [entry for entry in entries if entry["state"] == "done"]
    replies = [Reply.of(entry["reply"]) for entry in good]
    outputs = Counter(map(output_of, replies))
    lengths = [len(reply.content) for reply in replies]
    compared = [entry["changed"] for entry in good if entry["changed"] is not None]
    checks = [check for entry in good for check in entry["checks"]]
    return Stats(
        wanted=len(entries),
        done=len(good),
        distinct=len(outputs),
        agreement=max(outputs.values()) / len(good) if good else None,
        tools=dict(sorted(Counter(filter(None, map(signature, replies))).items())),
        valid=_count_valid(good),
        length=(min(lengths), statistics.median(lengths), max(lengths)) if lengths else None,
        first_ms=_median(entry["response"]["first"] for entry in good),
        took_ms=_median(entry["response"]["ended"] for entry in good),
        input=_sum(facts(reply.usage or {})[0] for reply in replies),
        output=_sum(facts(reply.usage or {})[2] for reply in replies),
        cost=_sum(entry["cost"] for entry in entries),
        changed=sum(compared) if compared else None,
        checks=(sum(check["passed"] for check in checks), len(checks)) if checks else None,
    )


def json_check(schema: Any) -> Callable[[str], bool]:
    """A function that says whether a text is JSON, and valid by the schema if there is one."""
    validator = None
    if schema is not None:
        from jsonschema.validators import validator_for

        kind = validator_for(schema)
        kind.check_schema(schema)
        validator = kind(schema)

    def check(text: str) -> bool:
        try:
            value = dialect.parse(text.strip())
        except ValueError:
            return False
        if validator is None:
            return isinstance(value, dict | list)
        try:
            return bool(validator.is_valid(value))
        except Exception:  # noqa: BLE001 - it has no common class for what is wrong with a schema
            return False

    return check


def probe_schema(schema: Any) -> None:
    """Raise `ValueError` or `SchemaError` if replies cannot be checked by this schema."""
    from jsonschema.validators import validator_for

    kind = validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema)
    for name, ref in {("", ""), *_references(schema)}:
        try:
            (validator.evolve(schema={name: ref}) if name else validator).is_valid(None)
        except Exception as error:
            raise ValueError(f"{ref or 'the schema'} cannot be used: {error!r}") from error


def _references(schema: Any) -> Iterator[tuple[str, str]]:
    """The references in a schema, but for those that are relative to another address."""
    if isinstance(schema, list):
        for each in schema:
            yield from _references(each)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("$ref", "$dynamicRef", "$recursiveRef") and isinstance(value, str):
                yield key, value
            elif key not in ("const", "enum", "default", "examples") and not (
                isinstance(value, dict) and "$id" in value
            ):
                yield from _references(value)


def _arguments(call: Json) -> str:
    try:
        return canonical(dialect.parse(call["arguments"] or "{}"))
    except ValueError:
        return str(call["arguments"])


def _count_valid(good: Sequence[Json]) -> int | None:
    known = [entry["valid"] for entry in good if entry["valid"] is not None]
    return sum(known) if known else None


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
