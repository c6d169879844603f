"""Reads metadata from a GGUF file without loading the model."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

_NUMBERS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9
_LONGEST = 64 * 1024 * 1024


def context_length(path: Path) -> int | None:
    """The context window the model was trained with, or None if the file does not say."""
    for name, value in _entries(path):
        if name.endswith(b".context_length") and isinstance(value, int) and value > 0:
            return value
    return None


def general_name(path: Path) -> str | None:
    """The model's `general.name`, or None if the file does not say."""
    for name, value in _entries(path):
        if name == b"general.name" and isinstance(value, bytes):
            return " ".join(value.decode("utf-8", "replace").split()) or None
    return None


def _entries(path: Path) -> Iterator[tuple[bytes, Any]]:
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                return
            _number(file, "<I")
            _number(file, "<Q")
            for _ in range(min(_number(file, "<Q"), 10_000)):
                name = _string(file)
                yield name, _value(file, _number(file, "<I"))
    except (OSError, ValueError, struct.error):
        # An unreadable file is reported, with llama.cpp's own message, when the model is started.
        return


def _value(file: BinaryIO, kind: int) -> Any:
    if kind in _NUMBERS:
        return _number(file, _NUMBERS[kind])
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        raise ValueError("unknown kind of value")
    inner, length = _number(file, "<I"), _number(file, "<Q")
    if inner in _NUMBERS:
        _skip(file, length * struct.calcsize(_NUMBERS[inner]))
        return None
    for _ in range(length):
        _value(file, inner)
    return None


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


def _string(file: BinaryIO) -> bytes:
    length = _number(file, "<Q")
    if length > _LONGEST:
        raise ValueError("too long")
    return file.read(length)


def _skip(file: BinaryIO, length: int) -> None:
    file.seek(length, 1)
