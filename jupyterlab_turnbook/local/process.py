"""Starts, watches and stops one child process of the embedded model."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import secrets
import sys
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import child, environment
from .errors import LocalFailed

START_LIMIT = 120.0
STOP_LIMIT = 3.0
TAIL = 30
# By path and not with -m, so that no module in the user's folder can shadow it.
_PROGRAM = os.path.abspath(child.__file__)


@dataclass(frozen=True)
class Endpoint:
    """Where a running child listens, and the key it requires."""

    base_url: str
    key: str = field(repr=False)


class Child:
    """A running llama.cpp process, created by `start`."""

    def __init__(
        self, process: asyncio.subprocess.Process, port: int, key: str, drain: asyncio.Task[None]
    ) -> None:
        self._process = process
        self._drain = drain
        self.port = port
        self.endpoint = Endpoint(f"http://127.0.0.1:{port}/v1", key)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.returncode is None

    async def listens(self) -> bool:
        """Whether it accepts connections; shows a dead child sooner than its exit code does."""
        if not self.alive:
            return False
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        return True

    async def wait(self) -> int:
        """Wait until it exits; returns its exit code."""
        return await self._process.wait()

    async def stop(self) -> None:
        """Ask it to exit by closing its stdin; kill it after a while."""
        await _end(self._process)
        await self._drain


async def start(settings: dict[str, Any], cwd: Path, log: logging.Logger) -> Child:
    """Start a child and wait until it serves; raises `LocalFailed` with the end of its log."""
    key, name = secrets.token_urlsafe(32), settings["alias"]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        _PROGRAM,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd,
        env=environment.of_child(),
        # Ctrl+C in the server's terminal must reach only the server.
        start_new_session=True,
    )
    tail: deque[str] = deque(maxlen=TAIL)
    drain = asyncio.ensure_future(_read_log(process, tail, log))
    try:
        port = await asyncio.wait_for(_port(process, {**settings, "key": key}), START_LIMIT)
    except asyncio.TimeoutError:
        await _end(process)
        await drain
        raise LocalFailed(_failure(name, f"did not start within {START_LIMIT:g} s", tail)) from None
    except BaseException:
        await _end(process)
        raise
    if port is None:
        code = await process.wait()
        await drain
        # The system kills with 9 what takes too much memory.
        why = "most likely for lack of memory" if code == -9 else f"exit code {code}"
        raise LocalFailed(_failure(name, f"ended while starting ({why})", tail))
    return Child(process, port, key, drain)


async def _port(process: asyncio.subprocess.Process, settings: dict[str, Any]) -> int | None:
    assert process.stdin is not None and process.stdout is not None
    with contextlib.suppress(ConnectionError):
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        await process.stdin.drain()
    line = await process.stdout.readline()
    return int(json.loads(line)["port"]) if line else None


async def _read_log(
    process: asyncio.subprocess.Process, tail: deque[str], log: logging.Logger
) -> None:
    assert process.stderr is not None
    while piece := await process.stderr.read(4096):
        for line in piece.decode("utf-8", "replace").splitlines():
            if line.strip():
                tail.append(line[:500])
                log.debug("turnbook local model: %s", line[:500])


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), STOP_LIMIT)
    except asyncio.TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _failure(name: str, what: str, tail: deque[str]) -> str:
    said = "\n".join(tail) or "(it wrote nothing)"
    return (
        f"{name} {what}. Try again; if it fails again, choose another model, or set "
        f"c.TurnbookApp.local_model_path to another GGUF file. The end of its log:\n{said}"
    )
