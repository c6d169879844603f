"""A TCP proxy between a page and its server that cuts, freezes and counts."""

from __future__ import annotations

import asyncio
import socket
import struct
from dataclasses import dataclass, field


@dataclass
class Plan:
    """What happens to the next connection: after so many bytes of a direction it breaks."""

    up: int | None = None
    """Bytes of the page that pass before the cut."""
    down: int | None = None
    """Bytes of the server that pass before the cut."""
    freeze: bool = False
    """Instead of cutting, say nothing more and keep both ends open."""


@dataclass
class _Link:
    plan: Plan
    page: asyncio.StreamWriter
    server: asyncio.StreamWriter
    passed: dict[str, int] = field(default_factory=lambda: {"up": 0, "down": 0})
    frozen: bool = False
    left: asyncio.Event = field(default_factory=asyncio.Event)


class Proxy:
    """Passes bytes on until a plan, or a command, says otherwise."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener: asyncio.Server | None = None
        self._links: list[_Link] = []
        self.plans: list[Plan] = []
        """Plans of the next connections, in order; without one, all passes."""
        self._refuses = False
        self.cuts = 0
        """How many connections were cut or frozen by plan."""

    async def start(self) -> None:
        """Listen."""
        self._listener = await asyncio.start_server(self._accept, "127.0.0.1", 0)

    @property
    def url(self) -> str:
        """Where pages connect."""
        assert self._listener is not None
        return f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"

    @property
    def connections(self) -> int:
        """How many there were."""
        return len(self._links)

    def passed(self) -> tuple[int, int]:
        """Bytes of pages and of the server that went through."""
        return (
            sum(link.passed["up"] for link in self._links),
            sum(link.passed["down"] for link in self._links),
        )

    def freeze(self) -> None:
        """Let all connections go silent without closing them."""
        for link in self._links:
            link.frozen = True
            self.cuts += 1

    def cut(self) -> None:
        """Break all connections."""
        for link in self._links:
            _break(link)

    def refuse(self, on: bool) -> None:
        """Break all connections and take no new ones, or take them again."""
        self._refuses = on
        if on:
            self.cut()

    async def server_left(self, timeout: float) -> bool:
        """Whether the server gives up its end of a frozen connection in time."""
        waits = [asyncio.wait_for(link.left.wait(), timeout) for link in self._links if link.frozen]
        done = await asyncio.gather(*waits, return_exceptions=True)
        return bool(done) and all(one is True for one in done)

    async def stop(self) -> None:
        """Break everything and end."""
        self.cut()
        if self._listener is not None:
            self._listener.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            writer.transport.abort()
            return
        plan = self.plans.pop(0) if self.plans else Plan()
        try:
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        link = _Link(plan, writer, to_server)
        self._links.append(link)
        await asyncio.gather(
            self._pump(link, "up", plan.up, reader, to_server),
            self._pump(link, "down", plan.down, from_server, writer),
        )

    async def _pump(
        self,
        link: _Link,
        way: str,
        limit: int | None,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        while True:
            try:
                data = await reader.read(65536)
            except ConnectionError:
                data = b""
            if not data:
                if way == "down":
                    link.left.set()
                if not link.frozen:
                    _break(link)
                return
            if limit is not None and link.passed[way] + len(data) >= limit:
                data = data[: limit - link.passed[way]]
            if not link.frozen:
                link.passed[way] += len(data)
                try:
                    writer.write(data)
                    await writer.drain()
                except ConnectionError:
                    return
            if limit is not None and link.passed[way] >= limit and not link.frozen:
                self.cuts += 1
                if link.plan.freeze:
                    link.frozen = True
                else:
                    _break(link)
                    return


def _break(link: _Link) -> None:
    # What was let through still arrives; then the page finds the connection closed.
    link.page.close()
    raw = link.server.get_extra_info("socket")
    if raw is not None and not link.server.is_closing():
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    link.server.transport.abort()
