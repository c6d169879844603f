"""Reads results notebooks, and checks them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..records.javascript import canonical, loads
from ..records.response import is_count
from ..records.verify import Findings, comparable, read_notebook
from .answer import Json, Reply
from .notebook import KEY, digest_of, result_cells
from .payload import CannotReplace, Change, changes_in
from .plan import CannotRerun, body_of, key_of
from .recorded import reply_in
from .store import Store, stored_bodies, unpacked

_TEXTS = ("key", "record", "provider", "model", "request", "state")
_STATES = ("done", "broken", "unknown", "refused", "missing")
_PAID = ("done", "broken", "unknown")
"""The states of what may have been billed."""


@dataclass(frozen=True)
class Results:
    """What a results notebook says."""

    results: Json
    entries: list[Json]


class NoResults(Exception):
    """The file is not a results notebook; the message says why."""


def is_results(path: Path) -> bool:
    """Whether a file calls itself a results notebook."""
    try:
        return "results" in _entry(loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return False


def check_out(path: Path, name: str = "") -> None:
    """Raise `CannotRerun` unless results may be written there; `name` is what the user calls it."""
    name = name or str(path)
    if path.suffix != ".ipynb":
        raise CannotRerun(f"{name} is not the name of a notebook (.ipynb).")
    if path.exists() and not is_results(path):
        raise CannotRerun(f"{name} exists and is not a results notebook. Name another file.")
    if not path.parent.is_dir():
        raise CannotRerun(f"The folder {path.parent} does not exist.")


def check_kept(path: Path, store: Path, keys: Collection[str]) -> None:
    """Raise `CannotRerun` if results would replace replies that the store, with these keys, lacks.

    A notebook that was copied, renamed or received has come without its store.
    """
    if not path.exists():
        return
    notebook = json.loads(path.read_text(encoding="utf-8"))
    lost = [
        entry
        for entry in _entries(notebook)
        if isinstance(entry, dict) and entry.get("state") in _PAID and entry.get("key") not in keys
    ]
    if lost:
        results = _entry(notebook).get("results")
        named = (isinstance(results, dict) and results.get("store")) or store.name
        what = (
            f"Put {named} back"
            if named == store.name
            else f"Copy its store {named} to {store.name}"
        )
        raise CannotRerun(
            f"{path.name} has replies that the store {store.name} does not have. They would be "
            f"lost, and asked for again. {what}, or name another file for the results."
        )


async def open_store(store: Store, out: Path) -> None:
    """Open the store of results, or make it; raises `StoreError`, or `CannotRerun` as `check_kept` does.

    An empty store must not be beside results of another one: it would be taken for theirs.
    """
    if not store.path.exists():
        await asyncio.to_thread(check_kept, out, store.path, ())
    await store.open()


def read_results(path: Path) -> Results:
    """The results in a notebook; raises `NoResults` if it cannot be read or was changed."""
    found, made = _read(path)
    if made is None or found.problems:
        raise NoResults(f"{path} cannot be used: {found.problems[0]}")
    return made


def verify_results(path: Path) -> Findings:
    """Check a results notebook, and the responses in its store if that is there."""
    found, made = _read(path)
    if made is not None and not found.problems:
        _check_store(path, made, found)
    return found


def _read(path: Path) -> tuple[Findings, Results | None]:
    found = Findings()
    notebook = read_notebook(path, found)
    if notebook is None:
        return found, None
    results = _entry(notebook).get("results")
    wrong = _wrong(results)
    entries = _entries(notebook)
    wrong = wrong or next(filter(None, map(_wrong_entry, entries)), None)
    if wrong is not None or not isinstance(results, dict):
        found.problems.append(f"The results are damaged: {wrong}.")
        return found, None
    found.hash = results["digest"]
    try:
        _check(notebook, results, entries, found)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        found.problems.append(f"The results are damaged: {error!r}.")
        return found, None
    return found, Results(results, entries)


def _check(notebook: Json, results: Json, entries: list[Json], found: Findings) -> None:
    if digest_of(results, entries) != results["digest"]:
        found.problems.append(
            "The results were changed after they were written: the digest differs."
        )
    payloads = {}
    for record in results["records"]:
        payloads[record["hash"]] = record["payload"]
        if hashlib.sha256(record["payload"].encode()).hexdigest() != record["hash"]:
            found.problems.append(f"The payload of {record['name']} does not match its hash.")
    changes = changes_in(results["options"])
    for place, entry in enumerate(entries, 1):
        found.problems += [
            f"Reply {place}: {said}" for said in _wrong_request(entry, payloads, changes)
        ]
    derived = result_cells(results, entries)
    actual = notebook["cells"]
    if len(actual) != len(derived):
        found.problems.append(
            f"The notebook has {len(actual)} cells; its results give {len(derived)}."
        )
    for place, (have, want) in enumerate(zip(actual, derived, strict=False), start=1):
        if comparable(have) != comparable(loads(canonical(want))):
            found.problems.append(f"Cell {place} does not show what the results say.")


def _wrong_request(entry: Json, payloads: dict[str, str], changes: list[Change]) -> list[str]:
    payload = payloads.get(entry["record"])
    if payload is None:
        return ["its record is not in the notebook."]
    try:
        body = body_of(payload, entry["model"], changes)
    except (CannotReplace, ValueError) as error:
        return [f"its request cannot be made again: {error}"]
    problems = []
    if hashlib.sha256(body).hexdigest() != entry["request"]:
        problems.append("its request does not have the hash that it names.")
    target = f"{entry['provider']}/{entry['model']}"
    if key_of(entry["record"], target, changes, int(entry["repeat"])) != entry["key"]:
        problems.append("its key is not that of its record, model, options and repeat.")
    return problems


def _check_store(path: Path, made: Results, found: Findings) -> None:
    name = made.results["store"]
    store = path.parent / name
    if not name or Path(name).name != name or not store.is_file():
        found.notes.append("The store with the responses is not beside it; they were not checked.")
        return
    try:
        bodies = stored_bodies(store)
    except (sqlite3.Error, ValueError) as error:
        said = f"The store {store} cannot be read, so no response was checked: {error}"
        # Somebody uses it, or may not open it; anything else is damage.
        is_whole = any(word in str(error) for word in ("locked", "unable to open"))
        (found.notes if is_whole else found.problems).append(said)
        return
    checked = 0
    for place, entry in enumerate(made.entries, 1):
        attempt, response = (entry["key"], entry["attempts"]), entry["response"]
        if response is None:
            continue
        if attempt not in bodies:
            found.problems.append(f"Reply {place}: the store does not have it.")
            continue
        packed = bodies[attempt]
        if packed is None:
            continue
        checked += 1
        try:
            body = unpacked(packed)
        except ValueError as error:
            found.problems.append(f"Reply {place}: the stored response is damaged: {error}.")
            continue
        if hashlib.sha256(body).hexdigest() != response["hash"]:
            found.problems.append(f"Reply {place}: the stored response has another hash.")
        elif entry["state"] == "done" and canonical(reply_in(body).json()) != canonical(
            Reply.of(entry["reply"]).json()
        ):
            found.problems.append(f"Reply {place} is not what the stored response says.")
    found.notes.append(f"{checked} responses in {name} were checked, byte for byte.")


def _entry(notebook: Any) -> Json:
    metadata = notebook.get("metadata") if isinstance(notebook, dict) else None
    entry = metadata.get("turnbook") if isinstance(metadata, dict) else None
    return entry if isinstance(entry, dict) else {}


def _entries(notebook: Json) -> list[Any]:
    """What the cells of a results notebook say of its replies."""
    cells = notebook.get("cells")
    return [
        cell["metadata"][KEY]
        for cell in (cells if isinstance(cells, list) else [])
        if isinstance(cell, dict)
        and isinstance(cell.get("metadata"), dict)
        and KEY in cell["metadata"]
    ]


def _wrong(results: Any) -> str | None:
    if not isinstance(results, dict):
        return "there are none"
    if results.get("version") != 1:
        return "they were made by another version of Turnbook"
    records = results.get("records")
    if not isinstance(records, list) or not all(
        isinstance(each, dict)
        and all(isinstance(each.get(key), str) for key in ("name", "hash", "payload"))
        for each in records
    ):
        return "records is not a list of records"
    if not isinstance(results.get("options"), dict) or not is_count(results.get("repeats")):
        return "options or repeats are missing"
    if not all(isinstance(results.get(key), str) for key in ("digest", "store")):
        return "digest or store are not texts"
    return None


def _wrong_entry(entry: Any) -> str | None:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in _TEXTS):
        return "a reply lacks one of " + ", ".join(_TEXTS)
    counts = (entry.get("repeat"), entry.get("attempts"))
    if entry["state"] not in _STATES or not all(map(is_count, counts)):
        return "a reply has no state, repeat or attempts that are known"
    try:
        Reply.of(entry["reply"])
    except (KeyError, TypeError, AttributeError):
        return "a reply cannot be read"
    return None
