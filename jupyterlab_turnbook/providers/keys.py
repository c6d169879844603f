"""Stores the keys of providers that were added in the UI.

A key is bound to the base URL it was entered for and is not found under any other, so it can never
be sent to another host.
"""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from .private_file import PrivateFile

SERVICE = "jupyterlab-turnbook"

T = TypeVar("T")


class KeyStore(Protocol):
    """Stores keys. Its methods may block, so they are called in threads."""

    @property
    def description(self) -> str:
        """Where new keys are stored, as shown to the user."""

    def get(self, name: str, base_url: str) -> str | None:
        """The key of a provider at this base URL."""

    def set(self, name: str, base_url: str, key: str) -> None:
        """Store a key, replacing any other of this provider."""

    def delete(self, name: str) -> None:
        """Delete a provider's key."""


class FileKeyStore:
    """Keys in a file that only the user can read."""

    def __init__(self, path: Path, log: logging.Logger) -> None:
        self._file = PrivateFile(path, log)

    @property
    def description(self) -> str:
        """Where new keys are stored."""
        return f"the file {self._file.path}, readable by you alone"

    def get(self, name: str, base_url: str) -> str | None:
        """The key of a provider at this base URL."""
        entry = self._file.read().get(name)
        if not isinstance(entry, dict) or entry.get("base_url") != base_url:
            return None
        key = entry.get("key")
        return key if isinstance(key, str) else None

    def set(self, name: str, base_url: str, key: str) -> None:
        """Store a key, replacing any other of this provider."""

        def change(keys: dict[str, Any]) -> None:
            keys[name] = {"base_url": base_url, "key": key}

        self._file.update(change)

    def delete(self, name: str) -> None:
        """Delete a provider's key."""
        if name in self._file.read():
            self._file.update(lambda keys: keys.pop(name, None))


class KeyringKeyStore:
    """Stores keys in the system's keyring, or in a file if the keyring fails.

    A locked keyring blocks forever, so each call has a time limit; after a failure the file is used
    until the server restarts.
    """

    def __init__(self, file: FileKeyStore, log: logging.Logger, timeout: float = 5.0) -> None:
        self._file = file
        self._log = log
        self._timeout = timeout
        self._broken: str | None = None

    @property
    def description(self) -> str:
        """Where new keys are stored."""
        if self._broken is None:
            return "the system's keyring"
        return f"{self._file.description}, because the keyring {self._broken}"

    def get(self, name: str, base_url: str) -> str | None:
        """The key of a provider at this base URL, from the file or the keyring."""
        # A key in the file is newer: storing one in the keyring deletes it from the file.
        newer = self._file.get(name, base_url)
        if newer is not None:
            return newer
        user = _user(name, base_url)
        found = self._ask(lambda keyring: keyring.get_password(SERVICE, user), None)
        return found if isinstance(found, str) else None

    def set(self, name: str, base_url: str, key: str) -> None:
        """Store a key in the keyring, or in the file if that fails."""
        user = _user(name, base_url)

        def put(keyring: Any) -> bool:
            _forget(keyring, name)
            keyring.set_password(SERVICE, user, key)
            keyring.set_password(SERVICE, name, base_url)
            return True

        if self._ask(put, False):
            self._file.delete(name)
        else:
            self._file.set(name, base_url, key)

    def delete(self, name: str) -> None:
        """Delete a provider's key from both places."""
        self._ask(lambda keyring: _forget(keyring, name), None)
        self._file.delete(name)

    def _ask(self, work: Callable[[Any], T], otherwise: T) -> T:
        if self._broken is not None:
            return otherwise
        answers: list[T] = []
        errors: list[Exception] = []

        def call() -> None:
            try:
                answers.append(work(importlib.import_module("keyring")))
            except Exception as error:  # noqa: BLE001 (back ends may raise anything)
                errors.append(error)

        thread = threading.Thread(target=call, daemon=True, name="turnbook-keyring")
        thread.start()
        thread.join(self._timeout)
        if answers:
            return answers[0]
        if not errors:
            self._broken = f"did not answer within {self._timeout:g} s (is it locked?)"
        elif isinstance(errors[0], ImportError):
            self._broken = "package is not installed (pip install keyring)"
        else:
            # The error's text comes from a back end and might quote the key.
            self._broken = f"failed with {type(errors[0]).__name__}"
        self._log.warning("turnbook: the keyring %s; keys are kept in a file", self._broken)
        return otherwise


def open_key_store(kind: Literal["file", "keyring"], path: Path, log: logging.Logger) -> KeyStore:
    """The key store that `c.TurnbookApp.key_store` names; `path` is its file."""
    file = FileKeyStore(path, log)
    return KeyringKeyStore(file, log) if kind == "keyring" else file


def _forget(keyring: Any, name: str) -> None:
    # A keyring cannot be listed, so the base URL is stored there too, under the name.
    base_url = keyring.get_password(SERVICE, name)
    if base_url is None:
        return
    # It may have been removed by hand, and deleting a missing entry raises an error.
    if keyring.get_password(SERVICE, _user(name, base_url)) is not None:
        keyring.delete_password(SERVICE, _user(name, base_url))
    keyring.delete_password(SERVICE, name)


def _user(name: str, base_url: str) -> str:
    return f"{name} {base_url}"
