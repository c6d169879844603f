"""Many replies at once: what Turnbook adds to each token, what is lost, and what a run costs."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from first_token import BODY, open_stream
from servers import Servers
from table import Row, percentile
from tornado.websocket import WebSocketClientConnection

# A page follows at most so many runs on its socket.
_RUNS_OF_A_PAGE = 200
_REPLY_BYTES = 100_000


@dataclass
class Received:
    """What came of a number of streams."""

    lags: list[float] = field(default_factory=list)
    """Seconds from the making of each token in the provider to its arrival here."""
    lost: int = 0
    peak: int = 0
    """Bytes that the server took at its most, beyond those before."""
    text: int = 0


class Client:
    """Talks to both servers as a page and as a direct caller would."""

    def __init__(self, servers: Servers, http: httpx.AsyncClient) -> None:
        self.servers = servers
        self.http = http

    async def script(self, script: dict[str, Any], count: int) -> None:
        """Tell the provider what to answer to the next requests."""
        answer = await self.http.post(
            f"{self.servers.control}/script", json={"scripts": [script] * count}
        )
        answer.raise_for_status()

    async def release(self, gate: str) -> None:
        """Let those go on that wait at a gate."""
        (await self.http.post(f"{self.servers.control}/release/{gate}")).raise_for_status()

    async def requested(self, count: int) -> None:
        """Wait until the provider has so many open requests."""
        while True:
            found = (await self.http.get(f"{self.servers.control}")).json()["open"]
            if found >= count:
                return
            await asyncio.sleep(0.05)

    async def send(self) -> str:
        """Send a message in a chat of its own; gives the run."""
        run, pair = str(uuid.uuid4()), uuid.uuid4().hex[:8]
        cell = {"cell_type": "code", "id": pair, "source": "hi", "metadata": {}, "outputs": []}
        new = {
            "id": run,
            "chat": str(uuid.uuid4()),
            "pair": pair,
            "cell": cell,
            "after": None,
            "provider": "scripted",
            "body": BODY,
        }
        answer = await self.http.post(
            f"{self.servers.turnbook}/runs",
            json=new,
            headers={"Authorization": f"token {self.servers.token}"},
        )
        if answer.status_code != 201:
            raise SystemExit(f"POST runs: {answer.status_code} {answer.text}")
        return run


def _stamps(data: str) -> list[float]:
    now = time.monotonic_ns()
    choices = json.loads(data)["choices"]
    content = choices[0]["delta"].get("content") if choices else None
    return [(now - int(stamp)) / 1e9 for stamp in (content or "").split()]


async def _direct(client: Client, lags: list[float]) -> None:
    url = f"{client.servers.provider}/chat/completions"
    headers = {"Content-Type": "application/json", "Authorization": "Bearer bench"}
    async with client.http.stream("POST", url, content=BODY, headers=headers) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                lags += _stamps(line[6:])


async def _follow(
    stream: WebSocketClientConnection, runs: Sequence[str], received: Received, subscribed: Any
) -> None:
    """Read what comes of some runs until all have ended; counts what is missing."""
    for run in runs:
        await stream.write_message(json.dumps({"subscribe": run, "after": 0, "batch": True}))
    last = dict.fromkeys(runs, 0)
    greeted: set[str] = set()
    while last:
        frame = await stream.read_message()
        if frame is None:
            raise SystemExit("The stream was closed before the replies ended.")
        message = json.loads(frame)
        if "ping" in message:
            await stream.write_message(json.dumps({"pong": message["ping"]}))
        if "status" in message:
            greeted.add(message["status"]["id"])
            if len(greeted) == len(runs):
                subscribed.set()
        events = message.get("events") or ([message["event"]] if "event" in message else [])
        for event in events:
            run = message["run"]
            received.lost += event["n"] - last[run] - 1
            last[run] = event["n"]
            if "data" in event:
                received.lags += _stamps(event["data"])
                received.text += len(event["data"])
            else:
                del last[run]


def _resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if "VmRSS" in line)


@asynccontextmanager
async def _sampled(pid: int, received: Received) -> AsyncIterator[None]:
    before = _resident(pid)

    async def sample() -> None:
        while True:
            received.peak = max(received.peak, _resident(pid) - before)
            await asyncio.sleep(0.1)

    task = asyncio.create_task(sample())
    try:
        yield
    finally:
        task.cancel()


async def _through_turnbook(client: Client, count: int, rate: float, tokens: int) -> Received:
    gate = uuid.uuid4().hex
    finish = [{"finish": "stop"}, {"done": True}]
    stamps = {"stamps": tokens, "every": 1000 / rate}
    await client.script({"steps": [{"headers": True}, {"wait": gate}, stamps, *finish]}, count)
    received = Received()
    limit = asyncio.Semaphore(20)

    async def send() -> str:
        async with limit:
            return await client.send()

    async with _sampled(client.servers.pid, received):
        runs = await asyncio.gather(*(send() for _ in range(count)))
        await client.requested(count)
        pages = [runs[at : at + _RUNS_OF_A_PAGE] for at in range(0, count, _RUNS_OF_A_PAGE)]
        streams = [await open_stream(client.servers) for _ in pages]
        ready = [asyncio.Event() for _ in pages]
        follows = [
            asyncio.create_task(_follow(stream, page, received, bell))
            for stream, page, bell in zip(streams, pages, ready, strict=True)
        ]
        for bell in ready:
            await bell.wait()
        await client.release(gate)
        await asyncio.gather(*follows)
    for stream in streams:
        stream.close()
    received.lost += count * tokens - len(received.lags)
    return received


async def _straight(client: Client, count: int, rate: float, tokens: int) -> list[float]:
    gate = uuid.uuid4().hex
    finish = [{"finish": "stop"}, {"done": True}]
    stamps = {"stamps": tokens, "every": 1000 / rate}
    await client.script({"steps": [{"headers": True}, {"wait": gate}, stamps, *finish]}, count)
    lags: list[float] = []
    calls = [asyncio.create_task(_direct(client, lags)) for _ in range(count)]
    await client.requested(count)
    await client.release(gate)
    await asyncio.gather(*calls)
    return lags


async def _many(client: Client, count: int, rate: float, tokens: int) -> tuple[list[Row], Received]:
    direct = await _straight(client, count, rate, tokens)
    through = await _through_turnbook(client, count, rate, tokens)
    size = f"{count} at {rate:g}/s"
    rows = [
        Row(
            f"lag of a token, p{percent}, against direct calls",
            size,
            f"{percentile(through.lags, percent) * 1e3:.1f} ms",
            f"{percentile(direct, percent) * 1e3:.1f} ms",
        )
        for percent in (50, 99)
    ]
    rows.append(
        Row(
            f"tokens lost of {count * tokens:,}",
            size,
            str(through.lost),
            target="0",
            met=through.lost == 0,
        )
    )
    return rows, through


async def _one_by_one(client: Client, streams: int) -> list[Row]:
    direct: list[float] = []
    through: list[float] = []
    for _ in range(streams):
        direct += await _straight(client, 1, 100, 50)
        through += (await _through_turnbook(client, 1, 100, 50)).lags
    rows = []
    for percent in (50, 99):
        one, other = percentile(direct, percent), percentile(through, percent)
        row = Row(
            f"added to a token, p{percent}",
            f"{streams} streams",
            f"{(other - one) * 1e3:.2f} ms",
            f"{one * 1e3:.2f} ms direct",
            target="<= 2 ms" if percent == 50 else "",
            met=other - one <= 0.002 if percent == 50 else None,
        )
        rows.append(row)
    return rows


async def _attach_again(client: Client, times: int) -> Row:
    word = "nineteen-characters "
    text = word * (_REPLY_BYTES // len(word))
    await client.script({"steps": [{"tokens": text}, {"finish": "stop"}, {"done": True}]}, 1)
    run = await client.send()
    stream = await open_stream(client.servers)

    async def attach() -> float:
        began = time.perf_counter()
        await stream.write_message(json.dumps({"subscribe": run, "after": 0, "batch": True}))
        size = 0
        while True:
            message = json.loads(await stream.read_message() or "null")
            events = message.get("events") or ([message["event"]] if "event" in message else [])
            for event in events:
                if "end" in event:
                    return time.perf_counter() - began
                size += len(event["data"])

    await attach()
    taken = percentile([await attach() for _ in range(times)], 50)
    stream.close()
    return Row(
        "attach again to a whole reply, p50",
        f"{_REPLY_BYTES // 1000} kB",
        f"{taken * 1e3:.1f} ms",
        target="<= 50 ms",
        met=taken <= 0.05,
    )


async def measure(servers: Servers, *, quick: bool) -> list[Row]:
    """All figures of one run."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    async with httpx.AsyncClient(timeout=120, limits=limits, trust_env=False) as http:
        client = Client(servers, http)
        rows = await _one_by_one(client, 5 if quick else 20)
        rows.append(await _attach_again(client, 20))
        some, _ = await _many(client, 100, 50, 100 if quick else 250)
        most, received = await _many(client, 200 if quick else 1000, 10, 50)
        count = 200 if quick else 1000
        each = max(0, received.peak - received.text) / count
        memory = Row(
            "memory of a run, beside its text",
            f"{count} alive",
            f"{each / 1024:.1f} KiB",
            target="<= 64 KiB",
            met=each <= 64 * 1024,
        )
        return [*rows, *some, *most, memory]
