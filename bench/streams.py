"""Many replies at once: what Turnbook adds to each token, what is lost, and what a run costs."""

from __future__ import annotations

import asyncio
import json
import os
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
from first_token import BODY, events_of, open_stream
from servers import Servers, servers
from table import BenchError, Row, percentile
from tornado.websocket import WebSocketClientConnection

T = TypeVar("T")

# A page follows at most so many runs on its socket.
_RUNS_OF_A_PAGE = 200
_REPLY_BYTES = 100_000
_PATIENCE = 120.0
"""Seconds after which what should happen soon never does; replies have the time they take besides."""


@dataclass
class Received:
    """What came of a number of streams."""

    lags: list[float] = field(default_factory=list)
    """Seconds from the making of each token in the provider to its arrival here."""
    lost: int = 0
    """Tokens that never came."""
    twice: int = 0
    """Tokens that came again."""
    peak: int = 0
    """Bytes that the server took at its most, beyond those before."""
    text: int = 0
    cpu: float = 0
    """Seconds of the server's processor time, from the first token to the last."""


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
        deadline = time.monotonic() + _PATIENCE
        while True:
            found = (await self.http.get(f"{self.servers.control}")).json()["open"]
            if found >= count:
                return
            if time.monotonic() > deadline:
                raise BenchError(f"Only {found} of {count} requests came to the provider.")
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
            raise BenchError(f"POST runs: {answer.status_code} {answer.text}")
        return run


def _stamps(data: str, now: int) -> list[float]:
    choices = json.loads(data)["choices"]
    content = choices[0]["delta"].get("content") if choices else None
    return [(now - int(stamp)) / 1e9 for stamp in (content or "").split()]


async def _direct(client: Client, lags: list[float]) -> None:
    """One call with plain sockets: an HTTP library would be measured along with the provider."""
    url = httpx.URL(f"{client.servers.provider}/chat/completions")
    reader, writer = await asyncio.open_connection(url.host, url.port)
    head = [
        f"POST {url.path} HTTP/1.1",
        f"Host: {url.host}:{url.port}",
        "Content-Type: application/json",
        "Authorization: Bearer bench",
        f"Content-Length: {len(BODY)}",
    ]
    writer.write("\r\n".join([*head, "", BODY]).encode())
    while line := await reader.readline():
        now = time.monotonic_ns()
        if line.startswith(b"data: {"):
            lags += _stamps(line[6:].decode(), now)
        elif line.startswith(b"data: [DONE]"):
            break
    writer.close()


class Count:
    """What one run's follower has; events are numbered from 1."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        self._last = self._missed = self._came = self._again = 0

    def take(self, n: int, tokens: int) -> bool:
        """Note an event with so many tokens; False if it was there before."""
        if n <= self._last:
            self._again += tokens
            return False
        self._missed += n - self._last - 1
        self._last = n
        self._came += tokens
        return True

    @property
    def lost(self) -> int:
        """Tokens that never came, or events, if more of those are missing."""
        return max(0, self._tokens - self._came, self._missed)

    @property
    def twice(self) -> int:
        """Tokens that came again, in an event that was there or in another one."""
        return self._again + max(0, self._came - self._tokens)


async def _follow(
    stream: WebSocketClientConnection,
    runs: Sequence[str],
    tokens: int,
    received: Received,
    subscribed: asyncio.Event,
) -> None:
    """Read what comes of some runs until all have ended; counts what is missing, and what is not new."""
    for run in runs:
        asked = {"subscribe": run, "after": 0, "batch": True, "gather": True}
        await stream.write_message(json.dumps(asked))
    counts = {run: Count(tokens) for run in runs}
    left = set(runs)
    greeted: set[str] = set()
    while left:
        frame = await stream.read_message()
        if frame is None:
            raise BenchError("The stream was closed before the replies ended.")
        now = time.monotonic_ns()
        message = json.loads(frame)
        if "ping" in message:
            await stream.write_message(json.dumps({"pong": message["ping"]}))
        if "status" in message:
            greeted.add(message["status"]["id"])
            if len(greeted) == len(runs):
                subscribed.set()
        for run, event in events_of(message):
            lags = _stamps(event["data"], now) if "data" in event else []
            if counts[run].take(event["n"], len(lags)):
                received.lags += lags
                received.text += len(event.get("data", ""))
            if "data" not in event:
                left.discard(run)
    received.lost += sum(count.lost for count in counts.values())
    received.twice += sum(count.twice for count in counts.values())


async def _in_time(work: Awaitable[T], seconds: float, what: str) -> T:
    """What comes of something that takes so many seconds by itself."""
    try:
        return await asyncio.wait_for(work, seconds + _PATIENCE)
    except asyncio.TimeoutError:
        raise BenchError(f"Not within {seconds + _PATIENCE:.0f} s: {what}") from None


def _resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if "VmRSS" in line)


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
            asyncio.create_task(_follow(stream, page, tokens, received, bell))
            for stream, page, bell in zip(streams, pages, ready, strict=True)
        ]
        for bell in ready:
            await _in_time(bell.wait(), 0, "a page follows its runs")
        before = _processor_seconds(client.servers.pid)
        await client.release(gate)
        await _in_time(asyncio.gather(*follows), tokens / rate, f"{count} replies end")
        received.cpu = _processor_seconds(client.servers.pid) - before
    for stream in streams:
        stream.close()
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
    await _in_time(asyncio.gather(*calls), tokens / rate, f"{count} direct replies end")
    return lags


async def _many(
    client: Client, count: int, rate: float, tokens: int, most: dict[int, float]
) -> tuple[list[Row], Received]:
    """Lag, loss and cost; `most` is the longest lag in milliseconds that a percentile may have."""
    direct = await _straight(client, count, rate, tokens)
    through = await _through_turnbook(client, count, rate, tokens)
    size = f"{count} at {rate:g}/s"
    rows = []
    for percent in (50, 99):
        lag = percentile(through.lags, percent) * 1e3
        wanted = most.get(percent)
        row = Row(
            f"lag of a token, p{percent}, against direct calls",
            size,
            f"{lag:.1f} ms",
            f"{percentile(direct, percent) * 1e3:.1f} ms",
            target="" if wanted is None else f"<= {wanted:g} ms",
            met=None if wanted is None else lag <= wanted,
        )
        rows.append(row)
    cost = through.cpu / (count * tokens) * 1e6
    rows.append(Row("processor time of the server for a token", size, f"{cost:.0f} µs"))
    for what, counted in (("lost", through.lost), ("that came twice", through.twice)):
        name = f"tokens {what}, of {count * tokens:,}"
        rows.append(Row(name, size, str(counted), target="0", met=counted == 0))
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
            for _, event in events_of(message):
                if "end" in event:
                    return time.perf_counter() - began
                size += len(event["data"])

    async def soon() -> float:
        return await _in_time(attach(), 0, "a whole reply comes again")

    await soon()
    taken = percentile([await soon() for _ in range(times)], 50)
    stream.close()
    return Row(
        "attach again to a whole reply, p50",
        f"{_REPLY_BYTES // 1000} kB",
        f"{taken * 1e3:.1f} ms",
        target="<= 50 ms",
        met=taken <= 0.05,
    )


async def _some(servers: Servers, *, quick: bool) -> list[Row]:
    async with _client(servers) as client:
        rows = await _one_by_one(client, 5 if quick else 20)
        rows.append(await _attach_again(client, 20))
        many, _ = await _many(client, 100, 50, 100 if quick else 250, {50: 10, 99: 50})
        return [*rows, *many]


async def _most(servers: Servers, *, quick: bool) -> list[Row]:
    count = 200 if quick else 1000
    async with _client(servers) as client:
        rows, received = await _many(client, count, 10, 50, {99: 500})
    each, text = received.peak / count, received.text / count
    memory = Row(
        f"memory of a run, of it {text / 1024:.1f} KiB text of its events",
        f"{count} alive",
        f"{each / 1024:.1f} KiB",
        target="<= 48 KiB",
        met=each <= 48 * 1024,
    )
    return [*rows, memory]


@asynccontextmanager
async def _client(servers: Servers) -> AsyncIterator[Client]:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    async with httpx.AsyncClient(timeout=120, limits=limits, trust_env=False) as http:
        yield Client(servers, http)


def rows(*, quick: bool) -> Iterator[Row]:
    """All figures of one run. What memory so many runs take is seen in a server that did nothing before."""
    for part in (_some, _most):
        with servers() as running:
            yield from asyncio.run(part(running, quick=quick))
