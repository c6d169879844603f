"""What the socket of a user's page hears through the hub's proxy."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from jupyterlab_turnbook.runs.continuation import delta_of

from .user import User


@dataclass
class Heard:
    """All that came on one socket."""

    texts: dict[str, str] = field(default_factory=lambda: defaultdict(str))
    """The replies by their runs."""
    frames: list[str] = field(default_factory=list)


async def listen(user: User, runs: Collection[str]) -> Heard:
    """Follow a user's runs, and the news of all chats, until the runs have ended."""
    url = f"{user.url}/user/{user.name}/turnbook/api/stream".replace("http", "ws", 1)
    headers = {"Authorization": f"token {user.token}"}
    socket = await websocket_connect(HTTPRequest(url, headers=headers))
    heard, left = Heard(), set(runs)
    await socket.write_message(json.dumps({"watchAll": True}))
    for run in runs:
        await socket.write_message(json.dumps({"subscribe": run, "batch": True}))
    while left:
        frame = await socket.read_message()
        assert isinstance(frame, str), f"{user.name}'s socket was closed"
        heard.frames.append(frame)
        message = json.loads(frame)
        if "ping" in message:
            await socket.write_message(json.dumps({"pong": message["ping"]}))
        for event in message.get("events") or [message.get("event", {})]:
            if "data" in event:
                heard.texts[message["run"]] += delta_of(event["data"]).get("content") or ""
            elif event:
                left.discard(message["run"])
    socket.close()
    return heard


async def listen_all(wanted: dict[User, Collection[str]]) -> list[Heard]:
    """The same for several users at once."""
    return await asyncio.gather(*(listen(user, runs) for user, runs in wanted.items()))
