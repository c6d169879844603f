"""Notices what other servers that use the same journal did, and that they have died."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from .journal import Journal, JournalError

_SECONDS = 10.0


class Neighbours:
    """Looks at intervals what the other servers on this journal do.

    No event announces the death of a process. Without this check, its runs would stay open until
    the next server starts. A server that is alone does nothing here.
    """

    def __init__(
        self, journal: Journal, look: Callable[[], Awaitable[None]], log: logging.Logger
    ) -> None:
        self._journal = journal
        self._look = look
        self._log = log
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start checking."""
        if self._task is None:
            self._task = asyncio.create_task(self._check_at_intervals())

    def stop(self) -> None:
        """Stop checking."""
        if self._task is not None:
            self._task.cancel()

    async def _check_at_intervals(self) -> None:
        had_others = False
        while True:
            await asyncio.sleep(_SECONDS)
            try:
                has_others = await asyncio.to_thread(self._others)
                # Once more when they have gone, for what they did last.
                if has_others or had_others:
                    await self._look()
                had_others = has_others
            except (JournalError, OSError) as error:
                self._log.debug("turnbook: cannot look for other servers: %s", error)

    def _others(self) -> bool:
        folder = self._journal.directory / "owners"
        return folder.is_dir() and any(
            file.stem != self._journal.owner for file in folder.glob("*.lock")
        )
