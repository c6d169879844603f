"""Starts automatic retries: one timer for each waiting turn."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from . import retry, turns
from .journal import Journal, JournalError
from .model import TurnKey
from .retry import Waiting
from .transaction import Change

# The server that made the last attempt goes first; others wait this many milliseconds longer.
_GRACE = 2_000


class Handle(Protocol):
    """A scheduled call that can be cancelled."""

    def cancel(self) -> None:
        """Cancel the call; no effect if it has happened."""


Later = Callable[[float, Callable[[], None]], Handle]
"""Calls a function after some seconds."""


class Hindered(Exception):
    """An attempt could not start, for a reason that may pass."""


class Scheduler:
    """Keeps a timer for each waiting turn and starts its attempt when it is due.

    The journal knows which turns wait, and until when. A timer is only a reminder: the
    transaction that claims the attempt decides whether it is still wanted, so an extra timer is
    harmless. All chats are read once, when the journal has been opened; after that, only those
    in which something changed. `armed` is called for each turn that begins to wait.
    """

    def __init__(
        self,
        journal: Journal,
        begin: Callable[[Waiting], Awaitable[None]],
        log: logging.Logger,
        *,
        clock: Callable[[], int],
        later: Later | None = None,
        armed: Callable[[], None] = lambda: None,
    ) -> None:
        self._journal = journal
        self._begin = begin
        self._log = log
        self._clock = clock
        self._later = later or (
            lambda wait, call: asyncio.get_running_loop().call_later(wait, call)
        )
        self._armed = armed
        self._timers: dict[TurnKey, tuple[Waiting, Handle | None]] = {}
        self._beginning: dict[TurnKey, asyncio.Task[None]] = {}
        self._news: set[str | None] = {None}
        self._looking: asyncio.Task[None] | None = None
        self._again: Handle | None = None
        self._troubles: dict[TurnKey | None, int] = {}
        self._closed = False

    @property
    def waiting(self) -> dict[TurnKey, int]:
        """When the next attempt of each waiting turn is due, in milliseconds since 1970."""
        return {turn: waiting.retry_at for turn, (waiting, _) in self._timers.items()}

    def changed(self, changes: list[Change]) -> None:
        """Read the chats of these changes; the first call reads all chats."""
        self._news |= {
            change.chat for change in changes if change.state and self._may_matter(change)
        }
        self._look()

    def scan(self) -> None:
        """Read all chats, for changes that were not announced here."""
        self._news.add(None)
        self._look()

    async def close(self) -> None:
        """Cancel the timers; the turns stay waiting in the journal."""
        self._closed = True
        for _, handle in self._timers.values():
            if handle is not None:
                handle.cancel()
        self._timers.clear()
        if self._again is not None:
            self._again.cancel()
        tasks = [*self._beginning.values(), *([self._looking] if self._looking else [])]
        if tasks:
            await asyncio.wait(tasks)

    def _may_matter(self, change: Change) -> bool:
        """Whether what waits in a chat may be another now."""
        if change.now is None or not change.now.alive:
            return True
        # A claim can only end what waits; the chat is read again when the run ends.
        return change.now.state in ("claimed", "sending") and (
            self._looking is not None or any(turn.chat == change.chat for turn in self._timers)
        )

    def _look(self) -> None:
        if self._news and self._looking is None and not self._closed:
            self._looking = asyncio.create_task(self._read())
            self._looking.add_done_callback(self._looked)

    def _looked(self, task: asyncio.Task[None]) -> None:
        self._looking = None
        if not task.cancelled() and task.exception() is not None:
            self._log.error("turnbook: cannot plan retries", exc_info=task.exception())
        self._look()

    async def _read(self) -> None:
        chats, self._news = self._news, set()
        asked = chats
        try:
            if None in chats:
                self._plan(await self._journal.read(turns.waiting), lambda chat: True)
                chats = set()
            for chat in chats:
                found = await self._journal.read(partial(turns.waiting, chat=chat))
                self._plan(found, lambda each, chat=chat: each == chat)  # type: ignore[misc]
            self._troubles.pop(None, None)
        except JournalError as error:
            self._troubles[None] = self._troubles.get(None, 0) + 1
            self._log.warning("turnbook: retries wait for the journal: %s", error)
            self._try_again(asked)

    def _try_again(self, chats: set[str | None]) -> None:
        def look() -> None:
            self._news |= chats
            self._look()

        if not self._closed:
            self._again = self._later(retry.backoff(self._troubles[None]) / 1000, look)

    def _plan(self, found: list[Waiting], concerned: Callable[[str], bool]) -> None:
        if self._closed:
            return
        wanted = {waiting.turn: waiting for waiting in found}
        for turn in [turn for turn in self._troubles if turn and concerned(turn.chat)]:
            if turn not in wanted:
                del self._troubles[turn]
        for turn in [turn for turn in self._timers if concerned(turn.chat)]:
            if wanted.get(turn) != self._timers[turn][0]:
                self._forget(turn)
        for turn, waiting in wanted.items():
            if turn not in self._timers and turn not in self._beginning:
                self._arm(turn, waiting)

    def _arm(self, turn: TurnKey, waiting: Waiting) -> None:
        mine = self._journal.owner
        wait = retry.left(waiting, self._clock())
        if waiting.owner != mine:
            wait += _GRACE
        if turn in self._troubles:
            wait = max(wait, retry.backoff(self._troubles[turn]))
        handle = None
        # When our own run ends, the chat is read again. The end of another server's run is not
        # announced here, so that needs a timer.
        if waiting.busy is None or waiting.busy != mine:
            handle = self._later(wait / 1000, partial(self._due, turn))
        self._timers[turn] = waiting, handle
        self._armed()

    def _forget(self, turn: TurnKey) -> None:
        _, handle = self._timers.pop(turn)
        if handle is not None:
            handle.cancel()

    def _due(self, turn: TurnKey) -> None:
        if turn in self._timers and not self._closed:
            waiting = self._timers.pop(turn)[0]
            task = asyncio.create_task(self._try(waiting))
            self._beginning[turn] = task
            task.add_done_callback(lambda done: self._begun(turn, done))

    def _begun(self, turn: TurnKey, task: asyncio.Task[None]) -> None:
        del self._beginning[turn]
        if not task.cancelled() and task.exception() is not None:
            self._log.error("turnbook: a retry could not begin", exc_info=task.exception())
        self._news.add(turn.chat)
        self._look()

    async def _try(self, waiting: Waiting) -> None:
        turn = waiting.turn
        try:
            await self._begin(waiting)
        except Exception as error:
            self._troubles[turn] = self._troubles.get(turn, 0) + 1
            if not isinstance(error, Hindered):
                raise
            self._log.info("turnbook: a retry has to wait: %s", error)
        else:
            self._troubles.pop(turn, None)
