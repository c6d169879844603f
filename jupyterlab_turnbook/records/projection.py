"""Derives a record's cells from its payload a second time.

The first derivation is ``src/replay/model/projection.ts``; both are tested with the same files.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import Any

from .javascript import cut, dumps, end, length, loads, well_formed

KEY = "turnbook_replay"

Json = dict[str, Any]


def notebook_of(cells: list[Json], turnbook: Json) -> Json:
    """A notebook to be read, without a kernel, with what Turnbook knows of it."""
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"name": "", "display_name": ""},
            "language_info": {"name": "markdown"},
            "turnbook": {"format": 1, **turnbook},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def record_cells(record: Json, lineage: Json) -> list[Json]:
    """All cells of the notebook that a record was exported to.

    Raises:
        ValueError: If the payload is not a request.
    """
    return [_header(record, lineage), *_project(record)]


def payload_body(payload: str) -> Json:
    """The request in a payload.

    Raises:
        ValueError: If it is not a request with messages.
    """
    body = loads(payload)
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list) or not all(isinstance(item, dict) for item in messages):
        raise ValueError("The payload has no list of messages.")
    return body


def _project(record: Json) -> list[Json]:
    cells: list[Json] = []
    before: Json | None = None
    for index, message in enumerate(payload_body(record["payload"])["messages"]):
        shown = _shown_section(record, message, index)
        role = shown["role"]
        is_system = role in ("system", "developer")
        has_source = is_system or role == "user"
        if before is None or not _continues(before, message):
            kind = "raw" if is_system else "code"
            source = _content_text(message) if has_source else ""
            cells.append(_cell(kind, len(cells), source))
        cell = cells[-1]
        cell["metadata"][KEY]["sections"].append(shown)
        if not has_source:
            cell["outputs"].append(_output(message, shown))
        before = message
    return cells


def _continues(before: Json, message: Json) -> bool:
    """Whether a message is in the same cell as the one before it."""
    last = before.get("role")
    is_open = last in ("user", "tool")
    match message.get("role"):
        case "assistant":
            return is_open
        case "tool":
            return is_open or (last == "assistant" and _has_calls(before))
        case _:
            return False


def _has_calls(message: Json) -> bool:
    calls = message.get("tool_calls")
    return (
        isinstance(calls, list) and len(calls) > 0 and all(isinstance(call, dict) for call in calls)
    )


def _cell(kind: str, place: int, source: str) -> Json:
    cell: Json = {
        "cell_type": kind,
        "id": f"replay-{place}",
        "metadata": {KEY: {"sections": []}},
        "source": source,
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _header(record: Json, lineage: Json) -> Json:
    logged = record.get("loggedHash")
    trimmed = record.get("trimmed")
    options = {
        key: value for key, value in payload_body(record["payload"]).items() if key != "messages"
    }
    lines = [
        f"**Replayed prompt · {end(lineage['replay_parent_session_id'] or record['hash'], 4)}**",
        "",
        "The request of a chat, message by message. The model was not called for this notebook. "
        "`jupyter turnbook verify` checks it.",
        "",
        f"- Chat: `{lineage['replay_parent_session_id']}`",
        f"- Turn: `{lineage['replay_parent_turn_id']}`",
        f"- Request: `{record['requestId']}`, version {int(record['version'])}",
        f"- Provider: `{record['provider']}`",
        f"- SHA-256: `{record['hash']}`",
    ]
    if logged is not None:
        lines.append(
            "- The same bytes were logged for the turn."
            if logged == record["hash"]
            else f"- Other bytes were logged for the turn: `{logged}`"
        )
    if trimmed is not None:
        lines.append(
            f"- Prompt was trimmed: {int(trimmed['pairs'])} pairs left out, "
            f"~{int(trimmed['tokens'])} tokens in it."
        )
    response = record.get("response")
    if response is not None:
        lines.append(
            f"- Response: status {int(response['status'])}, {int(response['size'])} bytes, "
            f"SHA-256 `{response['hash']}`"
        )
    lines += [f"- Built: {_time(int(record['at']))}", "", fenced("json", _pretty(options))]
    return {
        "cell_type": "markdown",
        "id": "replay-header",
        "metadata": {KEY: {"sections": []}},
        "source": well_formed("\n".join(lines)),
    }


def _shown_section(record: Json, message: Json, index: int) -> Json:
    sections = record["sections"]
    told = sections[index] if index < len(sections) else {"kind": "history"}
    rest = {
        key: value for key, value in message.items() if key not in ("role", "content", "tool_calls")
    }
    shown: Json = {
        "index": index,
        "role": well_formed(_as_string(message)),
        "kind": told["kind"],
    }
    if told["kind"] in ("context", "history", "tool"):
        shown["replayed"] = True
    for mark in ("edited", "added"):
        if told.get(mark):
            shown[mark] = told[mark]
    if rest:
        shown["rest"] = well_formed(rest)
    return shown


def _as_string(message: Json) -> str:
    """``String(message.role)`` in JavaScript, for sensible roles."""
    role = message.get("role", "undefined")
    return role if isinstance(role, str) else dumps(role)


def _output(message: Json, shown: Json) -> Json:
    parts: list[str] = []
    text = _content_text(message)
    if shown["role"] in ("tool", "function"):
        parts += ["**Tool result**", fenced("", text)]
    else:
        if shown["role"] != "assistant":
            parts.append(f"**{shown['role']}**")
        if text != "":
            parts.append(text)
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            parts += call_text(call)
    return {
        "output_type": "display_data",
        "data": {"text/markdown": "\n\n".join(parts) if parts else "*(empty message)*"},
        "metadata": {KEY: {"section": shown["index"], "role": shown["role"]}},
    }


def call_text(call: Any) -> list[str]:
    """The Markdown of a tool call, in paragraphs."""
    made = call.get("function") if isinstance(call, dict) else None
    if (
        not isinstance(made, dict)
        or not isinstance(made.get("name"), str)
        or not isinstance(made.get("arguments"), str)
    ):
        return ["**Tool call**", fenced("json", _pretty(call))]
    return [
        f"**Tool call** {inline(well_formed(made['name']))}",
        fenced("json", well_formed(made["arguments"])),
    ]


def _content_text(message: Json) -> str:
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, str):
        return str(well_formed(content))
    if isinstance(content, list):
        return "\n\n".join(map(_part_text, content))
    return fenced("json", _pretty(content))


def _part_text(part: Any) -> str:
    if isinstance(part, dict) and isinstance(part.get("text"), str):
        return str(well_formed(part["text"]))
    image = part.get("image_url") if isinstance(part, dict) else None
    url = image.get("url") if isinstance(image, dict) else None
    if isinstance(url, str):
        return f"*(image: {inline(well_formed(cut(url, 60)))}, {length(url)} characters)*"
    for key, name, data in (("file", "filename", "file_data"), ("input_audio", "format", "data")):
        inner = part.get(key) if isinstance(part, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get(data), str):
            named = inner.get(name)
            said = named if isinstance(named, str) else ""
            kind = "file" if key == "file" else "audio"
            size = length(inner[data])
            return f"*({kind}: {inline(well_formed(cut(said, 60)))}, {size} characters)*"
    return fenced("json", _pretty(part))


def _pretty(value: Any) -> str:
    return str(well_formed(dumps(value, 2)))


def fenced(language: str, text: str) -> str:
    """A code block whose fence no line of the text can close."""
    fence = _longer(text, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def inline(text: str) -> str:
    """Code within a line."""
    fence = _longer(text, 1)
    return f"`{text}`" if fence == "`" else f"{fence} {text} {fence}"


def _longer(text: str, least: int) -> str:
    return "`" * max([least, *(len(run) + 1 for run in re.findall("`+", text))])


def _time(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds // 1000, tz=timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"
