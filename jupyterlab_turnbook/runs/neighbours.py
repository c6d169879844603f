"""Other servers on the same journal: noticing that one of them died."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from .journal import Journal, JournalError

_SECONDS = 10.0


class Neighbours:
    """While other servers use the journal, looks now and then whether they live.

    The death of a process rings no bell here; without this, what it left would wait for the next
    start of a server. A server that is alone does not look.
    """

    def __init__(
        self, journal: Journal, look: Callable[[], Awaitable[None]], log: logging.Logger
    ) -> None:
        self._journal = journal
        self._look = look
        self._log = log
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look."""
        if self._task is None:
            self._task = asyncio.create_task(self._go_on())

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS)
            try:
                if await asyncio.to_thread(self._others):
                    await self._look()
            except (JournalError, OSError) as error:
                self._log.debug("turnbook: cannot look for other servers: %s", error)

    def _others(self) -> bool:
        folder = self._journal.directory / "owners"
        return folder.is_dir() and any(
            file.stem != self._journal.owner for file in folder.glob("*.lock")
        )
