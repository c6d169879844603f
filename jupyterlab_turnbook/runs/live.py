"""A run that lives in this process, and how its end gets into the journal."""

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
from .journal import Journal, JournalError, Tx
from .model import Run
from .queries import Damaged, NoSuchRun
from .states import Happening
from .tail import Tail

# Waits between tries to write an end; the last one goes on until it is written.
_FINISH_AGAIN: tuple[float, ...] = (0.5, 1, 2, 5, 10)


@dataclass
class Live:
    """What the engine knows of a run while it lives."""

    run: Run
    known: Run | None
    """The run as it stands; None if that has to be read."""
    task: asyncio.Task[None] | None = None
    reason: Literal["stop", "lose"] | None = None
    begun: bool = False
    end: Callable[[Tx], None] | None = None
    """What writes its end, once that is known; twice is as once."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its end was written, or should be tried again."""
    tail: Tail = field(default_factory=Tail)

    def cancel(self, reason: Literal["stop", "lose"]) -> asyncio.Task[None] | None:
        """Let it end for a reason of ours; gives the task to wait for."""
        if self.end is not None:
            self.wake.set()
        elif self.reason is None:
            self.reason = reason
            # A task that is cancelled before its first step never runs, so it could not end its run.
            if self.task is not None and self.begun:
                self.task.cancel()
        return self.task

    async def write_end(
        self, journal: Journal, closing: asyncio.Event, log: logging.Logger
    ) -> None:
        """Write its end, however long the journal cannot be written."""
        assert self.end is not None
        for wait in chain(_FINISH_AGAIN, repeat(_FINISH_AGAIN[-1])):
            self.wake.clear()
            try:
                await journal.write(self.end)
                return
            except JournalError as error:
                log.warning(
                    "turnbook: the end of run %s cannot be recorded: %s", self.run.id, error
                )
                if closing.is_set():
                    return
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.wake.wait(), wait)


def writes_end(
    run: Run, happening: Happening, outcome: Outcome, at: int, log: logging.Logger
) -> Callable[[Tx], None]:
    """What writes the end of a run, also of one that cannot be read any more."""

    def write(tx: Tx) -> None:
        try:
            commands.happen(tx, run.id, happening, at, outcome)
        except Damaged:
            quarantine.set_apart(tx, run.id, "What the journal says about it cannot be read.")
            tx.changed(run.id, run.chat)
        except NoSuchRun:
            log.error("turnbook: run %s is not in the journal any more", run.id)
            tx.changed(run.id, run.chat)

    return write
