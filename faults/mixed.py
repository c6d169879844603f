"""A stream of all that a reply can be made of, broken at every byte: thoughts, text, an image, a tool call."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from jupyterlab_turnbook.scripted_provider.script import words

from .judge import judge
from .notebook import cells_of
from .page import Page
from .replies import Attempt, Step, Thought
from .turn import Turn
from .world import World

_THOUGHTS = "Ä hm, 日 🌍"
_TEXT = "aé b日本 \u2028c 🌍."
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_CALL = ('{"q": "', "ü 日", '"}')
_ARGUMENTS = "".join(_CALL)


def _event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice: dict[str, Any] = {"delta": delta, **({"finish_reason": finish} if finish else {})}
    return f"data: {json.dumps({'choices': [choice]}, ensure_ascii=False)}\n\n".encode()


def _image() -> bytes:
    url = {"url": f"data:image/png;base64,{_PIXEL}"}
    return _event({"images": [{"type": "image_url", "image_url": url}]})


def _tool() -> list[bytes]:
    said = []
    for n, piece in enumerate(_CALL):
        named = {"id": "call_1", "type": "function"} if n == 0 else {}
        function = {"arguments": piece, **({"name": "look"} if n == 0 else {})}
        said.append(_event({"tool_calls": [{"index": 0, **named, "function": function}]}))
    return said


def _stream(rest: Sequence[str], *, image: bool = True) -> list[bytes]:
    """The events that say what is left."""
    spoken = [
        _event({"reasoning_content" if isinstance(word, Thought) else "content": str(word)})
        for word in rest
    ]
    pictures = [_image()] if image else []
    return [*spoken, *pictures, *_tool(), _event({}, "tool_calls"), b"data: [DONE]\n\n"]


def _raw(data: bytes) -> Step:
    return {"raw_base64": base64.b64encode(data).decode()}


def _whole() -> list[bytes]:
    return _stream([*map(Thought, words(_THOUGHTS)), *words(_TEXT)])


async def split(world: World) -> None:
    """Two pieces, split at each byte."""
    data = b"".join(_whole())

    async def strike(at: int) -> None:
        steps = [_raw(data[:at]), {"delay": 2}, _raw(data[at:])]
        await _said(world, 1, lambda rest: {"steps": steps})

    await world.each(world.points(range(1, len(data)), 8), strike, at_once=16)


async def cut(world: World) -> None:
    """The connection breaks at every byte, and the server goes on or begins again."""
    events = _whole()
    data = b"".join(events)
    # An event counts once its empty line has come.
    ends = [len(b"".join(events[: n + 1])) for n in range(len(events))]
    image, finish = ends[-6], ends[-2]

    async def strike(at: int) -> None:
        def again(rest: list[str]) -> dict[str, Any]:
            # Asked to go on, a model does not make the same picture again.
            begins = isinstance(rest[0], Thought) if rest else False
            left = _stream(rest, image=begins or at < image)
            return {"steps": [_raw(b"".join(left))]}

        def first(rest: list[str]) -> dict[str, Any]:
            return {"steps": [{"headers": True}, _raw(data[:at]), {"cut": True}]}

        await _said(world, 2 if at < finish else 1, first, again)

    # Each waits a second for its next attempt.
    await world.each(world.points(range(1, len(data)), 8), strike, at_once=48)


async def _said(world: World, attempts: int, *scripts: Attempt) -> None:
    turn = world.turn(*scripts, text=_TEXT, thoughts=_THOUGHTS)
    page = await world.sent(turn)
    await page.until(lambda page: page.settled, 60)
    # With a call, the text is not a reply of its own.
    await judge(
        world,
        turn,
        world.tally,
        pages=[page],
        text="",
        requests=attempts,
        attempts=attempts,
    )
    await _judge_parts(world, turn, page)
    await page.leave()


async def _judge_parts(world: World, turn: Turn, page: Page) -> None:
    """Text, image and tool call are in the file, once."""
    found = [
        part
        for cell in cells_of(await page.file(), turn.pair)
        for output in cell["outputs"]
        for part in _parts(output["data"])
    ]
    for what, part in {"text": _TEXT, "image": _PIXEL, "call": _ARGUMENTS}.items():
        count = found.count(part)
        if count != 1:
            world.tally.lost += len(part) * (count == 0)
            world.tally.duplicated += len(part) * max(0, count - 1)
            world.tally.notes.append(f"{world.tally.fault}: {what} {count} times in {found!r:.300}")


def _parts(data: dict[str, Any]) -> list[str]:
    if "image/png" in data:
        return ["".join(data["image/png"]).strip()]
    message = data.get("application/vnd.turnbook.tool+json", {}).get("message", {})
    calls = [call["function"]["arguments"] for call in message.get("tool_calls", [])]
    return [message["content"], *calls] if calls else []
