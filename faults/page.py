"""A client of the server's API that behaves like the page: sends, follows, reconnects, lands."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketClientConnection, WebSocketClosedError, websocket_connect

from jupyterlab_turnbook.runs.continuation import delta_text
from jupyterlab_turnbook.runs.joining import join, units

from .client import HEADERS, Client
from .notebook import Run, land
from .turn import Turn

ALIVE = ("claimed", "sending", "streaming")

Event = dict[str, Any]


class Page(Client):
    """One page with one chat. What it sees it sees once and in order, or it complains."""

    def __init__(
        self,
        url: str,
        turn: Turn,
        *,
        socket_url: str | None = None,
        post_url: str | None = None,
        saw: Callable[[Run, Event], None] = lambda run, event: None,
        silence: float = 30,
    ) -> None:
        super().__init__(url, turn)
        self._socket_url = socket_url or url
        self._post_url = post_url or url
        self.runs: dict[str, Run] = {}
        self.events: dict[str, list[Event]] = {}
        self.complaints: list[str] = []
        self.connections = 0
        self.pings = 0
        self._saw = saw
        self._silence = silence
        self._socket: WebSocketClientConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()

    # Sending

    async def open(self) -> None:
        """Read the file, or make it, and tell the server which chat it holds."""
        answer = await self._http.get(f"{self.url}/api/contents/{self.turn.path}")
        if answer.status_code == 200:
            self.notebook = answer.json()["content"]
        else:
            await self.save()
        where = {"path": self.turn.path}
        said = await self.ask("PUT", f"chats/{self.turn.chat}", where)
        if said.json().get("status") == "unclaimed":
            # The user is asked whether this is the chat, and it is.
            said = await self.ask("PUT", f"chats/{self.turn.chat}", {**where, "claim": "take"})
        if said.json().get("chatId") != self.turn.chat:
            self.complaints.append(f"the file is taken for another chat: {said.text}")

    async def send(self, tries: int = 200) -> httpx.Response:
        """Post the message under its id, again as long as no answer comes."""
        for _ in range(tries):
            try:
                answer = await self.ask("POST", "runs", self.turn.new_run(), self._post_url)
            except httpx.TransportError:
                await asyncio.sleep(0.02)
                continue
            if answer.status_code in (200, 201):
                await self.hear(answer.json())
            return answer
        raise TimeoutError("The message got no answer.")

    async def stop(self) -> httpx.Response:
        """Stop the newest run."""
        return await self.ask("DELETE", f"runs/{self.newest_id}?chat={self.turn.chat}")

    # What it knows

    @property
    def newest(self) -> Run | None:
        """The newest attempt that it heard of."""
        mine = [run for run in self.runs.values() if run["pair"] == self.turn.pair]
        return max(mine, key=lambda run: int(run["attempt"]), default=None)

    @property
    def newest_id(self) -> str:
        """Its id; the id that the page made, when it heard of none."""
        return self.newest["id"] if self.newest else self.turn.run

    @property
    def settled(self) -> bool:
        """Whether the newest attempt has ended, was read to its end, and none is to come."""
        run = self.newest
        return (
            run is not None
            and run["state"] not in ALIVE
            and run["turn"]["retryAt"] is None
            and "end" in (self.events.get(run["id"]) or [{}])[-1]
        )

    @property
    def retry_at(self) -> float | None:
        """When the next attempt is due, in seconds since 1970."""
        run = self.newest
        at = run["turn"]["retryAt"] if run is not None else None
        return None if at is None else at / 1000

    @property
    def waits(self) -> bool:
        """Whether an attempt has ended and the next one waits for its time."""
        run = self.newest
        return run is not None and run["state"] not in ALIVE and self.retry_at is not None

    @property
    def lives(self) -> bool:
        """Whether it follows the chat."""
        return self._task is not None

    def seen(self, run: str) -> int:
        """How many events of a run it has."""
        return len(self.events.get(run, []))

    async def until(self, holds: Callable[[Page], bool], timeout: float = 20) -> bool:
        """Wait for something; False when it did not come in time."""

        async def wait() -> None:
            async with self._news:
                await self._news.wait_for(lambda: holds(self))

        try:
            await asyncio.wait_for(wait(), timeout)
        except asyncio.TimeoutError:
            return False
        return True

    # Following

    def follow(self) -> None:
        """Follow the chat from now on, over any number of connections."""
        self._task = asyncio.create_task(self._live())

    async def leave(self) -> None:
        """Close the page."""
        self.kill()
        await super().leave()

    def kill(self) -> None:
        """Die without a word."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._drop_socket()

    async def subscribe(self, run: str, after: int | None = None) -> None:
        """Ask for a run's events after those it has."""
        await self._say({"subscribe": run, "after": self.seen(run) if after is None else after})

    def _drop_socket(self) -> None:
        if self._socket is not None:
            stream: Any = getattr(self._socket.protocol, "stream", None)
            if stream is not None:
                stream.close()
            self._socket = None

    async def _live(self) -> None:
        while True:
            try:
                await self._connect()
                await self._listen()
            except (OSError, HTTPClientError, asyncio.TimeoutError):
                # Gone, or not there yet: as a page, try again.
                pass
            self._drop_socket()
            await asyncio.sleep(0.02)

    async def _connect(self) -> None:
        url = self._socket_url.replace("http", "ws", 1) + "/turnbook/api/stream"
        request = HTTPRequest(url, headers=HEADERS, connect_timeout=5, request_timeout=5)
        self._socket = await websocket_connect(request)
        self.connections += 1
        for run in self.runs:
            if "end" not in (self.events.get(run) or [{}])[-1]:
                await self.subscribe(run)
        await self._say({"watch": self.turn.chat})
        await self._tell()

    async def _listen(self) -> None:
        heard = time.monotonic()
        while self._socket is not None:
            left = heard + self._silence - time.monotonic()
            text = await asyncio.wait_for(self._socket.read_message(), max(left, 0.001))
            if text is None:
                return
            heard = time.monotonic()
            await self._receive(json.loads(text))

    async def _receive(self, message: dict[str, Any]) -> None:
        if "ping" in message:
            self.pings += 1
            await self._say({"pong": message["ping"]})
        elif "event" in message:
            await self._take(message["run"], message["event"])
        elif "error" in message:
            self.complaints.append(f"the stream says {message['error']}")
        for run in message.get("runs", []):
            await self.hear(run)
        for name in ("changed", "status"):
            if name in message:
                await self.hear(message[name])

    async def hear(self, run: Run) -> None:
        """Take note of a run as it is now, and follow it."""
        is_new = run["id"] not in self.runs
        self.runs[run["id"]] = run
        if is_new:
            self.events.setdefault(run["id"], [])
            if self._socket is not None:
                await self.subscribe(run["id"])
        await self._tell()

    async def _take(self, run: str, event: Event) -> None:
        have = self.events.setdefault(run, [])
        if event["n"] == len(have) + 1:
            have.append(event)
            self._saw(self.runs.get(run, {}), event)
        else:
            self.complaints.append(f"event {event['n']} came after {len(have)}")
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _say(self, message: dict[str, Any]) -> None:
        if self._socket is not None:
            with suppress(WebSocketClosedError):
                # It will be said again on the next connection.
                await self._socket.write_message(json.dumps(message))

    # Landing

    async def text(self, run: Run) -> str:
        """The reply as far as it came, joined from the attempts that this one goes on from."""
        return (await self.reply(run))[0]

    async def reply(self, run: Run) -> tuple[str, list[dict[str, int]]]:
        """The reply as far as it came, and its seams."""
        events = self.events.get(run["id"], [])
        if not events or "end" not in events[-1]:
            answer = await self.ask("GET", f"runs/{run['id']}?after=0")
            events = answer.json()["events"]
        own = "".join(delta_text(event["data"]) for event in events if "data" in event)
        if run["continues"] is None:
            return own, []
        answer = await self.ask("GET", f"runs/{run['continues']}?after=0")
        before, seams = await self.reply(answer.json()["run"])
        made = join(before, own, run["goesOn"], whole=run["state"] == "done")
        if made.seam is None:
            return made.text, seams if made.text == before else []
        seam = {"at": units(made.text[: made.seam])}
        return made.text, [*seams, {**seam, "removed": made.removed} if made.removed else seam]

    async def land(self) -> bool:
        """Bring the newest reply into the notebook, save, and report what is in the file."""
        run = self.newest
        if run is None:
            return False
        land(self.notebook, run, *await self.reply(run))
        if not await self.save():
            return False
        for one in self.runs.values():
            if one["state"] not in ALIVE and not one["landed"]:
                await self.ask("PUT", f"runs/{one['id']}/landed?chat={self.turn.chat}")
        return True
