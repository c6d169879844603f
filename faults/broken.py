"""Servers that are wrong on purpose, to show that the counting sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jupyterlab_turnbook.runs import commands, journal
from jupyterlab_turnbook.runs.appending import Append
from jupyterlab_turnbook.runs.reply import Reply
from jupyterlab_turnbook.runs.wire import Wire, request_to


def _append_alone(append: Any) -> None:
    commands.append = append
    Append.together = classmethod(lambda cls, tx, works: None)  # type: ignore[assignment,method-assign]


def _loses_an_event() -> None:
    append = commands.append

    def wrong(tx: Any, run: str, chat: str, data: list[str], marks: Any = ()) -> int:
        return append(tx, run, chat, data[1:] if '"content"' in data[0] else data)

    _append_alone(wrong)


def _stores_twice() -> None:
    append = commands.append

    def wrong(tx: Any, run: str, chat: str, data: list[str], marks: Any = ()) -> int:
        return append(tx, run, chat, data + data)

    _append_alone(wrong)


def _sends_twice() -> None:
    send = Wire.send

    async def wrong(self: Wire, body: bytes, request: Any = None) -> Any:
        twice = request_to(self._client, self._provider, body)
        response = await self._client.send(twice, stream=True)
        await response.aclose()
        return await send(self, body, request)

    Wire.send = wrong  # type: ignore[method-assign]


def _calls_it_done() -> None:
    def wrong(self: Reply, message: str) -> Any:
        return self._good()

    Reply.broken = wrong  # type: ignore[method-assign]


def _never_syncs() -> None:
    journal._LOGGED = ("OFF", "OFF")


def _syncs_too_little() -> None:
    journal._UNLOGGED = ("NORMAL", "FULL")


BREAKAGES: dict[str, Callable[[], None]] = {
    "loses an event": _loses_an_event,
    "stores events twice": _stores_twice,
    "sends a request twice": _sends_twice,
    "calls a broken reply done": _calls_it_done,
    "never syncs": _never_syncs,
    "leaves a commit's journal unsynced": _syncs_too_little,
}
"""How a server can be wrong."""
