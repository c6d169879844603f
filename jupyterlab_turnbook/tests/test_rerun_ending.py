"""A rerun that is ended from outside loses nothing and sends nothing twice."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from jupyterlab_turnbook.rerun.answer import Answer
from jupyterlab_turnbook.rerun.costs import Costs
from jupyterlab_turnbook.rerun.limits import Budget
from jupyterlab_turnbook.rerun.plan import Record, Wanted, make_plan
from jupyterlab_turnbook.rerun.runner import Options, Runner
from jupyterlab_turnbook.rerun.store import Store
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import KEY, Folder, payload_of, settle
from .test_rerun import says

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


def start(folder: Folder, record: Path, *more: str) -> subprocess.Popen[str]:
    """Rerun a record five times, two at once, in a process of its own."""
    command = [sys.executable, "-m", "jupyterlab_turnbook.command", "rerun", str(record)]
    command += ["--out", str(folder.out), "--repeat", "5", "--concurrency", "2", *more]
    environment = {**os.environ, **folder.environment, "TEST_KEY": KEY}
    del environment["JUPYTER_NO_CONFIG"]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def requested(folder: Folder, count: int) -> None:
    """Wait until the provider has got so many requests; a process starts slowly on a busy machine."""
    assert len(asyncio.run(folder.provider.requested(count, 60))) == count


def waits(gate: str) -> dict[str, object]:
    return {"steps": [{"delta": "One"}, {"wait": gate}, *says(" two")["steps"]]}


def until_said(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    pytest.fail(f"it ended before it said {words!r}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_waits_for_what_is_under_way(folder: Folder, number: int) -> None:
    folder.provider.script(waits("go"), waits("go"))
    record = folder.record("Hi")
    process = start(folder, record)
    requested(folder, 2)
    process.send_signal(number)
    until_said(process, "2 requests under way are waited for")
    folder.provider.release("go")
    assert process.wait(60) == 130
    assert Counter(entry["state"] for entry in folder.entries()) == {"done": 2, "missing": 3}
    assert folder.rerun(record, "--repeat", 5) == 0
    assert len(folder.bodies()) == 5


def test_the_second_signal_does_not_wait_and_says_what_is_unknown(folder: Folder) -> None:
    folder.provider.script(waits("go"), waits("go"))
    record = folder.record("Hi")
    process = start(folder, record)
    requested(folder, 2)
    process.send_signal(signal.SIGINT)
    until_said(process, "are waited for")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    states = Counter(entry["state"] for entry in folder.entries())
    # The first word of a reply may have come or not.
    assert (states["missing"], states["broken"] + states["unknown"]) == (3, 2)
    assert folder.rerun(record, "--repeat", 5) == 3
    assert len(folder.bodies()) == 5
    assert folder.rerun(record, "--repeat", 5, "--again") == 0
    assert len(folder.bodies()) == 7


class _Counting:
    """A backend that sends nothing."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def send(self, attempt: str, wanted: Wanted) -> Answer:
        self.sent.append(attempt)
        raise AssertionError("It was stopped before.")

    async def collect(self, attempts: list[str]) -> dict[str, Answer]:
        return {}

    async def forget(self, attempts: list[str]) -> None: ...

    async def close(self) -> None: ...


async def test_what_is_left_before_it_is_sent_is_missing_not_unknown(tmp_path: Path) -> None:
    record = Record("r", payload_of("Hi"), "0" * 64, "p", "m")
    plan = make_plan([record], [], [], 3, lambda name: False)
    store = Store(tmp_path / "store.sqlite")
    await store.open()
    backend = _Counting()
    runner = Runner(plan, store, backend, Costs({}), Budget(), Options())
    missing = await runner.prepare()
    # The disk is slow.
    blocked, go = threading.Event(), threading.Event()

    def write() -> None:
        blocked.set()
        go.wait()

    store._thread.submit(write)
    running = asyncio.ensure_future(runner.run(missing))
    await asyncio.to_thread(blocked.wait)
    while not store._writing:
        await asyncio.sleep(0)
    runner.leave()
    go.set()
    await running
    assert backend.sent == []
    assert await store.open_ends() == []
    assert len(await runner.prepare()) == 3
    await store.close()
