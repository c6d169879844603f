"""A picture of a number, to find out whether a model can see."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode

_DIGITS = {
    "2": ("###", "..#", "###", "#..", "###"),
    "4": ("#.#", "#.#", "###", "..#", "..#"),
    "7": ("###", "..#", "..#", "..#", "..#"),
    "8": ("###", "#.#", "###", "#.#", "###"),
}
_SCALE = 12


def data_url(number: str) -> str:
    """A PNG with these digits, black on white, as a data URL."""
    rows = [".".join(_DIGITS[digit][n] for digit in number) for n in range(5)]
    blank = "." * (len(rows[0]) + 2)
    drawn = [blank, *(f".{row}." for row in rows), blank]
    lines = (
        b"\0" + b"".join((b"\0" if dot == "#" else b"\xff") * _SCALE for dot in row)
        for row in drawn
        for _ in range(_SCALE)
    )
    # One byte of grey for each pixel.
    header = struct.pack(">IIBBBBB", len(blank) * _SCALE, len(drawn) * _SCALE, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(b"".join(lines))),
            _chunk(b"IEND", b""),
        )
    )
    return f"data:image/png;base64,{b64encode(png).decode()}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
