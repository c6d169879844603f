"""What a rerun has to send: records, models and repeats, each with its key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..records.javascript import canonical, well_formed
from ..records.verify import verify
from .payload import CannotReplace, Change, replaced

RECORDS = "*.replay.ipynb"

_MOST = 2**53
"""No count in a request is taken for more."""


class CannotRerun(Exception):
    """Why nothing is sent, as a text for the user."""


@dataclass(frozen=True)
class Record:
    """A replay record."""

    name: str
    payload: str
    hash: str
    provider: str
    model: str
    response: dict[str, Any] | None = None

    @cached_property
    def choices(self) -> int:
        """How many replies it asks for at once."""
        return _choices(self.payload)


@dataclass(frozen=True, order=True)
class Target:
    """A model of a provider."""

    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, eq=False)
class Request:
    """A record's payload for one model, with the bytes that are sent."""

    record: Record
    target: Target
    body: bytes
    hash: str

    @cached_property
    def limit(self) -> int | None:
        """How many tokens each of its replies may have, if it says so."""
        body = json.loads(self.body)
        for name in ("max_completion_tokens", "max_tokens"):
            if isinstance(body.get(name), int) and not isinstance(body[name], bool):
                return min(max(0, int(body[name])), _MOST)
        return None

    @cached_property
    def choices(self) -> int:
        """How many replies it asks for at once."""
        return _choices(self.body)


@dataclass(frozen=True)
class Wanted:
    """One reply that is wanted. Its key is that of its result."""

    request: Request
    repeat: int
    """From 1."""
    key: str


@dataclass(frozen=True)
class Plan:
    """All that is wanted, in the order of the results."""

    records: tuple[Record, ...]
    targets: tuple[Target, ...]
    changes: tuple[Change, ...]
    repeats: int
    wanted: tuple[Wanted, ...]


def key_of(payload: str, target: str, changes: Iterable[Change], repeat: int) -> str:
    """The key of a result: the hash of the record's payload, the model, the options, the repeat."""
    options = {change.name: change.value for change in changes}
    parts = {"payload": payload, "model": target, "options": options, "repeat": repeat}
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def body_of(payload: str, model: str, changes: Iterable[Change]) -> bytes:
    """The bytes that are sent: the payload with the model and the options in it."""
    # Sorted, so that the order of the arguments makes no other request.
    ordered = sorted(changes, key=lambda change: change.path)
    return replaced(payload, [Change(("model",), model), *ordered]).encode()


def find_records(paths: Iterable[Path]) -> list[Path]:
    """The files that are named, and the records in the folders that are named."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob(RECORDS)) if path.is_dir() else [path]
        if not inside:
            raise CannotRerun(f"{path} has no replay records ({RECORDS}).")
        found += inside
    return found


def read_record(path: Path) -> Record:
    """A record, if `jupyter turnbook verify` finds nothing wrong with it."""
    problems = verify(path).problems
    if problems:
        raise CannotRerun(f"{path} cannot be used: {problems[0]}")
    record = json.loads(path.read_text(encoding="utf-8"))["metadata"]["turnbook"]["record"]
    model = json.loads(record["payload"]).get("model")
    return Record(
        # A file's name may be any bytes, and no provider's has half a character.
        name=well_formed(path.name.removesuffix(".ipynb").removesuffix(".replay")),
        payload=record["payload"],
        hash=record["hash"],
        provider=well_formed(record["provider"]),
        model=model if isinstance(model, str) else "",
        response=record.get("response"),
    )


def make_plan(
    records: Sequence[Record],
    models: Sequence[str],
    changes: Sequence[Change],
    repeats: int,
    is_provider: Callable[[str], bool],
) -> Plan:
    """All requests; without `models`, each record is sent to the model that it was sent to."""
    names = [change.name for change in changes]
    if len({*names}) < len(names):
        raise CannotRerun("The options name the same place twice.")
    requests: list[Request] = []
    by_hash: dict[str, list[Record]] = {}
    for record in records:
        by_hash.setdefault(record.hash, []).append(record)
    for same in by_hash.values():
        # The same payload twice is one request, but to another provider; `--repeat` is for asking again.
        targets: dict[Target, Record] = {}
        for record in same:
            for target in _targets(record, models, is_provider):
                targets.setdefault(target, record)
        requests += [_request(record, target, changes) for target, record in targets.items()]
    return Plan(
        records=tuple(same[0] for same in by_hash.values()),
        targets=tuple(dict.fromkeys(request.target for request in requests)),
        changes=tuple(sorted(changes, key=lambda change: change.path)),
        repeats=repeats,
        wanted=tuple(
            Wanted(
                request,
                repeat,
                key_of(request.record.hash, str(request.target), changes, repeat),
            )
            for request in requests
            for repeat in range(1, repeats + 1)
        ),
    )


def _choices(body: str | bytes) -> int:
    n = json.loads(body).get("n")
    is_number = isinstance(n, int | float) and not isinstance(n, bool)
    return int(min(n, _MOST)) if is_number and n >= 1 else 1


def _targets(
    record: Record, models: Sequence[str], is_provider: Callable[[str], bool]
) -> Iterator[Target]:
    if not models:
        yield Target(record.provider, record.model)
    made = []
    for name in models:
        provider, slash, model = name.partition("/")
        if not slash or not is_provider(provider):
            # Names of models have slashes too; such a one is the record's provider's.
            provider, model = record.provider, name
        made.append(Target(provider, model))
    yield from dict.fromkeys(made)


def _request(record: Record, target: Target, changes: Sequence[Change]) -> Request:
    if not target.model:
        raise CannotRerun(f"{record.name} names no model. Name the models that it is sent to.")
    try:
        body = body_of(record.payload, target.model, changes)
    except CannotReplace as error:
        raise CannotRerun(f"{record.name}: {error}") from error
    except UnicodeEncodeError as error:
        raise CannotRerun(f"A model or an option holds half of a character: {error}") from error
    return Request(record, target, body, hashlib.sha256(body).hexdigest())
