"""What a user's server of a JupyterHub costs with Turnbook, and without it."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import statistics
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from table import Row
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from hubs.hub import Hub
from hubs.listen import listen
from hubs.user import User
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

STREAMS = 5
TOKENS = 500
STEPS = [{"tokens": "token " * TOKENS, "every": 20}, {"finish": "stop"}, {"done": True}]
"""A reply at 50 tokens a second."""
_WITHOUT = '--ServerApp.jpserver_extensions={"jupyterlab_turnbook": False}'
_PATIENCE = 120.0
"""Seconds after which replies that take ten never end."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Cost:
    """The figures of one kind of server, one for each user."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    started: list[int] = field(default_factory=list)
    """Bytes of memory after the start."""
    used: list[int] = field(default_factory=list)
    """Bytes of memory after some replies, or after as long with as many requests."""
    busy: list[float] = field(default_factory=list)
    """Seconds of CPU for each second of that."""
    kept: list[float] = field(default_factory=list)
    """Bytes of the journal for each reply."""


def measure(*, users: int) -> list[Row]:
    """Start users in turn, with Turnbook and without, in two hubs that are alike."""
    provider = ThreadedScriptedProvider()
    provider.start()
    settings = {"providers": {"gateway": {"base_url": provider.url, "api_key_env": "GATEWAY_KEY"}}}
    costs = Cost(), Cost()
    with ExitStack() as stack:
        stack.callback(provider.stop)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="turnbook-bench-"))
        hubs = (
            Hub(Path(folder) / "with", settings),
            Hub(Path(folder) / "without", {}, args=[_WITHOUT]),
        )
        for hub in hubs:
            stack.callback(hub.stop)
            hub.start()
        # The first start of each reads from the disk.
        for n in range(users + 1):
            for hub, cost in zip(hubs, costs, strict=True):
                _start(hub, hub.add(f"user{n}"), cost if n else Cost())
        # The first of each is the one whose start did not count.
        for pair in list(zip(*(hub.users.values() for hub in hubs), strict=True))[1:]:
            provider.script(*([{"steps": STEPS}] * STREAMS))
            before = [_cpu(user, hub) for user, hub in zip(pair, hubs, strict=True)]
            kept = _journal(pair[0])
            began = time.monotonic()
            asyncio.run(_use(*pair))
            seconds = time.monotonic() - began
            for user, hub, cost, cpu in zip(pair, hubs, costs, before, strict=True):
                cost.busy.append((_cpu(user, hub) - cpu) / seconds)
                cost.used.append(_memory(user, hub))
            costs[0].kept.append((_journal(pair[0]) - kept) / STREAMS)
    return _rows(costs, users)


def _start(hub: Hub, user: User, cost: Cost) -> None:
    began = time.monotonic()
    hub.begin_server(user)
    _wait_for_answer(hub, user)
    cost.seconds.append(time.monotonic() - began)
    hub.wait_for_server(user)
    cost.cpu.append(_cpu(user, hub))
    cost.started.append(_memory(user, hub))


def _wait_for_answer(hub: Hub, user: User) -> None:
    # The hub asks after random pauses of up to seconds, which would be most of the difference.
    hub.until(lambda: user.pid(hub) is not None and user.port(hub), "the server begins")
    url = f"http://127.0.0.1:{user.port(hub)}/user/{user.name}/api"

    def answers() -> bool:
        try:
            return httpx.get(url, timeout=_PATIENCE).is_success
        except httpx.ConnectError:
            return False

    hub.until(answers, "the server answers")


def _cpu(user: User, hub: Hub) -> float:
    """The seconds of CPU that the server took so far."""
    # After the name, in parentheses, come the state and then numbers.
    stat = Path(f"/proc/{user.pid(hub)}/stat").read_text()
    numbers = stat.rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / _TICKS


def _journal(user: User) -> int:
    """The bytes of the journal, without free pages and without SQLite's log."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        with sqlite3.connect(user.journal / "journal.sqlite") as db:
            db.execute("VACUUM INTO ?", [str(copy)])
        db.close()
        return copy.stat().st_size


def _memory(user: User, hub: Hub) -> int:
    """The server's proportional share of memory."""
    lines = Path(f"/proc/{user.pid(hub)}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


async def _use(user: User, plain: User) -> None:
    """Replies stream to a user's page; the plain server has as many requests and a socket as long."""
    runs = await asyncio.to_thread(lambda: [user.send("scripted") for _ in range(STREAMS)])
    url = f"{plain.url}/user/{plain.name}/api/events/subscribe".replace("http", "ws", 1)
    headers = {"Authorization": f"token {plain.token}"}
    socket = await websocket_connect(HTTPRequest(url, headers=headers))
    for _ in range(STREAMS):
        answer = await asyncio.to_thread(plain.fetch, "GET", "api/contents")
        answer.raise_for_status()
    await asyncio.wait_for(listen(user, runs), _PATIENCE)
    socket.close()


def _rows(costs: tuple[Cost, Cost], users: int) -> list[Row]:
    ours, plain = costs
    size = f"{users} users"

    def row(what: str, one: float, other: float, unit: str, digits: int) -> Row:
        return Row(
            what,
            size,
            f"{one:.{digits}f} {unit}",
            f"{other:.{digits}f} {unit}",
            one / max(other, 0.001),
        )

    mib = 2**20
    return [
        row(
            "JupyterHub: start of a user's server, against one without Turnbook",
            statistics.median(ours.seconds),
            statistics.median(plain.seconds),
            "s",
            2,
        ),
        row(
            "of it: CPU of the server",
            statistics.median(ours.cpu),
            statistics.median(plain.cpu),
            "s",
            2,
        ),
        row(
            "memory of a user's server after its start (PSS)",
            statistics.median(ours.started) / mib,
            statistics.median(plain.started) / mib,
            "MiB",
            1,
        ),
        row(
            f"memory after {STREAMS} replies (PSS); without it, after {STREAMS} other requests",
            statistics.median(ours.used) / mib,
            statistics.median(plain.used) / mib,
            "MiB",
            1,
        ),
        row(
            f"CPU of a server while {STREAMS} replies stream at 50 tokens/s; one without, idle as long",
            statistics.median(ours.busy) * 100,
            statistics.median(plain.busy) * 100,
            "% of a core",
            1,
        ),
        Row(
            f"journal for a turn of {TOKENS} tokens",
            size,
            f"{statistics.median(ours.kept) / 1024:.0f} KiB",
        ),
    ]
