"""Makes the replay record of a pair, from its chat and the journal."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ..runs import queries, schema
from .javascript import well_formed
from .projection import notebook_of, payload_body, record_cells
from .references import record_references
from .response import is_count, record_response
from .verify import digest_of

Json = dict[str, Any]

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LONGEST_TITLE = 160

_MISSING = {
    "under-way": "it is still under way",
    "server-stopped": "the Jupyter server stopped before it ended",
    "redacted": "it contained a key, which is never stored",
    "malformed": "it is no stream that the journal can store in parts",
    "compressed": "it was compressed and so not read",
    "no-answer": "no response came",
    "not-recorded": "an older version of Turnbook recorded it",
}


class CannotRecord(Exception):
    """Why there is no record, as a text for the user."""


def make(
    chat: Path,
    pair: str | None,
    journal: Path,
    *,
    with_response: bool = False,
    of_whole: bool = False,
) -> Json:
    """The notebook of a record.

    Args:
        chat: The chat's file.
        pair: The id of a pair's cell; without it, the last pair that was sent.
        journal: The journal's folder.
        with_response: Whether what came back goes into the record.
        of_whole: Whether it is the request that asked for the whole reply. Of a reply that was
            continued, the request that was sent last asks for the rest of it.

    Raises:
        CannotRecord: If the chat, the pair, its request or its response cannot be read.
    """
    notebook = _read(chat)
    cell, turn = _sent(notebook, pair)
    logged = cell["metadata"]["turnbook_run"]
    with _open(journal / "journal.sqlite") as db:
        run, payload = _request(db, logged, of_whole=of_whole)
        response = _response(db, run.id) if with_response else None
    at = time.time_ns() // 1_000_000
    lineage = {
        "replay_parent_session_id": str(notebook["metadata"]["turnbook"].get("chatId", "")),
        "replay_parent_turn_id": cell["id"],
        "payloadHash": run.hash,
        "version": 1,
        "requestId": run.id,
        "at": at,
    }
    record: Json = {
        "payload": payload,
        "hash": run.hash,
        "version": 1,
        "requestId": run.id,
        "debugName": _name(chat, turn),
        "loggedHash": run.hash,
        "at": at,
        "provider": run.provider,
        "sections": _sections(payload),
        "deleted": 0,
    }
    trimmed = logged.get("trimmed")
    if isinstance(trimmed, dict) and all(map(is_count, map(trimmed.get, ("pairs", "tokens")))):
        record["trimmed"] = {"pairs": trimmed["pairs"], "tokens": trimmed["tokens"]}
    references = record_references(payload_body(payload)["messages"], notebook)
    if references:
        record["references"] = references
    if response is not None:
        record["response"] = response
    record["digest"] = digest_of(record, lineage)
    return notebook_of(record_cells(record, lineage), {"record": record, "lineage": lineage})


def write(notebook: Json, path: Path) -> None:
    """Write a record into a new file.

    Raises:
        CannotRecord: If there is such a file, or it cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n")
    except FileExistsError as error:
        raise CannotRecord(f"{path} exists. Name another file with --output.") from error
    except OSError as error:
        raise CannotRecord(f"{path} cannot be written: {error.strerror}.") from error


def name_of(chat: Path, notebook: Json) -> Path:
    """Where a record goes: beside its chat, with the end of its hash in the name."""
    tail = notebook["metadata"]["turnbook"]["record"]["hash"][-4:]
    return chat.with_name(f"{_stem(chat)}-{tail}.replay.ipynb")


def _read(chat: Path) -> Json:
    try:
        notebook = json.loads(chat.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CannotRecord(f"{chat} cannot be read: {error}") from error
    metadata = notebook.get("metadata") if isinstance(notebook, dict) else None
    entry = metadata.get("turnbook") if isinstance(metadata, dict) else None
    if not isinstance(entry, dict) or not isinstance(notebook.get("cells"), list):
        raise CannotRecord(f"{chat} is not a chat.")
    return notebook


def _sent(notebook: Json, pair: str | None) -> tuple[Json, int]:
    """A pair that was sent, and its number among the pairs."""
    cells = [
        cell
        for cell in notebook["cells"]
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]
    sent = [(cell, turn) for turn, cell in enumerate(cells, 1) if _was_sent(cell)]
    found = [each for each in sent if pair is None or each[0].get("id") == pair]
    if not found:
        said = "Nothing in this chat" if pair is None else f"No pair {pair} of this chat"
        raise CannotRecord(f"{said} was sent.")
    return found[-1]


def _was_sent(cell: Json) -> bool:
    metadata = cell.get("metadata")
    run = metadata.get("turnbook_run") if isinstance(metadata, dict) else None
    return (
        isinstance(run, dict)
        and isinstance(cell.get("id"), str)
        and all(isinstance(run.get(key), str) and run[key] for key in ("runId", "requestHash"))
    )


@contextmanager
def _open(file: Path) -> Iterator[sqlite3.Connection]:
    if not file.is_file():
        raise CannotRecord(f"There is no journal at {file}. Name its folder with --journal.")
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as db:
            db.row_factory = sqlite3.Row
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version != schema.VERSION:
                raise CannotRecord(
                    f"The journal {file} was made by another version of Turnbook. "
                    "Start the Jupyter server with this version once, or update Turnbook."
                )
            yield db
    except sqlite3.Error as error:
        raise CannotRecord(f"The journal {file} cannot be read: {error}") from error


def _request(db: sqlite3.Connection, logged: Json, *, of_whole: bool) -> tuple[Any, str]:
    try:
        run = queries.get(db, logged["runId"])
        digest = run.hash
        if of_whole:
            run = queries.chain(db, run)[-1]
        payload = queries.body(db, run.id)[0].decode()
        payload_body(payload)
    except queries.NoSuchRun as error:
        raise CannotRecord(
            "The journal does not have this request: it was sent from another server, "
            "or it was kept for its time."
        ) from error
    except (queries.Damaged, ValueError, RecursionError) as error:
        raise CannotRecord("The journal's record of this request cannot be read.") from error
    if digest != logged["requestHash"]:
        raise CannotRecord(
            f"The journal has another request than the chat says: {digest}, "
            f"the chat says {logged['requestHash']}."
        )
    return run, payload


def _response(db: sqlite3.Connection, run: str) -> Json:
    told = queries.response(db, run).json()
    try:
        body, _ = queries.response_bytes(db, run)
    except queries.NotKept as error:
        why = _MISSING[told["missing"]]
        raise CannotRecord(f"The exact bytes of the response are not kept: {why}.") from error
    except queries.Damaged as error:
        raise CannotRecord("The journal's record of the response is damaged.") from error
    return record_response(told, body)


def _sections(payload: str) -> list[Json]:
    messages = payload_body(payload)["messages"]
    users = [place for place, each in enumerate(messages) if each.get("role") == "user"]
    return [
        {"kind": "user" if users and place == users[-1] else _kind(message)}
        for place, message in enumerate(messages)
    ]


def _kind(message: Json) -> str:
    role = message.get("role")
    if role in ("system", "developer"):
        return "system"
    is_tool = role in ("tool", "function") or "tool_calls" in message
    return "tool" if is_tool else "history"


def _stem(chat: Path) -> str:
    return re.sub(r"(\.chat)?\.ipynb$", "", chat.name)


def _name(chat: Path, turn: int) -> str:
    title = _UNPRINTABLE.sub(" ", well_formed(_stem(chat))).strip()[:_LONGEST_TITLE]
    return f"{title or 'Chat'} · turn {turn}"
