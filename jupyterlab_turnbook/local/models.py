"""The models of the provider `local`: the embedded one and those that were downloaded."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from . import memory
from .errors import FetchFailed, LocalFailed, LocalMissing
from .hub import HubModel
from .library import Library
from .manager import LocalModel
from .process import Endpoint


class LocalModels:
    """Finds the model that a request names, and keeps only those running that are in use."""

    def __init__(self, embedded: LocalModel, library: Library) -> None:
        self.embedded = embedded
        self.library = library
        self._others = {each.name: embedded.sibling(each) for each in library.models}
        self._making_room = asyncio.Lock()

    def listed(self) -> list[LocalModel]:
        """The models that can be chosen; the embedded one is first, and may have to be fetched."""
        return [self.embedded, *(self._others[each.name] for each in self.library.ready())]

    def missing(self, model: str) -> str | None:
        """What the user must do before a model can be used, or None."""
        named = self._of(model)
        if named is None:
            return f"This server has no local model named {model}. Choose another model."
        known = self._downloadable(model)
        if known is not None and not self.library.has(known):
            return (
                f"{model} is not on this machine. Download it in Local models… (in the model menu), "
                "or choose another model."
            )
        return named.missing()

    @contextlib.contextmanager
    def use(self, model: str) -> Iterator[None]:
        """A context in which a model is not stopped for being idle."""
        named = self._of(model)
        with named.use() if named is not None else contextlib.nullcontext():
            yield

    async def ensure(self, model: str) -> Endpoint:
        """Start a model if it is not running; raises `LocalMissing` or `LocalFailed`."""
        missing = await asyncio.to_thread(self.missing, model)
        if missing is not None:
            raise LocalMissing(missing)
        wanted, known = self._of(model), self._downloadable(model)
        assert wanted is not None
        if wanted.pid is not None:
            return await wanted.ensure()
        async with self._making_room:
            await self._stop_unused(wanted)
            if known is not None:
                await asyncio.to_thread(_check_memory, known)
            return await wanted.ensure()

    async def remove(self, model: str) -> None:
        """Delete a downloaded model; it is stopped first. Raises what `Library.remove` raises."""
        other = self._others.get(model)
        if other is not None:
            if other.in_use:
                raise FetchFailed(f"{model} is answering a message. Wait for it, or stop it.")
            await other.rest()
        await self.library.remove(model)

    async def stop(self) -> None:
        """Stop all models and downloads."""
        await self.library.close()
        for each in (self.embedded, *self._others.values()):
            await each.stop()

    def _downloadable(self, model: str) -> HubModel | None:
        return None if model == self.embedded.model else self.library.get(model)

    def _of(self, model: str) -> LocalModel | None:
        """The model of this name; a request that names none means the embedded one."""
        if model in ("", self.embedded.model):
            return self.embedded
        return self._others.get(model)

    async def _stop_unused(self, wanted: LocalModel) -> None:
        for each in (self.embedded, *self._others.values()):
            if each is not wanted and each.pid is not None and not each.in_use:
                await each.rest()


def _check_memory(model: HubModel) -> None:
    """Raise if not even the weights fit: the system would end the model, or other programs."""
    free = memory.read().available
    if free is not None and free < model.size:
        raise LocalFailed(
            f"{model.name} needs about {model.memory / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB "
            "are free. Close other programs, or choose a smaller model."
        )
