"""A real browser by remote control."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from .server import ROOT

sys.path.append(str(ROOT / "scripts"))
import chromium

_LAST_SECONDS = 30
"""How long it may take to end."""


class BrowserError(Exception):
    """The page did not do what it was asked for."""


class Browser:
    """Runs `browser.mjs`, or another script like it, and tells it what to do."""

    def __init__(self, script: str = "faults/browser.mjs") -> None:
        self._script = ROOT / script
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the process that drives browsers."""
        executable = await asyncio.to_thread(chromium.ensure, ROOT)
        self._process = await asyncio.create_subprocess_exec(
            "node",
            str(self._script),
            json.dumps({"executable": executable} if executable else {}),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )

    async def do(self, name: str, *arguments: Any) -> Any:
        """One command of the script."""
        assert self._process is not None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, *arguments]).encode() + b"\n")
        await self._process.stdin.drain()
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), 180)
        except asyncio.TimeoutError:
            # A late answer would be taken for that of the next command.
            self._process.kill()
            raise
        answer = json.loads(line or '{"error": "the browser\'s driver has ended"}')
        if "error" in answer:
            raise BrowserError(f"{name}: {answer['error']}")
        return answer["value"]

    async def stop(self) -> None:
        """End it, with its browser."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                await asyncio.wait_for(self._process.wait(), _LAST_SECONDS)
            except asyncio.TimeoutError:
                # Its browser ends with it.
                self._process.kill()
                await self._process.wait()
