"""The process in which pages live: the shipped client, in Node."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

from .server import ROOT

BUNDLE = ROOT / "build" / "faults" / "client.cjs"

News = dict[str, Any]


class ClientError(Exception):
    """A page could not do what it was told."""


class Pages:
    """Hands commands to pages and takes what happens in them."""

    def __init__(self, broken: Callable[[str], None]) -> None:
        self._broken = broken
        self._numbers = count(1)
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._pages: dict[int, Callable[[News], None]] = {}

    async def start(self) -> None:
        """Start the process."""
        if not BUNDLE.exists():
            raise FileNotFoundError(f"{BUNDLE} is missing. Run: make client")
        self._process = await asyncio.create_subprocess_exec(
            "node",
            "--enable-source-maps",
            str(BUNDLE),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # A reply of many megabytes is one line.
            limit=2**28,
        )
        self._reading = asyncio.create_task(self._read())

    async def stop(self) -> None:
        """End it, with all pages that are left."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            await self._process.wait()
        if self._reading is not None:
            await self._reading

    def add(self, hear: Callable[[News], None], options: dict[str, Any]) -> int:
        """A new page; `hear` gets what happens in it. Gives its number."""
        number = next(self._numbers)
        self._pages[number] = hear
        self.tell(number, "new", options=options)
        return number

    def remove(self, number: int) -> None:
        """Kill a page; it says nothing more."""
        if self._pages.pop(number, None) is not None:
            self.tell(number, "kill")

    def tell(self, page: int, do: str, **more: Any) -> int:
        """Give a command and wait for nothing."""
        assert self._process is not None and self._process.stdin is not None
        number = next(self._numbers)
        command = {"id": number, "page": page, "do": do, **more}
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        return number

    async def ask(self, page: int, do: str, **more: Any) -> Any:
        """Give a command and wait until it is done."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        number = self.tell(page, do, **more)
        self._answers[number] = answer
        try:
            return await answer
        finally:
            del self._answers[number]

    async def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        while line := await self._process.stdout.readline():
            said = json.loads(line)
            if "broken" in said:
                self._broken(said["broken"])
            elif "page" in said:
                hear = self._pages.get(said["page"])
                if hear is not None:
                    hear(said)
            else:
                self._answer(said)
        for answer in self._answers.values():
            with suppress(asyncio.InvalidStateError):
                answer.set_exception(ClientError("The process of the pages has ended."))

    def _answer(self, said: dict[str, Any]) -> None:
        answer = self._answers.get(said["id"])
        if answer is None or answer.done():
            return
        if "error" in said:
            answer.set_exception(ClientError(said["error"]))
        else:
            answer.set_result(said["value"])
