"""Faults of encoding: splits at every byte, all line ends, marks and characters that look like them."""

from __future__ import annotations

import base64
import json
from typing import Any

from .judge import judge
from .replies import END, Step
from .world import World

_TEXT = "aé日🌍 \u2028 b"


def _chunk(content: str) -> str:
    return json.dumps({"choices": [{"delta": {"content": content}}]}, ensure_ascii=False)


def _stream(pieces: list[str], line_end: str = "\n") -> bytes:
    finish = json.dumps({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    said = [*map(_chunk, pieces), finish, "[DONE]"]
    return "".join(f"data: {one}{line_end}{line_end}" for one in said).encode()


def _raw(data: bytes) -> Step:
    return {"raw_base64": base64.b64encode(data).decode()}


async def _said(world: World, text: str, script: dict[str, Any]) -> None:
    turn = world.turn(lambda rest: script, text=text)
    page = await world.sent(turn)
    await page.until(lambda page: page.settled)
    await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
    await page.leave()


async def split_at_every_byte(world: World) -> None:
    """Two pieces, cut at each byte of a stream with characters of one to four bytes."""
    data = _stream([_TEXT, _TEXT[::-1]])

    async def strike(at: int) -> None:
        steps = [_raw(data[:at]), {"delay": 2}, _raw(data[at:])]
        await _said(world, _TEXT + _TEXT[::-1], {"steps": steps})

    await world.each(world.points(range(1, len(data)), 15), strike, at_once=12)


async def single_bytes(world: World) -> None:
    """Every byte on its own."""
    data = _stream([_TEXT, _TEXT[::-1]])
    scripts = [
        {"steps": [_raw(data)], "split": size, "chunked": chunked}
        for size in (1, 2, 3)
        for chunked in (True, False)
    ]

    async def strike(script: dict[str, Any]) -> None:
        await _said(world, _TEXT + _TEXT[::-1], script)

    await world.each(world.points(scripts, 2), strike)


async def line_ends(world: World) -> None:
    """CR, LF, CRLF, a byte order mark, and characters at which only some split lines."""
    inner = "\u2028\u2029\u0085\x0b\x0c\x1c\x1d\x1e"
    points = [
        (line_end, mark, text, split)
        for line_end in ("\r", "\n", "\r\n")
        for mark in ("", "\ufeff")
        for text in (_TEXT, f"x{inner}y", "\ufeff", 'tab\tquote"slash\\nl\ncr\rcrlf\r\n')
        for split in (None, 1)
    ]

    async def strike(point: tuple[str, str, str, int | None]) -> None:
        line_end, mark, text, split = point
        data = mark.encode() + _stream([text, text], line_end)
        await _said(world, text + text, {"steps": [_raw(data)], "split": split})

    await world.each(world.points(points, 8), strike)


async def no_utf8(world: World) -> None:
    """Bytes that are no UTF-8 become the replacement character, and the rest is kept."""
    bad = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x8c", b"\xed\xa0\x80", b"\xc0\xaf"]

    async def strike(bytes_: bytes) -> None:
        before, after = _chunk("a|z").encode().split(b"|")
        text = "a" + bytes_.decode("utf-8", "replace") + "z"
        data = b"data: " + before + bytes_ + after + b"\n\n"
        script = {"steps": [_raw(data), *END]}
        await _said(world, text, script)

    await world.each(world.points(bad, 2), strike)
