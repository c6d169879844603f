"""Reruns on a Dask cluster of processes: nothing is lost, doubled, or tells a key."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import Folder, settle
from .test_rerun import says
from .test_rerun_ending import requested, start, waits

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


@contextmanager
def process(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of Dask, with the environment of the test; ended with it."""
    made = subprocess.Popen(
        [sys.executable, "-m", "dask", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield made
    finally:
        made.kill()
        made.wait()


class Dask:
    """A scheduler and two workers, each a process that can be killed."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    @contextmanager
    def scheduler(self) -> Iterator[subprocess.Popen[bytes]]:
        options = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard", "--no-show")
        with process("scheduler", *options) as made:
            yield made

    @contextmanager
    def workers(self, count: int = 2) -> Iterator[None]:
        """Workers, once they are there."""
        options = ("--no-nanny", "--no-dashboard", "--nthreads", "1", "--death-timeout", "20")
        made = [
            subprocess.Popen(
                [sys.executable, "-m", "dask", "worker", self.address, *options],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(count)
        ]
        try:
            with distributed.Client(self.address, timeout=20) as client:
                client.wait_for_workers(count, timeout=20)
            yield
        finally:
            for one in made:
                one.kill()
                one.wait()


@pytest.fixture
def dask(folder: Folder) -> Dask:
    return Dask()


def until(holds: Any) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.02)


def states(folder: Folder) -> Counter[str]:
    return Counter(entry["state"] for entry in folder.entries())


def test_a_cluster_gives_the_same_results_and_loses_and_doubles_nothing(
    folder: Folder, dask: Dask
) -> None:
    # One test, since starting a cluster takes seconds.
    with dask.scheduler() as scheduler, dask.workers():
        _same_results(folder, dask)
        _a_killed_worker(folder, dask)
        record = _a_killed_client(folder, dask)
        _a_killed_scheduler(folder, dask, record, scheduler)
    with dask.scheduler(), dask.workers(1):
        assert folder.rerun(record, "--repeat", 5, "--dask", dask.address) == 3
    # A worker that ends for want of a scheduler may still have kept what had come.
    found = states(folder)
    assert found["done"] == 3 and found["unknown"] + found["broken"] == 2
    assert len(folder.bodies()) == 5


def _same_results(folder: Folder, dask: Dask) -> None:
    record = folder.record("Hi")
    there, here = folder.home / "there.ipynb", folder.home / "here.ipynb"
    with pytest.MonkeyPatch.context() as patch:
        # Only the workers have the key, so it cannot have come from here.
        patch.delenv("TEST_KEY")
        assert folder.rerun(record, "--repeat", 12, "--dask", dask.address, out=there) == 0
    assert len(folder.bodies()) == 12
    assert folder.rerun(record, "--repeat", 12, out=there) == 0
    assert len(folder.bodies()) == 12
    assert folder.rerun(record, "--repeat", 12, out=here) == 0
    same = ("key", "request", "state", "reply")
    assert [[entry[key] for key in same] for entry in folder.entries(there)] == [
        [entry[key] for key in same] for entry in folder.entries(here)
    ]
    assert main(["verify", str(there)]) == 0
    assert list(spool(folder).iterdir()) == []
    folder.provider.reset()


def _a_killed_worker(folder: Folder, dask: Dask) -> None:
    folder.provider.script(*[waits("go")] * 4)
    out = folder.home / "killed.ipynb"
    more = ("--out", str(out), "--concurrency", "4", "--dask", dask.address)
    running = start(folder, folder.record("Ho"), *more)
    requested(folder, 4)
    with distributed.Client(dask.address, timeout=20) as client:
        waiting = client.run(lambda dask_worker: len(dask_worker.state.long_running))
        pid = client.run(os.getpid).popitem()[1]
    # Each has its share.
    assert sorted(waiting.values()) == [2, 2]
    os.kill(pid, signal.SIGKILL)
    asyncio.run(folder.provider.hung_up(2, 60))
    folder.provider.release("go")
    assert running.wait(30) == 3
    found = Counter(entry["state"] for entry in folder.entries(out))
    # Dask ran the tasks of the dead worker again; none of them sent anything.
    assert found == {"done": 3, "unknown": 2}
    assert len(folder.bodies()) == 5
    folder.provider.reset()


def _a_killed_client(folder: Folder, dask: Dask) -> Path:
    record = folder.record("He")
    before = len(kept(folder))
    folder.provider.script(*[waits("go")] * 2)
    client = start(folder, record, "--dask", dask.address)
    requested(folder, 2)
    client.kill()
    client.wait()
    folder.provider.release("go")
    # The worker goes on, and keeps what comes.
    until(lambda: len(kept(folder)) == before + 2)
    return record


def _a_killed_scheduler(folder: Folder, dask: Dask, record: Path, scheduler: Any) -> None:
    before = len(kept(folder))
    folder.provider.script(says("Third"), waits("stay"), waits("stay"))
    again = start(folder, record, "--max-requests", "3", "--dask", dask.address)
    requested(folder, 5)
    until(lambda: len(kept(folder)) == before + 1)
    scheduler.kill()
    assert again.wait(30) == 3


def spool(folder: Folder) -> Path:
    return folder.home / "data/turnbook/rerun"


def kept(folder: Folder) -> list[Path]:
    """The answers that workers keep on their disks."""
    return list(spool(folder).glob("*.json"))


def test_an_address_without_a_scheduler_is_reported(
    folder: Folder, dask: Dask, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("jupyterlab_turnbook.rerun.cluster._SECONDS", 0.5)
    assert folder.rerun(folder.record("Hi"), "--dask", dask.address) == 2
    assert "No Dask scheduler" in capsys.readouterr().err
    assert folder.bodies() == []
