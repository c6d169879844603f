"""A rerun is killed at every write, and while its requests are under way."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from jupyterlab_turnbook.records.make import write
from jupyterlab_turnbook.tests.rerun_support import payload_of, record_of

from .server import ROOT
from .tally import compare
from .turn import Turn
from .world import World

_RECORDS = 4
_AT_ONCE = 2


class Rerunner:
    """The process that forks reruns; one runs at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def start(self, job: dict[str, Any]) -> int:
        """Start a rerun; returns its pid."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        await self._process.stdin.drain()
        return int((await self._read())["pid"])

    async def ended(self) -> int:
        """The exit code; negative for a signal."""
        return int((await self._read())["status"])

    async def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line: dict[str, Any] = json.loads(await self._process.stdout.readline())
        return line


@asynccontextmanager
async def _rerunner() -> AsyncIterator[Rerunner]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "faults.rerunner",
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    await process.stdout.readline()
    try:
        yield Rerunner(process)
    finally:
        process.stdin.close()
        await process.wait()


class Case:
    """Some records in a folder of their own, each with a model of its own."""

    def __init__(self, world: World, runner: Rerunner, name: str, *, paced: bool = False) -> None:
        self.world = world
        self.runner = runner
        self.home = world.home / "reruns" / name
        (self.home / "config").mkdir(parents=True)
        providers = {"default": {"base_url": world.provider.url}}
        settings = json.dumps({"TurnbookApp": {"providers": providers}})
        (self.home / "config/jupyter_server_config.json").write_text(settings)
        turns = [world.turn(words=4, paced=paced) for _ in range(_RECORDS)]
        # In the order of their files, which is that of the requests.
        self.turns = sorted(turns, key=lambda turn: turn.model)
        for turn in self.turns:
            payload = payload_of("Say it.", model=turn.model)
            write(record_of(payload, "default"), self.home / f"{turn.model}.replay.ipynb")

    async def start(self, *more: str, **hooks: Any) -> int:
        """Start the rerun of all records; returns its pid."""
        out = str(self.home / "results.ipynb")
        common = ["--concurrency", str(_AT_ONCE), "--progress", "none"]
        environment = {
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
        }
        return await self.runner.start(
            {
                "arguments": ["rerun", str(self.home), "--out", out, *common, *more],
                "environment": environment,
                "log": str(self.home / "log.txt"),
                "hooks": hooks,
            }
        )

    async def run(self, *more: str, **hooks: Any) -> int:
        """Run it to its end; returns the exit code."""
        await self.start(*more, **hooks)
        return await self.runner.ended()

    @property
    def writes(self) -> int:
        """How many writes the last rerun made that came to its end."""
        return int((self.home / "log.writes").read_text())

    def entries(self) -> dict[str, Any]:
        """The results by model."""
        notebook = json.loads((self.home / "results.ipynb").read_text())
        found = [cell["metadata"].get("turnbook_result") for cell in notebook["cells"]]
        return {entry["model"]: entry for entry in found if entry is not None}

    def requests(self) -> Counter[str]:
        """How many requests the provider got for each model."""
        return Counter({turn.model: len(self.world.requests(turn)) for turn in self.turns})

    async def judge(self, where: str) -> None:
        """The same command finishes it: nothing is sent twice, and what is unknown is said so."""
        tally = self.world.tally
        tally.injected += 1
        await self.run()
        entries, requests = self.entries(), self.requests()
        unknown = [turn for turn in self.turns if entries[turn.model]["state"] == "unknown"]
        for turn in self.turns:
            tally.extra += max(0, requests[turn.model] - 1)
            if turn not in unknown:
                self._compare(turn, entries[turn.model], where)
        if len(unknown) > _AT_ONCE:
            tally.amiss(f"{where}: {len(unknown)} are unknown; {_AT_ONCE} were under way")
        # Whoever asks for it gets the rest, with one more request for each.
        await self.run("--again")
        for turn in self.turns:
            self._compare(turn, self.entries()[turn.model], where)
            most = 1 + (turn in unknown)
            tally.extra += max(0, self.requests()[turn.model] - max(most, requests[turn.model]))
        if await self.runs_verify() != 0:
            tally.amiss(f"{where}: the notebook is not what the store says")

    async def runs_verify(self) -> int:
        """The exit code of `verify`."""
        await self.runner.start(
            {
                "arguments": ["verify", str(self.home / "results.ipynb")],
                "environment": {},
                "log": str(self.home / "verify.txt"),
                "hooks": {},
            }
        )
        return await self.runner.ended()

    def _compare(self, turn: Turn, entry: Any, where: str) -> None:
        tally = self.world.tally
        if entry["state"] != "done":
            tally.amiss(f"{where}: {turn.model} is {entry['state']}")
        lost, more = compare(turn.text, entry["reply"]["content"])
        tally.lost += lost
        tally.duplicated += more


async def killed(world: World) -> None:
    """SIGKILL before and after every commit of the store and every new version of the notebook."""
    async with _rerunner() as runner:
        whole = Case(world, runner, "whole")
        if await whole.run() != 0:
            world.tally.amiss("a rerun without a fault fails")
        points = [(n, when) for n in range(1, whole.writes + 1) for when in ("before", "after")]
        for n, when in world.points(points, 4):
            case = Case(world, runner, f"{n}-{when}")
            code = await case.run(signal="KILL", commit=n, when=when)
            # Commits are made together as they come, so there may be fewer of them.
            if code not in (0, -signal.SIGKILL):
                world.tally.amiss(f"{when} write {n}: it ended with {code}")
            await case.judge(f"{when} write {n}")


async def killed_under_way(world: World) -> None:
    """SIGKILL while the n-th request is being answered."""
    async with _rerunner() as runner:
        for n in world.points(range(1, _RECORDS + 1), 2):
            case = Case(world, runner, f"way-{n}", paced=True)
            pid = await case.start()
            for turn in case.turns[: n - 1]:
                await _requested(case, turn)
                world.let_go(turn)
            await _requested(case, case.turns[n - 1])
            os.kill(pid, signal.SIGKILL)
            await runner.ended()
            for turn in case.turns:
                world.replies[turn.model].paced = False
            await case.judge(f"request {n}")


async def _requested(case: Case, turn: Turn) -> None:
    async def came() -> bool:
        return bool(case.world.requests(turn))

    await case.world.until(came)
