"""A chat as a list of who said what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ..records.javascript import well_formed
from .shown import Json, Shown, lines_of, shown_attachments, shown_outputs

YOU = "You"
TOOLS = "Tool calls"
REPLY = "Reply"
SYSTEM = "System"
NOTE = "Note"
INTERRUPTED = "[INTERRUPTED]"


@dataclass(frozen=True)
class Said:
    """Something that somebody said."""

    by: Literal["user", "tools", "model", "system", "note"]
    name: str
    parts: tuple[Shown, ...]
    ending: str = ""
    """How a reply ended that is not complete, as the chat says it."""


def all_said(notebook: Json) -> list[Said]:
    """What a chat shows, from top to bottom: the current version of each cell."""
    cells = notebook.get("cells")
    return [
        said
        for cell in (cells if isinstance(cells, list) else [])
        if isinstance(cell, dict)
        for said in _said_in(cell)
        if said.parts or said.ending
    ]


def title_of(resources: Json) -> str:
    """The name of the file without its endings."""
    metadata = resources.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return str(name or "Chat").removesuffix(".chat")


def _said_in(cell: Json) -> Iterator[Said]:
    source = str(well_formed(lines_of(cell.get("source")) or ""))
    match cell.get("cell_type"):
        case "raw":
            yield Said("system", SYSTEM, _texts(source))
        case "markdown":
            yield Said("note", NOTE, _markdown(source))
        case "code":
            yield from _pair(cell, source)


def _pair(cell: Json, source: str) -> Iterator[Said]:
    run = _entry(cell, "turnbook_run")
    is_out = _entry(cell, "turnbook").get("in") is False
    attached = tuple(map(_well_formed, shown_attachments(cell.get("outputs"))))
    name = f"{YOU} (marked out)" if is_out else YOU
    yield Said("user", name, (*attached, *_texts(source)))
    reply: list[Shown] = []
    for shown in shown_outputs(cell.get("outputs")):
        safe = _well_formed(shown)
        if shown.kind == "round":
            yield Said("tools", TOOLS, (Shown("text", safe.text),))
        else:
            reply.append(safe)
    model = run.get("model")
    name = str(well_formed(model)) if isinstance(model, str) and model else REPLY
    yield Said("model", name, tuple(reply), _ending(run, bool(reply)))


def _ending(run: Json, has_reply: bool) -> str:
    if run.get("state") == "canceled" and has_reply:
        return INTERRUPTED
    error = run.get("error")
    if run.get("state") == "error" and isinstance(error, dict):
        said = f"[error: {error.get('code')}] {error.get('message') or ''}"
        return " ".join(str(well_formed(said)).split())
    return ""


def _entry(cell: Json, key: str) -> Json:
    metadata = cell.get("metadata")
    value: Any = metadata.get(key) if isinstance(metadata, dict) else None
    return value if isinstance(value, dict) else {}


def _well_formed(shown: Shown) -> Shown:
    return Shown(shown.kind, str(well_formed(shown.text)), shown.mime)


def _texts(text: str) -> tuple[Shown, ...]:
    return (Shown("text", text),) if text.strip() else ()


def _markdown(text: str) -> tuple[Shown, ...]:
    return (Shown("markdown", text),) if text.strip() else ()
