"""Long texts as pieces that the journal stores once.

Each request of a chat repeats the texts and pictures of those before it. A long string of a JSON
text is a piece, kept by its hash; what is left of the text, and where its pieces go, is kept for
each run. Base64 is kept decoded, so that a picture takes up its own size, and so that it is the
same piece in a data URL and in a notebook's output.
"""

from __future__ import annotations

import binascii
import hashlib
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

LEAST = 1024
"""Bytes of the shortest piece; a reference to one takes up about a tenth of this."""

Of = Literal["body", "cell"]
"""Which text of a run is meant."""

# Longer calls of one function would keep the event loop from running.
_AT_ONCE = 2**20
_BASE64 = re.compile(rb"[A-Za-z0-9+/]*")
_MARK = b";base64,"
_LONGEST_MARK = 128
_BACKSLASH = 0x5C


class MissingPiece(ValueError):
    """The journal lacks a piece of a text."""


class Piece(NamedTuple):
    """A piece and its place in the text."""

    at: int
    data: bytes
    is_base64: bool
    """Whether the text has `data` in base64."""


@dataclass(frozen=True)
class Split:
    """A text without its pieces, and the pieces."""

    rest: bytes = field(repr=False)
    pieces: tuple[Piece, ...] = field(repr=False)
    size: int
    """Bytes of the whole text."""
    hashes: tuple[bytes, ...] = field(repr=False)


def split(text: bytes) -> Split:
    """Cut the long strings out of a JSON text; any other text loses nothing either."""
    rest: list[bytes] = []
    pieces: list[Piece] = []
    done = 0
    for start, end in _strings(text):
        for piece, stop in _cut(text, start, end):
            rest.append(text[done : piece.at])
            pieces.append(piece)
            done = stop
    rest.append(text[done:])
    hashes = tuple(hashlib.sha256(piece.data).digest() for piece in pieces)
    return Split(b"".join(rest), tuple(pieces), len(text), hashes)


def join(rest: bytes, pieces: Iterable[Piece]) -> bytes:
    """The whole text again."""
    joined: list[bytes] = []
    taken = length = 0
    for at, data, is_base64 in pieces:
        gap = at - length
        joined.append(rest[taken : taken + gap])
        joined += _encoded(data) if is_base64 else [data]
        taken += gap
        length = at + (_encoded_length(data) if is_base64 else len(data))
    joined.append(rest[taken:])
    return b"".join(joined)


def store(db: sqlite3.Connection, run: str, of: Of, made: Split) -> None:
    """Store the pieces that are not in the journal yet, and where they go in a text of a run."""
    for piece, digest in zip(made.pieces, made.hashes, strict=True):
        number = _number(db, digest, piece.data)
        db.execute(
            "INSERT INTO segments (run, text, at, is_base64, piece) VALUES (?, ?, ?, ?, ?)",
            (run, of, piece.at, piece.is_base64, number),
        )


def load(db: sqlite3.Connection, run: str, of: Of, rest: bytes) -> bytes:
    """A text of a run, whole; raises `MissingPiece`."""
    rows = db.execute(
        "SELECT s.at, s.is_base64, p.data FROM segments s LEFT JOIN pieces p ON p.id = s.piece"
        " WHERE s.run = ? AND s.text = ? ORDER BY s.at",
        (run, of),
    ).fetchall()
    if not all(isinstance(row["data"], bytes) for row in rows):
        raise MissingPiece(run)
    return join(rest, (Piece(row["at"], row["data"], bool(row["is_base64"])) for row in rows))


def forget(db: sqlite3.Connection, run: str) -> int:
    """Delete a run's segments and the pieces that no other run has; returns how many segments."""
    rows = db.execute("SELECT DISTINCT piece FROM segments WHERE run = ?", (run,)).fetchall()
    gone = db.execute("DELETE FROM segments WHERE run = ?", (run,)).rowcount
    db.executemany(
        "DELETE FROM pieces WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM segments WHERE piece = ?1)",
        [(row["piece"],) for row in rows],
    )
    return gone


def _number(db: sqlite3.Connection, digest: bytes, data: bytes) -> int | None:
    known = db.execute(
        "SELECT id, data = ? AS is_same FROM pieces WHERE hash = ?", (data, digest)
    ).fetchone()
    if known is None:
        made = db.execute("INSERT INTO pieces (hash, data) VALUES (?, ?)", (digest, data))
        return made.lastrowid
    number: int = known["id"]
    if not known["is_same"]:
        # It was damaged. This repairs every run that has it.
        db.execute("UPDATE pieces SET data = ? WHERE id = ?", (data, number))
    return number


def _strings(text: bytes) -> Iterator[tuple[int, int]]:
    """Where the insides of the long strings of a JSON text are."""
    begin = text.find(b'"')
    while begin != -1:
        end = _closing_quote(text, begin + 1)
        if end == -1:
            return
        if end - begin > LEAST:
            yield begin + 1, end
        begin = text.find(b'"', end + 1)


def _closing_quote(text: bytes, start: int) -> int:
    at = text.find(b'"', start)
    while at != -1:
        before = at
        while before > start and text[before - 1] == _BACKSLASH:
            before -= 1
        if (at - before) % 2 == 0:
            return at
        at = text.find(b'"', at + 1)
    return -1


def _cut(text: bytes, start: int, end: int) -> Iterator[tuple[Piece, int]]:
    """The pieces of a string, each with its end."""
    begin = start
    if text.startswith(b"data:", start):
        mark = text.find(_MARK, start, min(end, start + _LONGEST_MARK))
        begin = start if mark == -1 else mark + len(_MARK)
    stop = _base64_end(text, begin, end)
    data = _decoded(text, begin, stop) if stop - begin >= LEAST else None
    if data is not None:
        yield Piece(begin, data, True), stop
        start = stop
    if end - start >= LEAST:
        yield Piece(start, text[start:end], False), end


def _base64_end(text: bytes, begin: int, end: int) -> int:
    stop = begin
    while stop < end:
        found = _BASE64.match(text, stop, min(end, stop + _AT_ONCE))
        assert found is not None
        if found.end() == stop:
            break
        stop = found.end()
    padding = -(stop - begin) % 4
    if padding in (1, 2) and text.startswith(b"=" * padding, stop, end):
        return stop + padding
    return stop - (stop - begin) % 4


def _decoded(text: bytes, begin: int, end: int) -> bytes | None:
    """What this base64 stands for; None if it is not the one way to write it."""
    decoded = []
    for at in range(begin, end, _AT_ONCE):
        part = text[at : min(end, at + _AT_ONCE)]
        data = binascii.a2b_base64(part)
        if binascii.b2a_base64(data, newline=False) != part:
            return None
        decoded.append(data)
    return b"".join(decoded)


def _encoded(data: bytes) -> list[bytes]:
    step = _AT_ONCE // 4 * 3
    return [
        binascii.b2a_base64(data[at : at + step], newline=False) for at in range(0, len(data), step)
    ]


def _encoded_length(data: bytes) -> int:
    return (len(data) + 2) // 3 * 4
