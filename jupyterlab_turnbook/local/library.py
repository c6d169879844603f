"""The models that were downloaded or can be, and the downloads under way."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import memory
from .download import Download
from .errors import FetchFailed
from .files import has_engine
from .hub import HubModel
from .part import arrived, remove


class UnknownModel(KeyError):
    """No model of the list has this name."""


@dataclass
class _Running:
    download: Download
    task: asyncio.Task[None]


class Library:
    """Downloads models and removes them; each at most once at a time."""

    def __init__(
        self,
        hub: str,
        models: Iterable[HubModel],
        data_dir: Path,
        log: logging.Logger,
        active: Callable[[], None] = lambda: None,
    ) -> None:
        self._hub = hub
        self._models = {model.name: model for model in models}
        self._data_dir = data_dir
        self._log = log
        self._active = active
        self._running: dict[str, _Running] = {}
        self._failures: dict[str, str] = {}

    @property
    def models(self) -> list[HubModel]:
        """The list."""
        return list(self._models.values())

    @property
    def activity(self) -> dict[str, str]:
        """Maps the name of each model that is being downloaded to what happens to it."""
        return dict.fromkeys(self._running, "download")

    def get(self, name: str) -> HubModel | None:
        """A model of the list."""
        return self._models.get(name)

    def ready(self) -> list[HubModel]:
        """The models that are on this machine."""
        return [model for model in self._models.values() if self.has(model)]

    def has(self, model: HubModel) -> bool:
        """Whether a model is on this machine."""
        return model.path(self._data_dir).is_file()

    async def view(self) -> dict[str, Any]:
        """The contract's `LocalModels`."""
        return await asyncio.to_thread(self._view)

    async def start(self, name: str) -> None:
        """Start or continue a download, unless it is under way or done; `view` reports it."""
        model = self._known(name)
        if not self._hub:
            raise FetchFailed("This server offers no downloads (c.TurnbookApp.local_hub is empty).")
        if name in self._running or await asyncio.to_thread(self.has, model):
            return
        # Another page may have started it meanwhile.
        if name not in self._running:
            self._failures.pop(name, None)
            download = Download(self._hub, model, model.path(self._data_dir), self._active)
            task = asyncio.ensure_future(self._run(name, download))
            self._running[name] = _Running(download, task)
            # A task that is cancelled before its first step runs none of its own code.
            task.add_done_callback(lambda _: self._running.pop(name))

    async def stop(self, name: str) -> None:
        """Stop a download; what arrived is kept."""
        self._known(name)
        running = self._running.get(name)
        if running is not None:
            # A second cancellation would interrupt the closing of the file.
            if not running.download.closing:
                running.download.closing = True
                running.task.cancel()
            await asyncio.wait({running.task})

    async def remove(self, name: str) -> None:
        """Delete a model, or what its download has left."""
        model = self._known(name)
        await self.stop(name)
        self._failures.pop(name, None)
        try:
            await asyncio.to_thread(remove, model.path(self._data_dir))
        except OSError as error:
            raise FetchFailed(f"{name} cannot be deleted: {error.strerror}.") from error

    async def ended(self, name: str) -> None:
        """Wait until a download has ended, successfully or not."""
        running = self._running.get(name)
        if running is not None:
            await asyncio.wait({running.task})

    async def close(self) -> None:
        """Stop all downloads."""
        for name in list(self._running):
            await self.stop(name)

    async def _run(self, name: str, download: Download) -> None:
        try:
            await download.run()
        except FetchFailed as error:
            self._failures[name] = error.message
            self._log.warning("turnbook: downloading %s: %s", name, error.message)
        except Exception as error:  # noqa: BLE001 - every failure is reported
            self._failures[name] = (
                f"The download failed unexpectedly ({type(error).__name__}: {str(error)[:300]}). "
                "Try again; the Jupyter server's log has the details."
            )
            self._log.exception("turnbook: downloading %s", name)

    def _known(self, name: str) -> HubModel:
        model = self._models.get(name)
        if model is None:
            raise UnknownModel(name)
        return model

    def _view(self) -> dict[str, Any]:
        found = memory.read()
        return {
            "hub": self._hub,
            "engine": has_engine(),
            "folder": str(self._data_dir / "models"),
            "free": _free(self._data_dir),
            "memory": found.total,
            "models": [self._describe(model, found) for model in self._models.values()],
        }

    def _describe(self, model: HubModel, found: memory.Memory) -> dict[str, Any]:
        running = self._running.get(model.name)
        target = model.path(self._data_dir)
        received = arrived(target) if running is None else running.download.received
        if running is not None:
            state = "checking" if running.download.checking else "downloading"
        elif self.has(model):
            state, received = "ready", model.size
        else:
            state = "partial" if received else "absent"
        return {
            "name": model.name,
            "parameters": model.parameters,
            "page": f"{self._hub}/{model.repo}" if self._hub else "",
            "size": model.size,
            "memory": model.memory,
            "fits": found.total is None or model.memory <= found.total,
            "license": model.license,
            "state": state,
            "received": received,
            "message": self._failures.get(model.name, ""),
        }


def _free(folder: Path) -> int | None:
    """The bytes free on the disk of a folder that need not exist yet."""
    for place in (folder, *folder.parents):
        if place.exists():
            return shutil.disk_usage(place).free
    return None
