"""Reruns on a Dask cluster of processes: nothing is lost, doubled, or tells a key."""

from __future__ import annotations

import asyncio
import os
import signal
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

from .ports import lasting_port
from .rerun_support import KEY, Folder, payload_of, settle
from .test_rerun import says
from .test_rerun_ending import requested, start, waits

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
worker = pytest.importorskip("jupyterlab_turnbook.rerun.worker")

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
        self.port = lasting_port()

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
        options = ("--no-nanny", "--no-dashboard", "--nthreads", "1", "--death-timeout", "60")
        made = [
            subprocess.Popen(
                [sys.executable, "-m", "dask", "worker", self.address, *options],
                # Not where the sources may be.
                cwd="/",
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(count)
        ]
        try:
            with distributed.Client(self.address, timeout=60) as client:
                client.wait_for_workers(count, timeout=60)
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
        _a_corrected_key(folder, dask)
        _a_task_that_is_run_again(folder, dask)
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


def _a_corrected_key(folder: Folder, dask: Dask) -> None:
    record, out = folder.record("Who"), folder.home / "who.ipynb"
    arguments = (record, "--model", "other/scripted", "--dask", dask.address)
    for key, code in (("sk-wrong-0123456789", 3), (KEY, 0)):
        folder.configure(other={"base_url": folder.provider.url, "api_key": key})
        assert folder.rerun(*arguments, out=out) == code
    folder.provider.reset()


def _a_task_that_is_run_again(folder: Folder, dask: Dask) -> None:
    body = payload_of("Hm").encode()
    with distributed.Client(dask.address, timeout=60) as client:
        address, name = client.run(worker.prepare).popitem()

        def run(process: str) -> Any:
            given = ("attempt", process, "test", "scripted", body, 20)
            task = client.submit(worker.send, *given, workers=[address], pure=False)
            return task.result(timeout=60)

        # One that was for another process sends nothing, and none is sent a second time.
        with pytest.raises(worker.NotMine):
            run("another")
        assert folder.bodies() == []
        assert run(name)["state"] == "done"
        with pytest.raises(worker.NotMine):
            run(name)
        assert folder.bodies() == [body]
        client.run(worker.forget, ["attempt"])
    folder.provider.reset()


def _a_killed_worker(folder: Folder, dask: Dask) -> None:
    folder.provider.script(*[waits("go")] * 4)
    out = folder.home / "killed.ipynb"
    more = ("--out", str(out), "--concurrency", "4", "--dask", dask.address)
    running = start(folder, folder.record("Ho"), *more)
    requested(folder, 4)
    with distributed.Client(dask.address, timeout=60) as client:
        waiting = client.run(lambda dask_worker: len(dask_worker.state.long_running))
        pid = client.run(os.getpid).popitem()[1]
    # Each has its share.
    assert sorted(waiting.values()) == [2, 2]
    os.kill(pid, signal.SIGKILL)
    asyncio.run(folder.provider.hung_up(2, 60))
    folder.provider.release("go")
    assert running.wait(60) == 3
    found = Counter(entry["state"] for entry in folder.entries(out))
    # What the dead worker had is not sent by the other.
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
    assert again.wait(60) == 3


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
    assert not folder.out.with_name("results.rerun.sqlite").exists()


def test_an_address_whose_workers_cannot_send_is_reported(
    folder: Folder, dask: Dask, capsys: Any
) -> None:
    # An installation without the part that sends.
    other = folder.home / "other/jupyterlab_turnbook"
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    with dask.scheduler(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(other.parent))
        with dask.workers(1):
            assert folder.rerun(folder.record("Hi"), "--dask", dask.address) == 2
    said = capsys.readouterr().err
    assert "No worker at" in said and "Install and set up Turnbook" in said
    assert folder.bodies() == []


class _Counted:
    """A semaphore that counts what is asked of it."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self.asked = 0
        self.changed = asyncio.Event()

    async def acquire(self) -> None:
        self.asked += 1
        while self.held == self.most:
            self.changed.clear()
            await self.changed.wait()
        self.held += 1

    async def release(self) -> None:
        self.held -= 1
        self.changed.set()


def test_a_lease_serves_several_requests_and_others_have_their_turn() -> None:
    async def run() -> None:
        semaphore = _Counted(2)
        one, other = worker.Leases(semaphore), worker.Leases(semaphore)
        ended = Counter[str]()

        async def requests(name: str, leases: Any, count: int) -> None:
            for _ in range(count):
                await leases.acquire()
                assert semaphore.held <= 2
                await asyncio.sleep(0)
                leases.release()
                ended[name] += 1

        await requests("one", one, 100)
        assert semaphore.asked <= 25
        many = asyncio.gather(*(requests("one", one, 500) for _ in range(2)))
        # The other process gets what it needs while the first would always have a use for it.
        await asyncio.wait_for(requests("other", other, 20), 20)
        assert ended["other"] == 20
        await many
        # None is kept by those who do nothing.
        deadline = time.monotonic() + 10
        while semaphore.held:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)

    asyncio.run(run())
