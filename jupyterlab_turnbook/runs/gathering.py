"""The events of all runs that a page follows, gathered into few messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from .hub import Hub
from .live import Live
from .model import Event, Run
from .states import State

# Characters of a message after which the rest waits for the next one.
_LONGEST = 256 * 1024


@dataclass
class _Followed:
    state: State
    after: int
    left: asyncio.Future[int]


class Gathering:
    """Sends what a commit brought for all live runs of a page in one message.

    A run is here while the page is up to date with it. When its state changes, or the page falls
    so far behind that the journal has to be read, it goes back to whoever brought it.
    """

    def __init__(
        self,
        hub: Hub,
        live: Mapping[str, Live],
        send: Callable[[str], Awaitable[None]],
        *,
        few: int,
        pause: float,
    ) -> None:
        """With more than `few` runs, messages are at least `pause` seconds apart."""
        self._hub = hub
        self._live = live
        self._send = send
        self._few = few
        self._pause = pause
        self._followed: dict[str, _Followed] = {}
        self._changed: dict[str, None] = {}
        self._bell = asyncio.Event()

    async def follow(self, run: Run, after: int) -> int:
        """Send the events of a live run after this number; returns the number of the last one."""
        mine = _Followed(run.state, after, asyncio.get_running_loop().create_future())
        self._followed[run.id] = mine
        try:
            with self._hub.listen(run.id, lambda: self._note(run.id)):
                # It may have changed before we listened.
                self._note(run.id)
                return await mine.left
        finally:
            if self._followed.get(run.id) is mine:
                del self._followed[run.id]

    async def send_all(self) -> None:
        """Send what comes, for as long as the page is there."""
        while True:
            await self._bell.wait()
            message = self._gathered()
            if not self._changed:
                self._bell.clear()
            if message is None:
                continue
            await self._send(message)
            if len(self._followed) > self._few:
                # With many replies at once, a message per token would be too much for the page.
                await asyncio.sleep(self._pause)

    def _note(self, run: str) -> None:
        self._changed[run] = None
        self._bell.set()

    def _gathered(self) -> str | None:
        parts: list[str] = []
        size = 0
        while self._changed and size < _LONGEST:
            run = next(iter(self._changed))
            del self._changed[run]
            followed = self._followed.get(run)
            if followed is None or followed.left.done():
                continue
            news = self._news(run, followed)
            if news is None:
                followed.left.set_result(followed.after)
            elif news:
                followed.after = news[-1].n
                events = ",".join(map(_written, news))
                parts.append(f'{{"run": "{run}", "events": [{events}]}}')
                size += len(events)
        return f'{{"gathered": [{", ".join(parts)}]}}' if parts else None

    def _news(self, run: str, followed: _Followed) -> list[Event] | None:
        live = self._live.get(run)
        if live is None or live.known is None or live.known.state != followed.state:
            return None
        return live.tail.after(followed.after)


def _written(event: Event) -> str:
    # Much faster than to write the whole message at once.
    return f'{{"n": {event.n}, "data": {json.dumps(event.data)}}}'
