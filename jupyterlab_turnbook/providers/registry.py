"""All providers by name, from every source."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..local.errors import LocalFailed, LocalMissing
from ..local.models import LocalModels
from .base_url import check_allowed, check_base_url
from .configured import from_config, from_environment
from .keys import KeyStore
from .log_guard import GUARD
from .presets import PRESETS
from .private_file import PrivateFile, PrivateFileError
from .provider import (
    LOCAL,
    BadSettings,
    Continuation,
    Provider,
    Source,
    Timeouts,
    check_continuation,
    check_key,
    check_models,
    check_name,
    check_reasoning,
    check_timeouts,
)

__all__ = [
    "LOCAL",
    "BadSettings",
    "Continuation",
    "LocalFailed",
    "LocalMissing",
    "NotAllowed",
    "NotEditable",
    "Provider",
    "ProviderRegistry",
    "Source",
    "Timeouts",
    "UnknownProvider",
]


class UnknownProvider(KeyError):
    """No provider has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.message = f"There is no provider named {name[:64]}. Choose another, or add it."

    def __str__(self) -> str:
        return self.message


class NotAllowed(BadSettings):
    """Users may not set providers on this server."""


class NotEditable(Exception):
    """The provider was set by the server's configuration or environment."""


class ProviderRegistry:
    """The embedded model, the server's own providers and those that users added.

    The server's own providers take precedence over a user's provider of the same name.
    """

    def __init__(
        self,
        configured: Mapping[str, Any],
        allowed_base_urls: list[str],
        keys: KeyStore,
        store_path: Path,
        local: LocalModels,
        environ: Mapping[str, str],
        log: logging.Logger,
        *,
        user_providers: bool = True,
    ) -> None:
        self.user_providers = user_providers
        """Whether there are providers that users added."""
        self.changes = 0
        """How often a provider or its key was changed or deleted; counted before anybody is told."""
        self._fixed = {
            **from_environment(environ, allowed_base_urls, log),
            **from_config(configured, environ, allowed_base_urls, log),
        }
        self._allowed = allowed_base_urls
        self._keys = keys
        self._store = PrivateFile(store_path, log)
        self._local = local
        self._log = log
        GUARD.watch(log)
        for provider in self._fixed.values():
            GUARD.hide(provider)

    @property
    def key_store(self) -> str:
        """Where new keys are stored, as shown to the user."""
        return self._keys.description

    @property
    def local(self) -> LocalModels:
        """The models that run on this machine."""
        return self._local

    def get(self, name: str) -> Provider:
        """A provider; use `prepare` to get a user's provider with its key."""
        if name == LOCAL:
            return self._local_provider("", None)
        found = self._fixed.get(name)
        if found is None:
            record = self._records().get(name)
            found = self._from_record(name, record) if record is not None else None
        if found is None:
            raise UnknownProvider(name)
        return found

    def all(self) -> list[Provider]:
        """All providers: the embedded model, then the server's own, then users' sorted by name."""
        users = [
            self._from_record(name, record)
            for name, record in sorted(self._records().items())
            if name not in self._fixed
        ]
        added = [provider for provider in users if provider is not None]
        return [self._local_provider("", None), *self._fixed.values(), *added]

    def names(self) -> set[str]:
        """The names that are taken, also those of providers that are left out of `all`."""
        return {LOCAL, *self._fixed, *self._records()}

    async def prepare(self, name: str, model: str = "") -> Provider:
        """A provider ready for a request: with its key, and with a local model started.

        Raises `UnknownProvider`, `LocalMissing` or `LocalFailed`.
        """
        if name == LOCAL:
            endpoint = await self._local.ensure(model)
            provider = self._local_provider(endpoint.base_url, endpoint.key)
            GUARD.hide(provider)
            return provider
        # The server's own providers are in memory, so they need no thread.
        provider = (
            self._fixed[name] if name in self._fixed else await asyncio.to_thread(self.get, name)
        )
        return await self.with_key(provider)

    async def check(self, name: str, model: str) -> None:
        """Raise `UnknownProvider` or `LocalMissing` if a run with this provider cannot start."""
        if name not in self._fixed:
            await asyncio.to_thread(self._check, name, model)

    async def with_key(self, provider: Provider) -> Provider:
        """The provider, with its stored key if a user added it."""
        if provider.source == "user":
            key = await asyncio.to_thread(self._stored_key, provider)
            provider = replace(provider, key=key)
            GUARD.hide(provider)
        return provider

    def _check(self, name: str, model: str) -> None:
        self.get(name)
        missing = self._local.missing(model) if name == LOCAL else None
        if missing is not None:
            raise LocalMissing(missing)

    def editable(self, name: str) -> bool:
        """Whether the user may change or delete it."""
        return self.user_providers and name != LOCAL and name not in self._fixed

    async def put(self, name: str, given: Mapping[str, Any]) -> tuple[Provider, str | None]:
        """Store a provider, given as `ProviderInput`; returns it and a note for the user.

        Without `key`, the stored key is kept, but only for the base URL it was entered for.
        """
        self._check_editable(name)
        provider = self.unsaved(name, given)
        note = None
        if "key" not in given:
            had = await self._had_key(name)
            provider = await self.with_key(provider)
            if had and provider.key is None:
                note = (
                    "The stored key belonged to another base URL and was removed, so that it "
                    "cannot be sent elsewhere. Enter the key for this one."
                )
        GUARD.hide(provider)
        try:
            await asyncio.to_thread(self._write, provider)
        finally:
            self.changes += 1
        return provider, note

    def unsaved(self, name: str, given: Mapping[str, Any]) -> Provider:
        """A provider with these settings, checked but not stored."""
        self._check_users()
        base_url = check_base_url(given.get("baseUrl"))
        check_allowed(base_url, self._allowed)
        return Provider(
            name=name,
            base_url=base_url,
            key=check_key(given.get("key")),
            headers={},
            timeouts=check_timeouts(given.get("timeouts")),
            continuation=check_continuation(given.get("continuation")),
            source="user",
            models=check_models(given.get("models")),
            reasoning=check_reasoning(given.get("reasoning")),
        )

    async def for_test(self, name: str, given: Mapping[str, Any]) -> Provider:
        """Unsaved settings with the key they would be used with.

        A stored key is used only if none is given and the base URL is the stored one.
        """
        provider = self.unsaved(check_name(name), given)
        if "key" not in given:
            fixed = self._fixed.get(name)
            if fixed is None:
                provider = await self.with_key(provider)
            elif fixed.base_url == provider.base_url:
                provider = replace(provider, key=fixed.key, headers=fixed.headers)
        GUARD.hide(provider)
        return provider

    async def delete(self, name: str) -> None:
        """Delete a provider and its key."""
        self._check_editable(name)
        try:
            await asyncio.to_thread(self._remove, name)
        finally:
            self.changes += 1

    async def view(self) -> dict[str, Any]:
        """The contract's `ProviderList`."""
        providers = [await self.with_key(each) for each in await asyncio.to_thread(self.all)]
        return {
            "providers": [self.describe(provider) for provider in providers],
            "presets": [preset.json() for preset in PRESETS],
            "keyStore": self.key_store,
            "canAdd": self.user_providers,
        }

    def describe(self, provider: Provider) -> dict[str, Any]:
        """The contract's `Provider`, which says only whether there is a key."""
        return {
            "name": provider.name,
            "baseUrl": provider.base_url,
            "key": "unset" if provider.key is None else "set",
            "source": provider.source,
            "editable": self.editable(provider.name),
            "models": None if provider.models is None else list(provider.models),
            "continuation": provider.continuation,
            "reasoning": provider.reasoning,
            "timeouts": asdict(provider.timeouts),
        }

    async def _had_key(self, name: str) -> bool:
        try:
            stored = await asyncio.to_thread(self.get, name)
        except UnknownProvider:
            return False
        return (await self.with_key(stored)).key is not None

    def _check_users(self) -> None:
        if not self.user_providers:
            raise NotAllowed(
                "The administrator of this server sets its providers. Choose one of them, or ask "
                "for another."
            )

    def _check_editable(self, name: str) -> None:
        self._check_users()
        check_name(name)
        if name in self._fixed:
            raise NotEditable(
                f"The provider {name} is set by the server's configuration or environment. "
                "Change it there, or choose another name."
            )

    def _local_provider(self, base_url: str, key: str | None) -> Provider:
        return Provider(
            name=LOCAL,
            base_url=base_url,
            key=key,
            headers={},
            timeouts=Timeouts(),
            continuation="prefill",
            source="local",
            models=(self._local.embedded.model,),
        )

    def _records(self) -> dict[str, Any]:
        if not self.user_providers:
            return {}
        try:
            return self._store.read()
        except PrivateFileError as error:
            self._log.error("turnbook: the providers added in the UI cannot be read: %s", error)
            return {}

    def _from_record(self, name: str, record: Any) -> Provider | None:
        try:
            if not isinstance(record, Mapping):
                raise BadSettings("its entry is not an object.")
            fields = {field: record[field] for field in record if field != "key"}
            return self.unsaved(check_name(name), fields)
        except BadSettings as error:
            self._log.warning("turnbook: the provider %r is left out: %s", name, error)
            return None

    def _stored_key(self, provider: Provider) -> str | None:
        try:
            return self._keys.get(provider.name, provider.base_url)
        except PrivateFileError as error:
            self._log.error("turnbook: provider %s has no key: %s", provider.name, error)
            return None

    def _write(self, provider: Provider) -> None:
        record = {
            "baseUrl": provider.base_url,
            "models": None if provider.models is None else list(provider.models),
            "continuation": provider.continuation,
            "reasoning": provider.reasoning,
            "timeouts": asdict(provider.timeouts),
        }
        self._store.update(lambda records: records.update({provider.name: record}))
        if provider.key is None:
            self._keys.delete(provider.name)
        else:
            self._keys.set(provider.name, provider.base_url, provider.key)

    def _remove(self, name: str) -> None:
        if name not in self._store.read():
            raise UnknownProvider(name)
        self._keys.delete(name)
        self._store.update(lambda records: records.pop(name, None))
