"""A page with one chat: the shipped client in Node, told what to do and asked what it sees."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from .client import Client
from .notebook import Run
from .pages import ClientError, News, Pages
from .server import TOKEN
from .turn import Turn

ALIVE = ("claimed", "sending", "streaming")

# Short, so that a run takes minutes; what they are for users is in src/runs/times.ts.
TIMES = {"firstDelay": 20, "grace": 300, "graceSpread": 200}

Event = dict[str, Any]


@dataclass
class Answer:
    """What the server said to a page."""

    status_code: int
    """0 if the page asked nothing."""
    text: str
    statuses: list[int] = field(default_factory=list)
    """Those of a message that came several times."""

    def json(self) -> Any:
        """The answer's content; empty if there was none."""
        return json.loads(self.text or "{}")


class Page(Client):
    """One page with one chat."""

    def __init__(
        self,
        pages: Pages,
        url: str,
        turn: Turn,
        *,
        socket_url: str | None = None,
        post_url: str | None = None,
        saw: Callable[[Run, Event], None] = lambda run, event: None,
        times: dict[str, int] | None = None,
        autosave: bool = False,
        wrong: str | None = None,
    ) -> None:
        super().__init__(url, turn)
        self._pages = pages
        self._options = {
            "url": url,
            "socketUrl": socket_url or url,
            "postUrl": post_url or url,
            "token": TOKEN,
            "autosave": autosave,
            "times": {**TIMES, **(times or {})},
            **({"wrong": wrong} if wrong else {}),
        }
        self.runs: dict[str, Run] = {}
        self.events: dict[str, list[Event]] = {}
        self.complaints: list[str] = []
        self._saw = saw
        self._number: int | None = None
        self._state: dict[str, Any] = {"connections": 0, "notice": None, "live": None, "cell": None}
        self._waits: list[tuple[Callable[[Page], bool], asyncio.Future[None]]] = []

    # What it does

    async def open(self) -> None:
        """Open the file, or make it, and follow its chat from now on."""
        if self._number is not None:
            return
        answer = await self._http.get(f"{self.url}/api/contents/{self.turn.path}?content=0")
        if answer.status_code == 404:
            await self.create()
        turn = self.turn
        where = {"path": turn.path, "chat": turn.chat, "pair": turn.pair}
        options = {**self._options, **where, "model": f"{turn.provider}/{turn.model}"}
        self._number = self._pages.add(self._take, options)
        try:
            await self._ask("open")
        except ClientError as error:
            raise httpx.TransportError(f"The page does not open: {error}") from error

    async def send(self, copies: int = 1, models: Sequence[str] = ()) -> Answer:
        """Write the message and send it, to several models if so; `copies` arrive at once."""
        said = {"text": self.turn.message, "copies": copies, "models": list(models)}
        return _answer(await self._ask("send", **said))

    async def deliver(self, timeout: float = 40, models: Sequence[str] = ()) -> None:
        """Send the message, and again as long as it comes back to the composer."""
        deadline = time.monotonic() + timeout
        while (await self.send(models=models)).status_code not in (200, 201):
            if time.monotonic() > deadline:
                raise TimeoutError(f"The message is not taken: {self.notice}")
            await asyncio.sleep(0.05)

    async def stop(self) -> Answer:
        """Press Stop."""
        return _answer(await self._ask("stop"))

    async def retry(
        self, *, now: bool = False, auto: bool = True, sibling: int | None = None
    ) -> Answer:
        """Retry now, or stop the server's retrying; of several replies, that of one."""
        assert now or not auto
        which = {} if sibling is None else {"sibling": sibling}
        return _answer(await self._ask("retry", pair=self.turn.pair, now=now, **which))

    async def save(self) -> bool:
        """Save the chat with what can be seen; True when the file has it."""
        return bool(await self._ask("save"))

    async def draft(self) -> str:
        """What the composer holds."""
        return str(await self._ask("draft"))

    async def leave(self) -> None:
        """Close the page."""
        self.kill()
        await super().leave()

    def kill(self) -> None:
        """Die without a word."""
        if self._number is not None:
            self._pages.remove(self._number)
            self._number = None

    # What it knows

    @property
    def newest(self) -> Run | None:
        """The newest attempt that it heard of."""
        mine = [run for run in self.runs.values() if run["pair"] == self.turn.pair]
        return max(mine, key=lambda run: int(run["attempt"]), default=None)

    @property
    def settled(self) -> bool:
        """Whether the newest attempt has ended, shows to its end, and none is to come."""
        run = self.newest
        return (
            run is not None
            and run["state"] not in ALIVE
            and run["turn"]["retryAt"] is None
            and self._shows(run)
        )

    @property
    def landed(self) -> bool:
        """Whether the reply is in the file by itself, and the journal knows."""
        return self.settled and self.newest is not None and bool(self.newest["landed"])

    def _shows(self, run: Run) -> bool:
        live, cell = self._state["live"], self._state["cell"]
        if live is not None:
            return bool(live["run"] == run["id"] and live["ended"])
        return (
            cell is not None
            and cell["run"] == run["id"]
            and cell["state"] not in ("sending", "awaiting")
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
        """Whether it is open."""
        return self._number is not None

    @property
    def connections(self) -> int:
        """How often it has connected."""
        return int(self._state["connections"])

    @property
    def notice(self) -> str:
        """What it tells the user."""
        return self._state["notice"] or ""

    def seen(self, run: str) -> int:
        """How many events of a run it has."""
        return len(self.events.get(run, []))

    async def text(self, run: Run) -> str:
        """The reply as it shows."""
        return str(await self._ask("text", pair=run["pair"]))

    async def until(self, holds: Callable[[Page], bool], timeout: float = 20) -> bool:
        """Wait for something; False when it did not come in time."""
        if holds(self):
            return True
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waits.append((holds, waiting))
        try:
            await asyncio.wait_for(waiting, timeout)
        except asyncio.TimeoutError:
            return False
        finally:
            self._waits = [one for one in self._waits if one[1] is not waiting]
        return True

    def hear(self, run: Run) -> None:
        """Take note of a run as it is now."""
        self.runs[run["id"]] = run
        self._tell()

    # What it says

    async def _ask(self, do: str, **more: Any) -> Any:
        if self._number is None:
            raise httpx.TransportError("The page is closed.")
        return await self._pages.ask(self._number, do, **more)

    def _take(self, news: News) -> None:
        if "run" in news:
            self.runs[news["run"]["id"]] = news["run"]
        elif "event" in news:
            self.events.setdefault(news["of"], []).append(news["event"])
            self._saw(self.runs.get(news["of"], {}), news["event"])
        elif "sent" in news:
            self.turn.pair, self.turn.run = news["sent"]["pair"], news["sent"]["run"]
        elif "posted" in news:
            self.turn.posted = news["posted"]
        elif "complaint" in news:
            self.complaints.append(news["complaint"])
        elif "state" in news:
            self._state = news["state"]
        self._tell()

    def _tell(self) -> None:
        for holds, waiting in self._waits:
            if not waiting.done() and holds(self):
                waiting.set_result(None)


def _answer(said: dict[str, Any] | None) -> Answer:
    if said is None:
        return Answer(0, "")
    return Answer(said["status"], said["text"], said.get("statuses", []))
