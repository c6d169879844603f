"""Time to the first token: through Turnbook, and straight from the same provider."""

from __future__ import annotations

import json
import time
import uuid

import httpx
from servers import Servers
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

BODY = json.dumps(
    {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
)


async def direct(client: httpx.AsyncClient, servers: Servers) -> float:
    """Seconds from the call to the first event's bytes; the rest is read outside of the time."""
    began = time.perf_counter()
    first = None
    url = f"{servers.provider}/chat/completions"
    headers = {"Content-Type": "application/json", "Authorization": "Bearer bench"}
    async with client.stream("POST", url, content=BODY, headers=headers) as response:
        response.raise_for_status()
        async for line in response.aiter_lines():
            if first is None and line.startswith("data:"):
                first = time.perf_counter() - began
    if first is None:
        raise SystemExit("The scripted provider answered without an event.")
    return first


async def open_stream(servers: Servers) -> WebSocketClientConnection:
    """The page's one socket, open before anything is sent."""
    url = servers.turnbook.replace("http", "ws", 1) + "/stream"
    return await websocket_connect(
        HTTPRequest(url, headers={"Authorization": f"token {servers.token}"})
    )


async def through_turnbook(
    client: httpx.AsyncClient, stream: WebSocketClientConnection, servers: Servers
) -> float:
    """Seconds from `POST runs` to the first event on the socket; the end is awaited after that."""
    run, pair = str(uuid.uuid4()), uuid.uuid4().hex[:8]
    cell: dict[str, object] = {
        "cell_type": "code",
        "id": pair,
        "source": "hi",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    new = {
        "id": run,
        "chat": str(uuid.uuid4()),
        "pair": pair,
        "cell": cell,
        "after": None,
        "provider": "scripted",
        "body": BODY,
    }
    began = time.perf_counter()
    answer = await client.post(
        f"{servers.turnbook}/runs", json=new, headers={"Authorization": f"token {servers.token}"}
    )
    if answer.status_code != 201:
        raise SystemExit(f"POST runs: {answer.status_code} {answer.text}")
    await stream.write_message(json.dumps({"subscribe": run, "after": 0}))
    first = None
    while True:
        frame = await stream.read_message()
        if frame is None:
            raise SystemExit("The stream was closed before the reply ended.")
        message = json.loads(frame)
        if "ping" in message:
            await stream.write_message(json.dumps({"pong": message["ping"]}))
        if "error" in message:
            raise SystemExit(f"The stream answered: {message['error']}")
        if message.get("run") != run:
            continue
        if first is None and "data" in message["event"]:
            first = time.perf_counter() - began
        if "end" in message["event"]:
            break
    if first is None:
        raise SystemExit("The run ended without an event.")
    return first


async def nothing(client: httpx.AsyncClient, servers: Servers) -> float:
    """Seconds that the same Jupyter server takes to say who asks: what any request to it costs."""
    began = time.perf_counter()
    url = servers.turnbook.removesuffix("/turnbook/api") + "/api/me"
    answer = await client.get(url, headers={"Authorization": f"token {servers.token}"})
    answer.raise_for_status()
    return time.perf_counter() - began


async def measure(
    servers: Servers, samples: int, warmup: int
) -> tuple[list[float], list[float], list[float]]:
    """Each way by turns, so that what else the machine does meets all alike."""
    straight: list[float] = []
    turnbook: list[float] = []
    empty: list[float] = []
    stream = await open_stream(servers)
    async with httpx.AsyncClient(timeout=30) as client:
        for n in range(warmup + samples):
            one = await direct(client, servers)
            other = await through_turnbook(client, stream, servers)
            none = await nothing(client, servers)
            if n >= warmup:
                empty.append(none)
                straight.append(one)
                turnbook.append(other)
    stream.close()
    return straight, turnbook, empty
