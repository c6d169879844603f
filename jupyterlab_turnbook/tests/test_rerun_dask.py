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

from .rerun_support import KEY, Folder, settle
from .test_rerun import says
from .test_rerun_ending import start, waits

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
    def workers(self, count: int = 2) -> Iterator[dict[int, subprocess.Popen[bytes]]]:
        """The workers by pid, once they are there."""
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
            yield {one.pid: one for one in made}
        finally:
            for one in made:
                one.kill()
                one.wait()


@pytest.fixture
def dask(folder: Folder) -> Dask:
    return Dask()


def until(holds: Any) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline, "it does not happen"
        time.sleep(0.02)


def states(folder: Folder) -> Counter[str]:
    return Counter(entry["state"] for entry in folder.entries())


def test_a_cluster_gives_the_same_results_and_shares_the_store(folder: Folder, dask: Dask) -> None:
    record = folder.record("Hi")
    here = folder.home / "here.ipynb"
    with dask.scheduler(), dask.workers() as workers:
        assert folder.rerun(record, "--repeat", 12, "--dask", dask.address) == 0
        assert len(folder.bodies()) == 12
        assert folder.rerun(record, "--repeat", 12) == 0
        assert len(folder.bodies()) == 12
        assert folder.rerun(record, "--repeat", 12, out=here) == 0
        same = ("key", "request", "state", "reply")
        assert [[entry[key] for key in same] for entry in folder.entries()] == [
            [entry[key] for key in same] for entry in folder.entries(here)
        ]
        assert main(["verify", str(folder.out)]) == 0
        spool = folder.home / "data/turnbook/rerun"
        assert list(spool.iterdir()) == []
        _a_killed_worker(folder, dask, workers)


def _a_killed_worker(folder: Folder, dask: Dask, workers: dict[int, Any]) -> None:
    """Part of the test above, since starting a cluster takes seconds."""
    folder.provider.reset()
    folder.provider.script(*[waits("go")] * 4)
    record = folder.record("Ho")
    out = folder.home / "killed.ipynb"
    running = start(folder, record, "--out", str(out), "--concurrency", "4", "--dask", dask.address)
    asyncio.run(folder.provider.requested(4))
    dead = next(iter(workers))
    os.kill(dead, signal.SIGKILL)
    asyncio.run(folder.provider.hung_up(1))
    folder.provider.release("go")
    assert running.wait(30) == 3
    found = Counter(entry["state"] for entry in folder.entries(out))
    lost = sum(one.closed for one in folder.provider.completions())
    assert 1 <= lost <= 4
    # Dask ran the tasks of the dead worker again; none of them sent anything.
    assert found == {"done": 5 - lost, "unknown": lost}
    assert len(folder.bodies()) == 5


def test_a_killed_client_and_a_killed_scheduler_lose_nothing(folder: Folder, dask: Dask) -> None:
    record = folder.record("Hi")
    spool = folder.home / "data/turnbook/rerun"
    more = ("--dask", dask.address)
    with dask.scheduler() as scheduler, dask.workers():
        folder.provider.script(*[waits("go")] * 2)
        client = start(folder, record, *more)
        asyncio.run(folder.provider.requested(2))
        client.kill()
        client.wait()
        folder.provider.release("go")
        # The workers go on, and keep what comes.
        until(lambda: len(list(spool.glob("*.json"))) == 2)
        folder.provider.script(says("Third"), waits("stay"), waits("stay"))
        again = start(folder, record, "--max-requests", "3", *more)
        asyncio.run(folder.provider.requested(5))
        until(lambda: len(list(spool.glob("*.json"))) == 3)
        scheduler.kill()
        assert again.wait(30) == 3
    assert states(folder) == {"done": 3, "unknown": 2}
    with dask.scheduler(), dask.workers(1):
        assert folder.rerun(record, "--repeat", 5, *more) == 3
    # A worker that ends for want of a scheduler may still have kept what had come.
    found = states(folder)
    assert found["done"] == 3 and found["unknown"] + found["broken"] == 2
    assert len(folder.bodies()) == 5


def test_keys_are_in_no_argument_of_a_task(folder: Folder, monkeypatch: Any) -> None:
    from jupyterlab_turnbook.rerun import cluster, plan

    given: list[Any] = []

    class Client:
        def submit(self, *arguments: Any, **options: Any) -> Any:
            given.append((arguments, options))
            raise asyncio.CancelledError

    record = plan.read_record(folder.record("Hi"))
    wanted = plan.make_plan([record], [], [], 1, lambda name: False).wanted[0]
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cluster.Cluster(Client(), None, 5).send("attempt", wanted))
    assert KEY not in repr(given) and "Hi" in repr(given)


def test_an_address_without_a_scheduler_is_reported(
    folder: Folder, dask: Dask, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("jupyterlab_turnbook.rerun.cluster._SECONDS", 0.5)
    assert folder.rerun(folder.record("Hi"), "--dask", dask.address) == 2
    assert "No Dask scheduler" in capsys.readouterr().err
    assert folder.bodies() == []
