"""The references in a record: where each was frozen, and whether it is what was frozen.

``src/replay/model/recordreferences.ts`` does the same in the page.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from typing import Any

from .response import is_count

Json = dict[str, Any]

MIME = "application/vnd.turnbook.reference+json"

#: What is sent of a reference begins so; the line ends are those of JavaScript.
_FORM = re.compile(
    "(?:Cell|Output|Variable|File|Selection|Earlier message): "
    "[^\n\r\u2028\u2029]+\n\n(`{3,})(?!`)[^\n\r\u2028\u2029]*\n"
)
_BLANK = re.compile("[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*")
_IMAGE = re.compile("data:(image/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]+={0,2})")
_SOURCE = ("kind", "path", "name", "cellId", "group", "sibling", "at", "language")
_KINDS = ("cell", "output", "variable", "file", "selection", "pair")


def are_references(value: Any) -> bool:
    """Whether a value has the form of a record's references."""
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and all(is_count(one.get(key)) for key in ("message", "part"))
        and all(isinstance(one.get(key), str) for key in ("kind", "name", "sha256"))
        for one in value
    )


def reference_problems(messages: list[Json], references: list[Json]) -> Iterator[str]:
    """Compares each reference with what its message says; names those that differ."""
    for one in references:
        place, part, name = int(one["message"]), int(one["part"]), one["name"]
        content = messages[place].get("content") if place < len(messages) else None
        found = attached_hashes(content)
        if part >= len(found):
            yield f"Message {place + 1} does not have the reference {name}."
        elif found[part] != one["sha256"]:
            yield (
                f"The reference {name} in message {place + 1} does not match its hash: "
                f"it is {found[part]}, the record says {one['sha256']}."
            )


def record_references(messages: list[Json], chat: Json) -> list[Json]:
    """The references that messages carry as the chat has them, with their sources.

    One whose text was edited in the chat's file keeps the hash that it was frozen with, so that
    checking it says so.
    """
    stored = [each for each in stored_references(chat) if _is_source(each[2])]
    known = {actual: (digest, source) for digest, actual, source in stored}
    known |= {digest: (digest, source) for digest, _, source in stored}
    return [
        {
            "message": place,
            "part": part,
            "sha256": known[digest][0],
            **{key: value for key in _SOURCE if (value := known[digest][1].get(key)) is not None},
        }
        for place, message in enumerate(messages)
        if message.get("role") == "user"
        for part, digest in enumerate(attached_hashes(message.get("content")))
        if digest in known
    ]


def stored_references(chat: Json) -> Iterator[tuple[str, str | None, Json]]:
    """The references in a chat's cells: the stored hash, that of the content, and the source."""
    for cell in chat.get("cells", []):
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        for output in outputs if isinstance(outputs, list) else []:
            found = _stored(output) if isinstance(output, dict) else None
            if found:
                yield found


def attached_hashes(content: Any) -> list[str]:
    """The hashes of what a message's content begins with: text files, references, images."""
    if isinstance(content, str):
        return _leading(content)
    if not isinstance(content, list):
        return []
    is_said = bool(content) and isinstance(_text(content[-1]), str)
    hashes = [_part_hash(part) for part in (content[:-1] if is_said else content)]
    return [one for one in hashes if one is not None] if None not in hashes else []


def _leading(content: str) -> list[str]:
    hashes: list[str] = []
    rest = content
    while found := _first(rest):
        digest = _sha256(found)
        if digest is None:
            break
        hashes.append(digest)
        rest = rest[len(found) + 2 :]
    is_all = hashes and (content.endswith("```") if rest == "" else not _BLANK.fullmatch(rest))
    return hashes if is_all else []


def _first(text: str) -> str | None:
    start = _FORM.match(text)
    if start is None:
        return None
    # No fence in it is as long.
    fence = "\n" + start[1]
    end = text.find(fence, start.end())
    after = end + len(fence)
    return text[:after] if end != -1 and text[after : after + 2] in ("", "\n\n") else None


def _part_hash(part: Any) -> str | None:
    text = _text(part)
    if text is not None:
        return _sha256(text) if _first(text) == text else None
    image = part.get("image_url") if isinstance(part, dict) else None
    url = image.get("url") if isinstance(image, dict) else None
    found = _IMAGE.fullmatch(url) if isinstance(url, str) else None
    if found and part == {"type": "image_url", "image_url": {"url": url}}:
        return _decoded_hash(found[2])
    for key, name in (("file", "file_data"), ("input_audio", "data")):
        inner = part.get(key) if isinstance(part, dict) else None
        data = inner.get(name) if isinstance(inner, dict) else None
        if isinstance(data, str):
            return _decoded_hash(data.rpartition(",")[2])
    return None


def _text(part: Any) -> str | None:
    is_text = isinstance(part, dict) and part.get("type") == "text"
    return part["text"] if is_text and isinstance(part.get("text"), str) else None


def _stored(output: Json) -> tuple[str, str | None, Json] | None:
    metadata, data = output.get("metadata"), output.get("data")
    entry = metadata.get("turnbook") if isinstance(metadata, dict) else None
    if not isinstance(entry, dict) or entry.get("part") != "attachment":
        return None
    if not isinstance(data, dict) or not isinstance(entry.get("sha256"), str):
        return None
    if MIME in data:
        source, digest = data[MIME], _sha256(_joined(data.get("text/markdown")))
    else:
        source = entry.get("reference")
        images = [_joined(value) for key, value in data.items() if key.startswith("image/")]
        digest = _decoded_hash(re.sub(r"\s", "", images[0])) if images else None
    return (entry["sha256"], digest, source) if isinstance(source, dict) else None


def _is_source(source: Json) -> bool:
    """Whether a source is that of a reference; a text file that was attached has no path."""
    return (
        source.get("kind") in _KINDS
        and isinstance(source.get("name"), str)
        and (source["kind"] != "file" or bool(source.get("path")))
    )


def _joined(value: Any) -> str:
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))


def _decoded_hash(data: str) -> str:
    try:
        return hashlib.sha256(base64.b64decode(data, validate=True)).hexdigest()
    except ValueError:
        # As in the page: of what cannot be decoded, the text is hashed.
        return hashlib.sha256(data.encode()).hexdigest()


def _sha256(text: str) -> str | None:
    try:
        return hashlib.sha256(text.encode()).hexdigest()
    except UnicodeEncodeError:
        # Half of a character; no reference has one.
        return None
