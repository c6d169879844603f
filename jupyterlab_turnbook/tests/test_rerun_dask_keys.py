"""What the client gives to a Dask cluster: the keys of providers are in none of it."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import KEY, Folder, settle

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
dask = pytest.importorskip("dask")
tcp = pytest.importorskip("distributed.comm.tcp")

from .test_rerun_dask import Dask  # noqa: E402 - it needs Dask

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


class _Submitted:
    """What a client submits, and the bytes that its process writes to its connections."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tasks: list[bytes] = []
        self.written: list[bytes] = []
        for name in ("submit", "run"):
            monkeypatch.setattr(distributed.Client, name, self._spy(name))
        inner = tcp.to_frames

        async def to_frames(*args: Any, **kwargs: Any) -> Any:
            frames = await inner(*args, **kwargs)
            self.written += [bytes(frame) for frame in frames]
            return frames

        monkeypatch.setattr(tcp, "to_frames", to_frames)

    def _spy(self, name: str) -> Any:
        inner = getattr(distributed.Client, name)

        def spy(client: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
            self.tasks.append(pickle.dumps((function, args, kwargs)))
            return inner(client, function, *args, **kwargs)

        return spy


def test_no_key_is_in_what_is_submitted(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The client has the key, too: in its environment, and in its configuration.
    folder = settle(Folder(tmp_path, provider), monkeypatch.setenv)
    folder.configure(other={"base_url": provider.url, "api_key": KEY})
    record = folder.record("Nothing else travels")
    cluster = Dask()
    with cluster.scheduler(), cluster.workers(1):
        submitted = _Submitted(monkeypatch)
        # Compressed bytes could hide one.
        with dask.config.set({"distributed.comm.compression": None}):
            models = ("--model", "test/scripted,other/scripted")
            assert folder.rerun(record, *models, "--dask", cluster.address) == 0
    sent = folder.provider.completions()
    assert len(sent) == 2
    for seen in (submitted.tasks, submitted.written):
        everything = b"".join(seen)
        # It does look at what travels.
        assert b"Nothing else travels" in everything
        assert KEY.encode() not in everything
