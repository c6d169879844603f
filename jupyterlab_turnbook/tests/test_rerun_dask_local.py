"""``--dask local``: workers of this machine, each a process, send as one process would."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from jupyterlab_turnbook.rerun.reading import verify_results
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import Folder, payload_of, settle
from .test_rerun import fails

pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="as the other tests of Dask")

SAME = ("key", "record", "request", "model", "repeat", "state", "reply")


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


def test_workers_of_this_machine_send_nothing_twice_and_give_the_same_results(
    folder: Folder,
) -> None:
    records = [folder.record(text) for text in ("Hi", "Ho")]
    there, here = folder.home / "there.ipynb", folder.home / "here.ipynb"
    arguments = (*records, "--model", "test/a,test/b", "--repeat", 10)
    folder.provider.script(*[fails(429, **{"Retry-After": "0.05"})] * 3, model="a")
    assert folder.rerun(*arguments, "--dask", "local", out=there) == 0
    sent = Counter(folder.bodies())
    payloads = [payload_of(text, model=name) for text in ("Hi", "Ho") for name in "ab"]
    assert set(sent) == {payload.encode() for payload in payloads}
    # What was refused was sent once more, and nothing else.
    assert sum(sent.values()) == 43
    assert sum(entry["attempts"] for entry in folder.entries(there)) == 43
    assert all(sent[payload.encode()] == 10 for payload in payloads if '"b"' in payload)
    # Workers have sent them, and have kept none that is in the store.
    assert list((folder.home / "data/turnbook/rerun").iterdir()) == []
    # One process finds all of them in the store.
    assert folder.rerun(*arguments, out=there) == 0
    assert len(folder.bodies()) == 43
    assert folder.rerun(*arguments, out=here) == 0
    assert len(folder.bodies()) == 83
    assert [[entry[name] for name in SAME] for entry in folder.entries(there)] == [
        [entry[name] for name in SAME] for entry in folder.entries(here)
    ]
    for out in (there, here):
        found = verify_results(out)
        assert found.problems == [] and "40 responses" in found.notes[-1]
