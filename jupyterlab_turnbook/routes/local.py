"""`/local`: the embedded model, and models that can be downloaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..local.errors import FetchFailed
from ..local.library import UnknownModel
from .base import ApiError, Route, TurnbookHandler

_NAME = r"([^/]+)"


class LocalHandler(TurnbookHandler):
    """`/local`."""

    async def get(self) -> None:
        """The embedded model's state."""
        self.answer(self.turnbook.registry.local.embedded.status())


class LocalFetchHandler(TurnbookHandler):
    """`/local/fetch`."""

    async def post(self) -> None:
        """Start fetching what the embedded model lacks."""
        local = self.turnbook.registry.local.embedded
        await local.fetch()
        self.answer(local.status(), 202)

    async def delete(self) -> None:
        """Cancel the fetch."""
        local = self.turnbook.registry.local.embedded
        local.cancel_fetch()
        await local.fetched()
        self.answer(local.status())


class LocalModelsHandler(TurnbookHandler):
    """`/local/models`."""

    async def get(self) -> None:
        """The models that were downloaded or can be."""
        self.answer(await self.turnbook.registry.local.library.view())


class LocalModelHandler(TurnbookHandler):
    """`/local/models/{name}`."""

    async def delete(self, name: str) -> None:
        """Delete a model, or what its download has left."""
        local = self.turnbook.registry.local
        with _api_errors():
            await local.remove(name)
        self.answer(await local.library.view())


class DownloadHandler(TurnbookHandler):
    """`/local/models/{name}/download`."""

    async def post(self, name: str) -> None:
        """Start or continue a download."""
        library = self.turnbook.registry.local.library
        with _api_errors():
            await library.start(name)
        self.answer(await library.view(), 202)

    async def delete(self, name: str) -> None:
        """Stop a download; what arrived is kept."""
        library = self.turnbook.registry.local.library
        with _api_errors():
            await library.stop(name)
        self.answer(await library.view())


def handlers() -> list[Route]:
    """The routes of this module."""
    return [
        (r"/local", LocalHandler, {}),
        (r"/local/fetch", LocalFetchHandler, {}),
        (r"/local/models", LocalModelsHandler, {}),
        (rf"/local/models/{_NAME}", LocalModelHandler, {}),
        (rf"/local/models/{_NAME}/download", DownloadHandler, {}),
    ]


@contextmanager
def _api_errors() -> Iterator[None]:
    try:
        yield
    except UnknownModel as error:
        raise ApiError(
            404, "unknown-model", "This server does not offer that model. Reload the list."
        ) from error
    except FetchFailed as error:
        raise ApiError(409, "download", error.message) from error
