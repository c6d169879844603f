"""A server does not go through all that it has loaded while replies stream."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from jupyter_server.serverapp import ServerApp

from jupyterlab_turnbook import app
from jupyterlab_turnbook.base import garbage


@pytest.fixture
def _unspared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(garbage, "_spared", False)
    gc.unfreeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("_unspared")
def test_what_is_loaded_is_spared_once() -> None:
    loaded = len(gc.get_objects())
    garbage.spare_loaded()
    spared = gc.get_freeze_count()
    assert spared > loaded // 2
    assert len(gc.get_objects()) < loaded // 10
    # What comes later, such as another server in this process, is garbage one day.
    later: list[list[int]] = [[] for _ in range(1000)]
    garbage.spare_loaded()
    assert gc.get_freeze_count() <= spared
    assert len(later) == 1000


async def test_a_server_that_starts_spares_what_it_has_loaded(
    jp_serverapp: ServerApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[bool] = []
    monkeypatch.setattr(app, "spare_loaded", lambda: calls.append(True))
    [extension] = jp_serverapp.extension_manager.extension_apps["jupyterlab_turnbook"]
    await extension._start_jupyter_server_extension(jp_serverapp)
    assert calls == [True]
