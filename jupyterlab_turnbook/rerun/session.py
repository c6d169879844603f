"""One rerun from its beginning to its report."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .answer import Json
from .checks import run_checks
from .entries import entries_of, results_of
from .notebook import make_notebook, write_atomically, written
from .plan import CannotRerun, Wanted
from .progress import Progress
from .reading import check_kept
from .report import json_report, junit_report
from .runner import Runner
from .store import Attempt

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


class Session:
    """Runs a plan, writes the notebook while results come, and ends well on Ctrl+C."""

    def __init__(self, runner: Runner, outputs: Outputs, progress: Progress) -> None:
        self.runner = runner
        self._outputs = outputs
        self._progress = progress
        self.interruptions = 0
        """How often it was asked to end."""
        runner.told = self._told
        self._results = results_of(runner.plan, schema=outputs.schema, store=self._store_name())
        self._has_news = True
        self._written: asyncio.Future[list[Json]] | None = None

    async def run(self) -> bool:
        """Send what is missing; returns whether it was asked to end.

        Whatever happens, what came is in the notebook. Raises `CannotRerun`, before anything is sent,
        if that has replies of another store.
        """
        store = self.runner.store
        check_kept(self._outputs.notebook, store.path, await store.keys())
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGINT, signal.SIGTERM)
        for number in numbers:
            # Windows has no handlers on the loop: there, Ctrl+C ends it like a crash. A thread
            # has none either: there, signals are its process's.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self.interrupt)
        missing = await self.runner.prepare()
        self._progress.show(self.runner)
        writing = asyncio.create_task(self._keep_writing())
        try:
            await self.runner.run(missing)
        finally:
            writing.cancel()
            await asyncio.wait({writing})
            if self._written is not None:
                # A version that is being written must not replace the last one.
                await asyncio.wait({self._written})
            self._progress.show(self.runner)
            try:
                self._write(self.runner.results)
            finally:
                for number in numbers:
                    with suppress(NotImplementedError, RuntimeError, ValueError):
                        loop.remove_signal_handler(number)
        return self.interruptions > 0

    def interrupt(self) -> None:
        """Send nothing more and wait for what is under way; the second time, do not wait."""
        self.interruptions += 1
        if self.interruptions == 1:
            count = self.runner.end()
            self._progress.note(
                f"Ending: no more is sent, {count} requests under way are waited for. "
                "Ctrl+C again does not wait; they will be unknown."
            )
        else:
            self.runner.leave()

    def report(self) -> tuple[list[Json], list[str]]:
        """Run the checks and write all files; returns the entries, and what could not be done."""
        outputs = self._outputs
        entries = self._entries(self.runner.results)
        problems: list[str] = []
        if outputs.checks is not None:
            payloads = {record.hash: record.payload for record in self.runner.plan.records}
            try:
                found = run_checks(outputs.checks, entries, payloads)
                entries = self._write(self.runner.results, found)
            except (CannotRerun, OSError) as error:
                problems.append(str(error))
        for path, make in ((outputs.json, json_report), (outputs.junit, junit_report)):
            if path is not None:
                try:
                    write_atomically(path, make(self._results, entries, outputs.fail_on))
                except OSError as error:
                    problems.append(f"{path} cannot be written: {error.strerror}.")
        return entries, problems

    def _told(self, what: str, wanted: Wanted | None) -> None:
        self._has_news = True
        self._progress.hear(self.runner, what, wanted)

    async def _keep_writing(self) -> None:
        while True:
            began = time.monotonic()
            if self._has_news:
                self._has_news = False
                attempts = dict(self.runner.results)
                self._written = asyncio.ensure_future(asyncio.to_thread(self._write, attempts))
                # What cannot be written now is written later, and told at the end.
                with suppress(OSError):
                    await asyncio.shield(self._written)
            await asyncio.sleep(max(_EVERY, 20 * (time.monotonic() - began)))

    def _entries(
        self, attempts: Mapping[str, Attempt], checks: Mapping[str, Any] | None = None
    ) -> list[Json]:
        return entries_of(
            self.runner.plan,
            attempts,
            self.runner.costs,
            schema=self._outputs.schema,
            baseline=self._outputs.baseline,
            checks=checks,
        )

    def _write(
        self, attempts: Mapping[str, Attempt], checks: Mapping[str, Any] | None = None
    ) -> list[Json]:
        entries = self._entries(attempts, checks)
        write_atomically(self._outputs.notebook, written(make_notebook(self._results, entries)))
        return entries

    def _store_name(self) -> str:
        """The store's name for `verify`, if it is beside the notebook."""
        store, folder = self.runner.store.path.resolve(), self._outputs.notebook.resolve().parent
        return store.name if store.parent == folder else ""
