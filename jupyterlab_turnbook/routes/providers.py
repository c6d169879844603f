"""`/providers`: list, add, change, delete and test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_core.utils import ensure_async

from ..providers.ask import AskError, list_models
from ..providers.private_file import PrivateFileError
from ..providers.registry import BadSettings, NotAllowed, NotEditable, UnknownProvider
from ..runs.probe import Found, probe
from .base import PROVIDERS_RESOURCE, ApiError, Route, TurnbookHandler

_NAME = r"([^/]+)"


class ProvidersHandler(TurnbookHandler):
    """`/providers`."""

    async def get(self) -> None:
        """All providers, without keys."""
        shown = await self.turnbook.registry.view()
        asked = self.authorizer.is_authorized(self, self.current_user, "write", PROVIDERS_RESOURCE)
        if not await ensure_async(asked):
            listed = [{**each, "editable": False} for each in shown["providers"]]
            shown = {**shown, "providers": listed, "canAdd": False}
        self.answer(shown)


class ChangeHandler(TurnbookHandler):
    """A route that changes providers or tests settings."""

    auth_resource = PROVIDERS_RESOURCE
    denied = (
        "You may not change providers on this server. Choose one that is there, or ask its "
        "administrator."
    )


class ProviderHandler(ChangeHandler):
    """`/providers/{name}`."""

    async def put(self, name: str) -> None:
        """Add or change one."""
        registry = self.turnbook.registry
        with _api_errors():
            provider, note = await registry.put(name, _settings(self, "putProvider"))
        shown = registry.describe(provider)
        self.answer({**shown, "message": note} if note else shown)

    async def delete(self, name: str) -> None:
        """Delete one and its key."""
        with _api_errors():
            await self.turnbook.registry.delete(name)
        self.set_status(204)
        self.finish()


class ProviderTestHandler(ChangeHandler):
    """`/providers/{name}/test`."""

    async def post(self, name: str) -> None:
        """List the models for unsaved settings."""
        given = _settings(self, "testProvider")
        with _api_errors():
            provider = await self.turnbook.registry.for_test(name, given)
        try:
            models = [info.model for info in await list_models(provider)]
        except AskError as error:
            self.answer({"ok": False, "models": [], "error": error.outcome.json()})
            return
        self.answer({"ok": True, "models": models, "error": None})


class ProviderCheckHandler(ChangeHandler):
    """`/providers/{name}/check`."""

    _checking: asyncio.Task[Found] | None = None
    _has_left = False

    async def post(self, name: str) -> None:
        """Find out, for unsaved settings, whether a model supports something."""
        given = _settings(self, "checkProvider")
        model, check = given.pop("model"), given.pop("check")
        with _api_errors():
            provider = await self.turnbook.registry.for_test(name, given)
        if self._left():
            return
        self._checking = asyncio.ensure_future(probe(provider, model, check))
        try:
            found = await self._checking
        except asyncio.CancelledError:
            if self._left():
                return
            raise
        self.answer(found.json())

    def _left(self) -> bool:
        return self._has_left

    def on_connection_close(self) -> None:
        """The user has canceled the check: no request is sent or continued."""
        super().on_connection_close()
        self._has_left = True
        if self._checking is not None:
            self._checking.cancel()


def handlers() -> list[Route]:
    """The routes of this module."""
    return [
        (r"/providers", ProvidersHandler, {}),
        (rf"/providers/{_NAME}", ProviderHandler, {}),
        (rf"/providers/{_NAME}/test", ProviderTestHandler, {}),
        (rf"/providers/{_NAME}/check", ProviderCheckHandler, {}),
    ]


def _settings(handler: TurnbookHandler, operation: str) -> dict[str, Any]:
    try:
        return handler.read_json(operation)
    except ApiError as error:
        # The validator may quote what it got, and that may be a key in the wrong place.
        where = error.message.split(": ")[1] if error.code == "bad-request" else "$"
        raise ApiError(
            error.status_code,
            error.code,
            f"The settings do not fit the API at {where[:80]}. They are baseUrl and, optionally, "
            "key, models, continuation, reasoning and timeouts.",
        ) from None


@contextmanager
def _api_errors() -> Iterator[None]:
    try:
        yield
    except NotAllowed as error:
        raise ApiError(403, "forbidden", str(error)) from error
    except BadSettings as error:
        raise ApiError(400, "bad-provider", str(error)) from error
    except NotEditable as error:
        raise ApiError(409, "not-editable", str(error)) from error
    except UnknownProvider as error:
        raise ApiError(404, "unknown-provider", str(error)) from error
    except PrivateFileError as error:
        raise ApiError(500, "key-store", str(error)) from error
