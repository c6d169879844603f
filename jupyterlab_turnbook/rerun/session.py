"""One rerun from its beginning to its report."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .answer import Json
from .checks import run_checks
from .entries import entries_of, results_of
from .notebook import make_notebook, write_atomically, written
from .plan import Wanted
from .progress import Progress
from .report import json_report, junit_report
from .runner import Runner

_EVERY = 5.0
"""Seconds between two versions of the notebook, unless writing one takes long."""


@dataclass(frozen=True)
class Outputs:
    """What is written, and how replies are judged."""

    notebook: Path
    json: Path | None = None
    junit: Path | None = None
    schema: Any = None
    baseline: Mapping[str, str] | None = None
    checks: Path | None = None
    fail_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ended:
    """How a rerun ended."""

    entries: list[Json]
    interrupted: bool
    notes: list[str] = field(default_factory=list)


class Session:
    """Runs a plan, writes the notebook while results come, and ends well on Ctrl+C."""

    def __init__(self, runner: Runner, outputs: Outputs, progress: Progress) -> None:
        self.runner = runner
        self._outputs = outputs
        self._progress = progress
        self._signals = 0
        runner.told = self._told
        self._results = results_of(runner.plan, schema=outputs.schema, store=self._store_name())
        self._has_news = True

    async def run(self) -> Ended:
        """Send what is missing. Whatever happens, what came is in the notebook."""
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGINT, signal.SIGTERM)
        for number in numbers:
            # Windows has no handlers on the loop: there, Ctrl+C ends it like a crash.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._interrupt)
        missing = await self.runner.prepare()
        writing = asyncio.create_task(self._keep_writing())
        try:
            await self.runner.run(missing)
        finally:
            writing.cancel()
            await asyncio.wait({writing})
            self._progress.show(self.runner)
            entries = self._write()
            for number in numbers:
                with suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.remove_signal_handler(number)
        return Ended(entries, self._signals > 0, self.runner.tally.notes)

    def report(self, entries: list[Json]) -> list[Json]:
        """Run the checks and write all files; returns the entries with the checks."""
        outputs = self._outputs
        if outputs.checks is not None:
            payloads = {record.hash: record.payload for record in self.runner.plan.records}
            found = run_checks(outputs.checks, entries, payloads)
            entries = self._write(found)
        for path, make in ((outputs.json, json_report), (outputs.junit, junit_report)):
            if path is not None:
                write_atomically(path, make(self._results, entries, outputs.fail_on))
        return entries

    def _interrupt(self) -> None:
        self._signals += 1
        if self._signals == 1:
            count = self.runner.end()
            self._progress.note(
                f"Ending: no more is sent, {count} requests under way are waited for. "
                "Ctrl+C again does not wait; they will be unknown."
            )
        else:
            self.runner.leave()

    def _told(self, what: str, wanted: Wanted | None) -> None:
        self._has_news = True
        self._progress.hear(self.runner, what, wanted)

    async def _keep_writing(self) -> None:
        pause = _EVERY
        while True:
            await asyncio.sleep(pause)
            if self._has_news:
                self._has_news = False
                began = time.monotonic()
                attempts = dict(self.runner.results)
                await asyncio.to_thread(self._write, None, attempts)
                pause = max(_EVERY, 20 * (time.monotonic() - began))

    def _write(
        self, checks: Mapping[str, Any] | None = None, attempts: Mapping[str, Any] | None = None
    ) -> list[Json]:
        entries = entries_of(
            self.runner.plan,
            self.runner.results if attempts is None else attempts,
            self.runner.costs,
            schema=self._outputs.schema,
            baseline=self._outputs.baseline,
            checks=checks,
        )
        write_atomically(self._outputs.notebook, written(make_notebook(self._results, entries)))
        return entries

    def _store_name(self) -> str:
        """The store's name for `verify`, if it is beside the notebook."""
        store, folder = self.runner.store.path.resolve(), self._outputs.notebook.resolve().parent
        return store.name if store.parent == folder else ""
