"""Checks whether a replay record is still what was exported."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

from .javascript import canonical, loads
from .projection import payload_body, record_cells
from .references import are_references, reference_problems, stored_references
from .response import is_count, is_response, response_problems

Json = dict[str, Any]

_TEXTS = ("payload", "hash", "requestId", "provider", "digest")
_COUNTS = ("version", "at", "deleted")
_PARENTS = ("replay_parent_session_id", "replay_parent_turn_id", "payloadHash", "requestId")


@dataclass
class Findings:
    """What was found in one file."""

    #: What is wrong; if there is anything, the file cannot be trusted.
    problems: list[str] = field(default_factory=list)
    #: What the user should know even if nothing is wrong.
    notes: list[str] = field(default_factory=list)
    #: The hash of the payload, if it could be read.
    hash: str | None = None
    #: The hash of the response, if the record has one.
    response: str | None = None


def verify(path: Path, parent: Path | None = None, *, with_response: bool = False) -> Findings:
    """Check a record file.

    Args:
        path: The record.
        parent: The chat that it comes from; if not given, it is looked for in the record's folder.
        with_response: Whether the record must have the response.
    """
    found = Findings()
    notebook = read_notebook(path, found)
    if notebook is None:
        return found
    entry = _entry(notebook)
    record, lineage = entry.get("record"), entry.get("lineage")
    if record is None:
        found.problems.append("This notebook is not a replay record: it holds no record.")
        return found
    wrong = [*_wrong_fields(record, lineage)]
    if wrong or lineage is None:
        found.problems.append(f"The record is damaged: {', '.join(wrong)}.")
        return found
    _check_record(record, lineage, found)
    if with_response and "response" not in record:
        found.problems.append("The record does not have the response.")
    _check_cells(notebook, record, lineage, found)
    _check_parent(path, parent, record, lineage, found)
    return found


def read_notebook(path: Path, found: Findings) -> Json | None:
    """A notebook as JavaScript reads it; what is wrong with it goes into `found`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found.problems.append(f"The file cannot be read: {error}")
        return None
    try:
        notebook = loads(text)
    except (ValueError, RecursionError) as error:
        found.problems.append(f"The file is not a notebook: it is not JSON ({error}).")
        return None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        found.problems.append("The file is not a notebook: it has no cells.")
        return None
    try:
        nbformat.validate(nbformat.from_dict(json.loads(text)))  # type: ignore[no-untyped-call]
    except (nbformat.ValidationError, AttributeError, KeyError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        found.problems.append(f"The file is not a valid notebook: {reason}")
    return notebook


def _entry(notebook: Json) -> Json:
    metadata = notebook.get("metadata")
    entry = metadata.get("turnbook") if isinstance(metadata, dict) else None
    return entry if isinstance(entry, dict) else {}


def _wrong_fields(record: Any, lineage: Any) -> Iterator[str]:
    """Describes fields that are missing or have the wrong type."""
    if not isinstance(record, dict):
        yield "the record is not an object"
        return
    for key in _TEXTS:
        if not isinstance(record.get(key), str):
            yield f"record.{key} is not a text"
    for key in _COUNTS:
        if not is_count(record.get(key)):
            yield f"record.{key} is not a whole number"
    for key in ("loggedHash", "debugName"):
        if not isinstance(record.get(key, ""), str):
            yield f"record.{key} is not a text"
    sections = record.get("sections")
    if not isinstance(sections, list) or not all(
        isinstance(item, dict) and isinstance(item.get("kind"), str) for item in sections
    ):
        yield "record.sections is not a list of sections"
    trimmed = record.get("trimmed", {"pairs": 0, "tokens": 0})
    if not isinstance(trimmed, dict) or not all(
        is_count(trimmed.get(key)) for key in ("pairs", "tokens")
    ):
        yield "record.trimmed does not say what was left out"
    if not are_references(record.get("references", [])):
        yield "record.references is not a list of references"
    if "response" in record and not is_response(record["response"]):
        yield "record.response is not a response"
    if not isinstance(lineage, dict):
        yield "there is no lineage"
        return
    for key in _PARENTS:
        if not isinstance(lineage.get(key), str):
            yield f"lineage.{key} is not a text"
    for key in ("version", "at"):
        if not is_count(lineage.get(key)):
            yield f"lineage.{key} is not a whole number"


def digest_of(record: Json, lineage: Json) -> str:
    """The digest that binds a record to its lineage."""
    bound = {
        "lineage": {key: value for key, value in lineage.items() if key != "locked"},
        "record": {key: value for key, value in record.items() if key != "digest"},
    }
    return _sha256(canonical(bound))


def _check_record(record: Json, lineage: Json, found: Findings) -> None:
    try:
        found.hash = _sha256(record["payload"])
    except UnicodeEncodeError:
        found.problems.append("The payload is damaged: it holds half of a character.")
        return
    if found.hash != record["hash"]:
        found.problems.append(
            "The payload does not match its hash: "
            f"it is {found.hash}, the record says {record['hash']}."
        )
    if "response" in record:
        found.response = record["response"]["hash"]
        found.problems += response_problems(record["response"])
    if digest_of(record, lineage) != record["digest"]:
        found.problems.append(
            "The record or its lineage was changed after the export: its digest does not match."
        )
    if lineage["payloadHash"] != record["hash"]:
        found.problems.append("The lineage names another payload than the record.")
    for key, name in (("version", "version"), ("requestId", "request"), ("at", "time")):
        if lineage[key] != record[key]:
            found.problems.append(f"The lineage names another {name} than the record.")
    logged = record.get("loggedHash")
    if logged is not None and logged != record["hash"]:
        found.notes.append(f"Other bytes were logged for the turn: {logged}.")


def _check_cells(notebook: Json, record: Json, lineage: Json, found: Findings) -> None:
    try:
        derived = record_cells(record, lineage)
        messages = payload_body(record["payload"])["messages"]
        found.problems += reference_problems(messages, record.get("references", []))
    except (ValueError, OverflowError, OSError, RecursionError) as error:
        found.problems.append(f"The cells cannot be derived from the payload: {error}")
        return
    actual = notebook["cells"]
    if len(actual) != len(derived):
        found.problems.append(
            f"The notebook has {len(actual)} cells where the payload gives {len(derived)}."
        )
    for place, (have, want) in enumerate(zip(actual, derived, strict=False), start=1):
        if comparable(have) != comparable(want):
            found.problems.append(f"Cell {place} does not show what the payload says.")


def comparable(cell: Any) -> str:
    """A cell as a text to compare: lines joined, without what viewers add."""
    return canonical(_plain(cell))


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: "".join(item)
        if key in ("source", "text/markdown")
        and isinstance(item, list)
        and all(isinstance(line, str) for line in item)
        else _plain(item)
        for key, item in value.items()
        if key != "trusted"
    }


def _check_parent(
    path: Path, parent: Path | None, record: Json, lineage: Json, found: Findings
) -> None:
    chat = lineage["replay_parent_session_id"]
    notebook = _read_chat(parent, chat) if parent else _find_parent(path, chat)
    if notebook is None:
        if parent:
            found.problems.append(f"{parent} is not the chat {chat} that the record comes from.")
        else:
            found.notes.append("The chat that it comes from is not in this folder.")
        return
    references = {one["sha256"]: one["name"] for one in record.get("references", [])}
    for stated, actual, _ in stored_references(notebook):
        if stated in references and stated != actual:
            found.notes.append(
                f"The chat that it comes from has another text of the reference "
                f"{references[stated]} now."
            )
    logged = record.get("loggedHash")
    if logged is None:
        return
    hashes = _logged_hashes(notebook, lineage["replay_parent_turn_id"])
    if record["requestId"] not in hashes:
        found.notes.append("The chat that it comes from no longer holds this request.")
    elif hashes[record["requestId"]] != logged:
        found.problems.append(
            "The chat that it comes from logged another request: "
            f"{hashes[record['requestId']]}, the record says {logged}."
        )


def _find_parent(path: Path, chat: str) -> Json | None:
    for sibling in sorted(path.resolve().parent.glob("*.ipynb")):
        # A folder may have thousands of records, and none is a chat.
        is_record = sibling.name.endswith(".replay.ipynb")
        notebook = None if is_record else _read_chat(sibling, chat)
        if notebook is not None:
            return notebook
    return None


def _read_chat(path: Path, chat: str) -> Json | None:
    try:
        text = path.read_text(encoding="utf-8")
        # Most notebooks are others, and parsing takes longest.
        notebook = json.loads(text) if chat in text else None
    except (OSError, ValueError, RecursionError):
        # Not a chat, so not the parent.
        return None
    if not isinstance(notebook, dict) or _entry(notebook).get("chatId") != chat:
        return None
    return notebook


def _logged_hashes(notebook: Json, turn: str) -> dict[str, str]:
    """Maps the requests of a turn in a chat, by run id, to their hashes."""
    hashes: dict[str, str] = {}
    for cell in notebook.get("cells", []):
        if not isinstance(cell, dict) or cell.get("id") != turn:
            continue
        metadata = cell.get("metadata")
        if not isinstance(metadata, dict):
            continue
        versions = metadata.get("turnbook_versions")
        for entry in [
            metadata.get("turnbook_run"),
            *(versions if isinstance(versions, list) else []),
        ]:
            if isinstance(entry, dict):
                hashes[str(entry.get("runId"))] = str(entry.get("requestHash"))
    return hashes


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
