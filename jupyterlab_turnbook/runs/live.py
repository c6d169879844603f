"""A live run of this process, and how its end is written to the journal."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Literal

from ..base.outcome import Outcome
from . import commands, quarantine
from .journal import Journal, JournalError
from .model import Run
from .queries import Damaged, NoSuchRun
from .states import Happening
from .tail import Tail
from .transaction import Tx
from .wire import Ready

# Seconds between tries to write an end; the last one repeats until it succeeds.
_FINISH_AGAIN: tuple[float, ...] = (0.5, 1, 2, 5, 10)


@dataclass
class Live:
    """What the engine knows about a live run."""

    run: Run
    known: Run | None
    """The run as it is now; None if it has to be read from the journal."""
    ready: asyncio.Task[Ready] | None = None
    """What sending needs, until it begins; None if it is looked up then."""
    task: asyncio.Task[None] | None = None
    reason: Literal["stop", "lose"] | None = None
    begun: bool = False
    noted: Callable[[Tx], None] = lambda tx: None
    """Writes what is known of the response."""
    end: Callable[[Tx], None] | None = None
    """Writes its end, once that is known; idempotent."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its end has been written or should be written again now."""
    tail: Tail = field(default_factory=Tail)

    def cancel(self, reason: Literal["stop", "lose"]) -> asyncio.Task[None] | None:
        """End it for this reason; returns the task to wait for."""
        if self.end is not None:
            self.wake.set()
        elif self.reason is None:
            self.reason = reason
            if self.ready is not None:
                self.ready.cancel()
            # A task cancelled before its first step never runs, so it could not write the end.
            if self.task is not None and self.begun:
                self.task.cancel()
        return self.task

    async def write_end(
        self, journal: Journal, closing: asyncio.Event, log: logging.Logger
    ) -> None:
        """Write its end, retrying as long as the journal cannot be written."""
        assert self.end is not None
        for wait in chain(_FINISH_AGAIN, repeat(_FINISH_AGAIN[-1])):
            self.wake.clear()
            try:
                # Durable, since the end is shown: after a power cut nothing that was done or stopped
                # may go on.
                await journal.write(self.end, durable=True)
                return
            except (JournalError, OSError, MemoryError) as error:
                # Also what the process lacks now, such as file descriptors: without its end a run stays alive.
                log.warning(
                    "turnbook: the end of run %s cannot be recorded: %s", self.run.id, error
                )
                if closing.is_set():
                    return
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.wake.wait(), wait)


def writes_end(
    run: Run,
    happening: Happening,
    outcome: Outcome,
    at: int,
    log: logging.Logger,
    noted: Callable[[Tx], None],
) -> Callable[[Tx], None]:
    """A function that writes the end of a run, even if its record can no longer be read."""

    def write(tx: Tx) -> None:
        try:
            commands.happen(tx, run.id, happening, at, outcome)
            noted(tx)
        except Damaged:
            quarantine.set_apart(tx, run.id, "What the journal says about it cannot be read.")
            tx.changed(run.id, run.chat)
        except NoSuchRun:
            log.error("turnbook: run %s is no longer in the journal", run.id)
            tx.changed(run.id, run.chat)

    return write
