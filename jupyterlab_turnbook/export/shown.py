"""What a chat shows of a cell's outputs.

The view's own rules are in ``src/document/shown.ts`` and ``src/document/rounds.ts``; both are tested
with the same file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ..records.javascript import cut, dumps, length, loads

TOOL_MIME = "application/vnd.turnbook.tool+json"
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
TEXTS = ("text/plain", "application/vnd.jupyter.stdout", "application/vnd.jupyter.stderr")
READABLE = 4_000

_ANSI = re.compile("\x1b\\[[0-9;]*[A-Za-z]")

Json = dict[str, Any]


@dataclass(frozen=True)
class Shown:
    """One output: a round of tool calls, Markdown, plain text, or the base64 of an image."""

    kind: Literal["round", "markdown", "text", "image"]
    text: str
    mime: str = ""


def shown_outputs(outputs: Any) -> list[Shown]:
    """What is shown of a cell's outputs, in order; what cannot be read is left out.

    What the user attached to the message is not among them.
    """
    return _all_shown(output for output in _listed(outputs) if not _is_attachment(output))


def shown_attachments(outputs: Any) -> list[Shown]:
    """What the user attached to a message: pictures, text files, and the names of other files."""
    return _all_shown(output for output in _listed(outputs) if _is_attachment(output))


def lines_of(value: Any) -> str | None:
    """A text that nbformat may store as a list of lines; None if it is neither."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return None


def _listed(outputs: Any) -> list[Json]:
    return [output for output in outputs if isinstance(output, dict)] if outputs else []


def _all_shown(outputs: Iterable[Json]) -> list[Shown]:
    found = (_shown(_bundle(output)) for output in _joined(outputs))
    return [shown for shown in found if shown is not None and shown.text.strip()]


def _is_attachment(output: Json) -> bool:
    metadata = output.get("metadata")
    entry = metadata.get("turnbook") if isinstance(metadata, dict) else None
    return isinstance(entry, dict) and entry.get("part") == "attachment"


def _shown(bundle: Json) -> Shown | None:
    said = _round_text(bundle.get(TOOL_MIME))
    if said is not None:
        return Shown("round", said)
    for mime in ("text/markdown", *IMAGES, *TEXTS):
        text = lines_of(bundle.get(mime))
        if text is not None:
            if mime == "text/markdown":
                return Shown("markdown", text)
            return Shown("image", text, mime) if mime in IMAGES else Shown("text", _plain(text))
    return None


def _bundle(output: Json) -> Json:
    match output.get("output_type"):
        case "display_data" | "execute_result" | "update_display_data":
            data = output.get("data")
            return data if isinstance(data, dict) else {}
        case "stream":
            return {TEXTS[1]: _overwritten(lines_of(output.get("text")) or "")}
        case "error":
            lines = output.get("traceback")
            said = "\n".join(map(_as_text, lines)) if isinstance(lines, list) else ""
            name, value = _as_text(output.get("ename")), _as_text(output.get("evalue"))
            return {TEXTS[2]: said or f"{name}: {value}"}
        case _:
            return {}


def _joined(outputs: Iterable[Json]) -> Iterator[Json]:
    """The outputs, with consecutive streams of one name as one."""
    last: Json | None = None
    for output in outputs:
        if output.get("output_type") == "stream":
            text = lines_of(output.get("text")) or ""
            if last is not None and last.get("name") == output.get("name"):
                last = {**last, "text": last["text"] + text}
                continue
            if last is not None:
                yield last
            last = {**output, "text": text}
        else:
            if last is not None:
                yield last
            last = None
            yield output
    if last is not None:
        yield last


def _overwritten(text: str) -> str:
    """A stream as a terminal shows it: carriage returns and backspaces overwrite."""
    done, line, at = [], "", 0
    for piece in re.split("([\n\r\b])", text):
        if piece == "\n":
            done.append(f"{line}\n")
            line, at = "", 0
        elif piece == "\r":
            at = 0
        elif piece == "\b":
            if at > 0:
                line, at = line[: at - 1] + line[at + 1 :], at - 1
        else:
            line = line[:at] + piece + line[at + len(piece) :]
            at += len(piece)
    return "".join(done) + line


def _plain(text: str) -> str:
    return _ANSI.sub("", text)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _round_text(value: Any) -> str | None:
    """A round of tool calls and results as text; None if it has neither."""
    if not isinstance(value, dict):
        return None
    message = value.get("message")
    message = message if isinstance(message, dict) else {}
    calls = message.get("tool_calls")
    if not (isinstance(calls, list) and calls and all(isinstance(call, dict) for call in calls)):
        message, calls = {}, []
    results = value.get("results")
    results = (
        [each for each in results if isinstance(each, dict)] if isinstance(results, list) else []
    )
    if not calls and not results:
        return None
    said = _text(message.get("content"))
    parts = [_cut(said)] if said.strip() else []
    names = {}
    for call in calls:
        made = call.get("function")
        made = made if isinstance(made, dict) else {}
        name = _text(made.get("name"))
        names[_text(call.get("id"))] = name
        parts.append(f"Tool call: {name}\n{_cut(_pretty(_text(made.get('arguments'))))}")
    for result in results:
        of = _text(result.get("tool_call_id"))
        parts.append(f"Result of {names.get(of, of)}:\n{_cut(_text(result.get('content')))}")
    return "\n\n".join(parts)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else dumps(value)


def _pretty(text: str) -> str:
    try:
        return dumps(loads(text), 2)
    except (ValueError, RecursionError):
        return text


def _cut(text: str) -> str:
    size = length(text)
    return f"{cut(text, READABLE)}… ({size} characters)" if size > READABLE else text
