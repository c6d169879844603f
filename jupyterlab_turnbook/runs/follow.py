"""Follows a run: yields its recorded events, then new ones as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from . import queries
from .gathering import Gathering
from .hub import Hub
from .journal import Journal
from .live import Live
from .model import Event, Run
from .states import State

_PAGE = 1000
_FOREIGN_POLL = 0.5


class Followers:
    """Reads runs for any number of readers, each at its own event number."""

    def __init__(
        self,
        journal: Journal,
        hub: Hub,
        live: Mapping[str, Live],
        bury_dead: Callable[[], Awaitable[None]],
    ) -> None:
        self._journal = journal
        self._hub = hub
        self._live = live
        self._bury_dead = bury_dead

    async def follow(self, run_id: str, after: int) -> AsyncGenerator[Run | Event, None]:
        """A run and its events after number `after`, then new ones, without gaps or repetitions.

        The run itself comes first, and again whenever its state changes. No event follows the end.
        """
        async with aclosing(self.follow_in_batches(run_id, after)) as batches:
            async for batch in batches:
                if isinstance(batch, Run):
                    yield batch
                else:
                    for event in batch:
                        yield event

    async def follow_in_batches(
        self, run_id: str, after: int, gathering: Gathering | None = None
    ) -> AsyncGenerator[Run | list[Event], None]:
        """Like `follow`, but yields the events available at one moment as a list.

        Events that come while the reader is up to date go through `gathering`, if there is one.
        """
        state: State | None = None
        bell = asyncio.Event()
        with self._hub.listen(run_id, bell.set):
            while True:
                bell.clear()
                live = self._live.get(run_id)
                known = live.known if live else None
                # The newest events of a live run need not be read from the journal.
                news = live.tail.after(after) if live and known and known.alive else None
                if live is not None and known is not None and news is not None:
                    if known.state != state:
                        state = known.state
                        yield replace(known, events=live.tail.last)
                    elif gathering is not None:
                        after = await gathering.follow(known, after)
                        continue
                    elif not news:
                        await self._changed(bell, known)
                    if news:
                        after = news[-1].n
                        yield news
                    continue
                page = await self._journal.read(
                    partial(queries.page, run=run_id, after=after, limit=_PAGE)
                )
                run = page.run
                if live is not None and live.known is None:
                    live.known = run
                if state is None or (run.alive and run.state != state):
                    state = run.state
                    yield run
                if page.events:
                    after = page.events[-1].n
                    yield page.events
                if after < run.events:
                    continue
                if not run.alive:
                    if run.state != state:
                        yield run
                    return
                await self._changed(bell, run)

    def gathering(
        self, send: Callable[[str], Awaitable[None]], *, few: int, pause: float
    ) -> Gathering:
        """What sends the events of a page's runs; see `Gathering`."""
        return Gathering(self._hub, self._live, send, few=few, pause=pause)

    async def _changed(self, bell: asyncio.Event, run: Run) -> None:
        if run.id in self._live:
            await bell.wait()
            return
        # Another process owns the run, and its changes are not announced here.
        try:
            await asyncio.wait_for(bell.wait(), _FOREIGN_POLL)
        except asyncio.TimeoutError:
            await self._bury_dead()
