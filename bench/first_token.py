"""Time to the first token: through Turnbook, and straight from the same provider."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Awaitable, Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
import litellm_proxy
from delay import delaying
from plain import calling
from servers import Servers, keeping_provider, servers
from table import BenchError, Row, percentile
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

from jupyterlab_turnbook.scripted_provider.tls import certificate

_FAR_SECONDS = 0.04
_PATIENCE = 30.0

T = TypeVar("T")

BODY = json.dumps(
    {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
)


async def with_httpx(client: httpx.AsyncClient, base_url: str) -> float:
    """Seconds from the call to the first event, as a program in Python would call."""
    began = time.perf_counter()
    first = None
    headers = {"Content-Type": "application/json", "Authorization": "Bearer bench"}
    url = f"{base_url}/chat/completions"
    async with client.stream("POST", url, content=BODY, headers=headers) as response:
        response.raise_for_status()
        async for line in response.aiter_lines():
            if first is None and line.startswith("data:"):
                first = time.perf_counter() - began
    if first is None:
        raise BenchError("The provider answered without an event.")
    return first


async def open_stream(servers: Servers) -> WebSocketClientConnection:
    """The page's one socket, open before anything is sent."""
    url = servers.turnbook.replace("http", "ws", 1) + "/stream"
    stream = await websocket_connect(
        HTTPRequest(url, headers={"Authorization": f"token {servers.token}"})
    )
    # As browsers do: otherwise the second small frame waits until the first is acknowledged.
    assert stream.protocol is not None
    stream.protocol.set_nodelay(True)
    return stream


def new_run(provider: str) -> dict[str, object]:
    """A message in a chat of its own."""
    pair = uuid.uuid4().hex[:8]
    cell: dict[str, object] = {
        "cell_type": "code",
        "id": pair,
        "source": "hi",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    return {
        "id": str(uuid.uuid4()),
        "chat": str(uuid.uuid4()),
        "pair": pair,
        "cell": cell,
        "after": None,
        "provider": provider,
        "body": BODY,
    }


async def through_turnbook(
    stream: WebSocketClientConnection, provider: str, writes: float
) -> float:
    """Seconds from sending to the first event on the socket; the end is awaited after that.

    Before that somebody writes for so many seconds, in which the server connects to the provider. The
    stream is used as the page uses it.
    """
    new = new_run(provider)
    await stream.write_message(json.dumps({"watch": new["chat"]}))
    await stream.write_message(json.dumps({"prepare": provider}))
    await asyncio.sleep(writes)
    began = time.perf_counter()
    await stream.write_message(json.dumps({"send": new}))
    first = None
    while True:
        frame = await stream.read_message()
        if frame is None:
            raise BenchError("The stream was closed before the reply ended.")
        message = json.loads(frame)
        if "ping" in message:
            await stream.write_message(json.dumps({"pong": message["ping"]}))
        if "error" in message or "refused" in message:
            raise BenchError(f"The stream answered: {message}")
        if "sent" in message:
            asked = {"subscribe": new["id"], "after": 0, "batch": True, "gather": True}
            await stream.write_message(json.dumps(asked))
        events = [event for run, event in events_of(message) if run == new["id"]]
        if first is None and any("data" in event for event in events):
            first = time.perf_counter() - began
        if any("end" in event for event in events):
            break
    if first is None:
        raise BenchError("The run ended without an event.")
    await stream.write_message(json.dumps({"unwatch": new["chat"]}))
    return first


def events_of(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events that a message of the stream has, with their runs."""
    if "event" in message:
        yield message["run"], message["event"]
    for part in message.get("gathered", [message]):
        for event in part.get("events", ()):
            yield part["run"], event


async def nothing(client: httpx.AsyncClient, servers: Servers) -> float:
    """Seconds that the same Jupyter server takes to say who asks: what any request to it costs."""
    began = time.perf_counter()
    url = servers.turnbook.removesuffix("/turnbook/api") + "/api/me"
    answer = await client.get(url, headers={"Authorization": f"token {servers.token}"})
    answer.raise_for_status()
    return time.perf_counter() - began


@dataclass(frozen=True)
class Taken:
    """Seconds that each sample took, by the way it went."""

    direct: list[float] = field(default_factory=list)
    """With a bare socket that was open before."""
    httpx: list[float] = field(default_factory=list)
    turnbook: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)
    litellm: list[float] = field(default_factory=list)


async def measure(
    servers: Servers, base_url: str, litellm: str | None, samples: int, warmup: int
) -> Taken:
    """Each way by turns, so that what else the machine does meets all alike."""
    taken = Taken()
    stream = await _in_time(open_stream(servers))
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(timeout=30, trust_env=False))
        caller = await stack.enter_async_context(calling(base_url))
        proxy = await stack.enter_async_context(calling(litellm)) if litellm else None
        for n in range(warmup + samples):
            one = Taken()
            one.direct.append(await _in_time(caller.first_event(BODY, "bench")))
            one.turnbook.append(await _in_time(through_turnbook(stream, "near", 0.02)))
            one.httpx.append(await _in_time(with_httpx(client, base_url)))
            one.empty.append(await _in_time(nothing(client, servers)))
            if proxy is not None:
                try:
                    one.litellm.append(
                        await _in_time(proxy.first_event(BODY, litellm_proxy.MASTER))
                    )
                except (BenchError, OSError, EOFError, ValueError) as error:
                    print(f"LiteLLM's proxy is left out: {error}", flush=True)
                    taken.litellm.clear()
                    proxy = None
            if n >= warmup:
                for name, value in vars(one).items():
                    getattr(taken, name).extend(value)
    stream.close()
    return taken


async def measure_far(servers: Servers, samples: int) -> list[float]:
    """Through Turnbook to a provider that is far away, with TLS."""
    stream = await _in_time(open_stream(servers))
    taken = [await _in_time(through_turnbook(stream, "far", 0.6)) for _ in range(samples)]
    stream.close()
    return taken


async def _in_time(call: Awaitable[T]) -> T:
    """What comes of one call; one that takes this long never ends."""
    try:
        return await asyncio.wait_for(call, _PATIENCE)
    except asyncio.TimeoutError:
        raise BenchError(f"A call takes longer than {_PATIENCE:g} s.") from None


def rows(samples: int, warmup: int) -> Iterator[Row]:
    """Time to the first token, near and far."""
    yield from _near(samples, warmup)
    yield from _far(max(10, samples // 10))


def _near(samples: int, warmup: int) -> list[Row]:
    with ExitStack() as stack:
        base_url = f"http://127.0.0.1:{stack.enter_context(keeping_provider())}/v1"
        proxy = None
        try:
            proxy = stack.enter_context(litellm_proxy.litellm(base_url))
        except BenchError as error:
            print(f"LiteLLM's proxy is left out: {error}", flush=True)
        running = stack.enter_context(servers({"near": base_url}))
        taken = asyncio.run(measure(running, base_url, proxy, samples, warmup))
    made = []
    for against, others, most in (
        ("a direct call on a warm connection", taken.direct, {50: 2, 99: 6}),
        ("the same with httpx", taken.httpx, {}),
        ("LiteLLM's proxy", taken.litellm, {}),
    ):
        for percent in (50, 99) if others else ():
            one, other = percentile(others, percent), percentile(taken.turnbook, percent)
            added = most.get(percent)
            row = Row(
                f"time to first token, p{percent}, against {against}",
                f"{samples} sends",
                f"{other * 1e3:.2f} ms",
                f"{one * 1e3:.2f} ms",
                other / one,
                target="" if added is None else f"+ {added} ms",
                met=None if added is None else (other - one) * 1e3 <= added,
            )
            made.append(row)
    took = f"{percentile(taken.empty, 50) * 1e3:.2f} ms"
    return [*made, Row("what any request to this Jupyter server takes, p50", "GET /api/me", took)]


def _far(samples: int) -> list[Row]:
    if shutil.which("openssl") is None or not litellm_proxy.is_there():
        print("The far provider needs openssl and LiteLLM's environment; it is left out.")
        return []

    async def measured(port: int, cert: Path) -> tuple[list[float], list[float]]:
        async with delaying(port, _FAR_SECONDS) as far:
            base_url = f"https://127.0.0.1:{far}/v1"
            trusted = {"SSL_CERT_FILE": str(cert)}
            official = await _official(base_url, samples, trusted)
            if not official:
                return [], []
            starting = servers({"far": base_url}, trusted)
            running = await asyncio.to_thread(starting.__enter__)
            try:
                turnbook = await measure_far(running, samples)
            finally:
                await asyncio.to_thread(starting.__exit__, None, None, None)
            return turnbook, official

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="turnbook-tls-")))
        made = certificate(folder)
        port = stack.enter_context(keeping_provider(*made))
        turnbook, official = asyncio.run(measured(port, made[0]))
    if not official:
        print("The openai client gave no times; the far provider is left out.", flush=True)
        return []
    one, other = percentile(official, 50), percentile(turnbook, 50)
    return [
        Row(
            "time to first token with TLS, 40 ms away, p50, against the openai client",
            f"{samples} sends",
            f"{other * 1e3:.0f} ms",
            f"{one * 1e3:.0f} ms",
            other / one,
            target="< 1",
            met=other < one,
        )
    ]


async def _official(base_url: str, samples: int, trusted: dict[str, str]) -> list[float]:
    """Seconds that the official client took; empty if it cannot be had."""
    script = Path(__file__).with_name("openai_client.py")
    process = await asyncio.create_subprocess_exec(
        str(litellm_proxy.BIN / "python"),
        str(script),
        base_url,
        str(samples),
        env={**os.environ, **trusted, "NO_PROXY": "*"},
        stdout=subprocess.PIPE,
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), _PATIENCE + 2 * samples)
    except asyncio.TimeoutError:
        process.kill()
        await process.wait()
        return []
    taken: list[float] = json.loads(said) if said and process.returncode == 0 else []
    return taken
