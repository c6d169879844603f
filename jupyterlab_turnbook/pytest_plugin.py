"""Fixtures for tests of Turnbook and of extensions built on it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .local import fetch
from .local.files import fetched_path, find_model
from .scripted_provider import ScriptedProvider, ThreadedScriptedProvider


@pytest.fixture
def scripted_provider() -> Iterator[ThreadedScriptedProvider]:
    """A scripted provider on its own event loop; works in plain tests and with `jp_fetch`."""
    provider = ThreadedScriptedProvider()
    provider.start()
    yield provider
    provider.stop()


@pytest.fixture
def make_scripted_provider() -> Iterator[Callable[..., ThreadedScriptedProvider]]:
    """A factory of scripted providers, for instance `make_scripted_provider(key="…")`."""
    made: list[ThreadedScriptedProvider] = []

    def make(*, key: str | None = None) -> ThreadedScriptedProvider:
        provider = ThreadedScriptedProvider(key=key)
        provider.start()
        made.append(provider)
        return provider

    yield make
    for provider in made:
        provider.stop()


@pytest.fixture
def async_scripted_provider(
    jp_asyncio_loop: asyncio.AbstractEventLoop,
) -> Iterator[ScriptedProvider]:
    """A scripted provider on the event loop of the test and its server."""
    provider = ScriptedProvider()
    jp_asyncio_loop.run_until_complete(provider.start())
    yield provider
    jp_asyncio_loop.run_until_complete(provider.stop())


@pytest.fixture(scope="session")
def embedded_model() -> Path:
    """The embedded model's file: the one in `TURNBOOK_MODEL`, else the fetched one."""
    given = os.environ.get("TURNBOOK_MODEL")
    if given:
        path = Path(given)
        assert path.is_file(), f"TURNBOOK_MODEL names {given}, which is not a file."
        return path
    data_dir = fetch.default_data_dir()
    found = find_model("", data_dir)
    return found or asyncio.run(fetch.fetch_model(data_dir, fetch.Progress()))


@pytest.fixture
def embedded_data_dir(embedded_model: Path, tmp_path: Path) -> Path:
    """A Turnbook data folder that contains only the embedded model."""
    data_dir = tmp_path / "turnbook"
    place = fetched_path(data_dir)
    place.parent.mkdir(parents=True)
    place.symlink_to(embedded_model.resolve())
    return data_dir
