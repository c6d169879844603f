"""`/stream`: one WebSocket per page, however many runs it follows."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Coroutine
from contextlib import aclosing
from functools import partial
from typing import Any, cast

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.extension.handler import ExtensionHandlerMixin
from tornado import web
from tornado.ioloop import PeriodicCallback
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from .. import contract
from ..base import dialect
from ..runs import queries
from ..runs.engine import now_ms
from ..runs.gathering import Gathering
from ..runs.journal import JournalError
from ..runs.model import Claim, Run
from ..runs.transaction import Change
from .base import AUTH_RESOURCE, DEFECT, ApiError, Parts, Route, checked
from .errors import api_errors
from .runs import LARGE, claims, create


class StreamHandler(ExtensionHandlerMixin, WebSocketMixin, WebSocketHandler, JupyterHandler):
    """Sends each subscribed run's events and each watched chat's changes.

    Each message waits until the one before has been sent, and events are read from the journal
    only then, so a slow page uses no memory here. A page that is silent too long is disconnected.
    """

    auth_resource = AUTH_RESOURCE

    # No WebSocket pings: our own heartbeat is visible to both the page and the server.
    ping_interval = 0
    ping_seconds = 20.0
    silence_seconds = 60.0
    most_subscriptions = 256
    most_sends = 8
    few_subscriptions = 4
    pause_seconds = 0.005
    news_seconds = 0.005

    def initialize(self, name: str) -> None:
        """Prepare an unopened stream."""
        super().initialize(name)
        self._follows: dict[str, asyncio.Task[None]] = {}
        # Chats; None means all of them.
        self._watched: set[str | None] = set()
        self._news: dict[str, Run | None] = {}
        self._news_bell = asyncio.Event()
        self._gathering: Gathering | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._sends = asyncio.Semaphore(self.most_sends)
        self._heartbeat: PeriodicCallback | None = None
        self._heard = time.monotonic()

    @property
    def turnbook(self) -> Parts:
        """The extension."""
        return cast("Parts", self.extensionapp)

    def set_default_headers(self) -> None:
        """A socket needs none of the headers of pages."""

    def get_compression_options(self) -> dict[str, Any] | None:
        """The same as for the server's other sockets."""
        return cast("dict[str, Any] | None", self.settings.get("websocket_compression_options"))

    @ws_authenticated
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Let authorized users in."""
        allowed = await ensure_async(
            self.authorizer.is_authorized(self, self.current_user, "execute", self.auth_resource)
        )
        if not allowed:
            raise web.HTTPError(403)
        await super().get(*args, **kwargs)

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Start the heartbeat."""
        super().open(*args, **kwargs)
        # A small frame must not wait until the one before is acknowledged.
        self.set_nodelay(True)
        self._heard = time.monotonic()
        self._heartbeat = PeriodicCallback(self._beat, self.ping_seconds * 1000)
        self._heartbeat.start()
        # Ping at once, so that the page knows the socket works, and knows the server's clock.
        self._beat()
        self._gathering = self.turnbook.engine.followers.gathering(
            self._write, few=self.few_subscriptions, pause=self.pause_seconds
        )
        self._start(self._report())
        self._start(self._gathering.send_all())

    async def on_message(self, message: str | bytes) -> None:
        """Handle a message from the page; an invalid one gets an error and changes nothing."""
        self._heard = time.monotonic()
        try:
            # Reading a request with pictures takes long enough to hold up everything else.
            large = len(message) > LARGE
            read = await asyncio.to_thread(_read, message) if large else _read(message)
            if isinstance(read, dict) and read.keys() == {"send"}:
                # What the page says next does not wait for the disk, unless it sends very much.
                await self._sends.acquire()
                if self.ws_connection is None:
                    # The page has gone meanwhile.
                    return
                task = self._start(self._create(read["send"], large))
                task.add_done_callback(lambda _: self._sends.release())
                return
            asked = contract.check("ClientMessage", read)
        except ValueError as error:
            said = {"code": "bad-message", "message": f"Not a message of the API: {error}"}
            await self._send({"error": said})
            return
        if "subscribe" in asked:
            await self._subscribe(asked)
        elif "unsubscribe" in asked:
            self._unsubscribe(asked["unsubscribe"])
        elif "watch" in asked:
            await self._guarded(self._watch(asked["watch"]), None)
        elif "unwatch" in asked:
            self._unwatch(asked["unwatch"])
        elif "watchAll" in asked:
            if asked["watchAll"]:
                await self._guarded(self._watch(None), None)
            else:
                self._unwatch(None)
        elif "prepare" in asked:
            self._start(self._prepare(asked["prepare"]))
        elif "ping" in asked:
            await self._send({"pong": asked["ping"]})

    def on_close(self) -> None:
        """Cancel all tasks and watches."""
        if self._heartbeat is not None:
            self._heartbeat.stop()
        for run in list(self._follows):
            self._unsubscribe(run)
        for chat in list(self._watched):
            self._unwatch(chat)
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do this for as long as the page is there."""
        task = asyncio.create_task(self._guarded(work, None))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _create(self, asked: Any, large: bool) -> None:
        """Claim and send, like `POST runs`."""

        def wanted() -> list[Claim]:
            return claims(checked("NewRun", asked))

        try:
            await self._require_write()
            ready = await asyncio.to_thread(wanted) if large else wanted()
            run, _ = await create(self.turnbook.engine, ready)
        except Exception as error:
            if self.turnbook.engine.closing:
                raise
            if not isinstance(error, ApiError):
                self.log.exception("turnbook: a message could not be sent")
                error = ApiError(500, "internal", DEFECT)
            told = {"refused": error.body(), "httpStatus": error.status_code}
            run_id = asked.get("id") if isinstance(asked, dict) else None
            await self._send({**told, "run": run_id if isinstance(run_id, str) else ""})
        else:
            await self._send({"sent": run})

    async def _prepare(self, provider: str) -> None:
        try:
            await self._require_write()
            await self.turnbook.engine.prepare(provider)
        except Exception:
            # Whoever sends will find out, and be told.
            self.log.debug("turnbook: no connection was prepared", exc_info=True)

    async def _require_write(self) -> None:
        # The socket itself was opened for reading and following.
        allowed = await ensure_async(
            self.authorizer.is_authorized(self, self.current_user, "write", self.auth_resource)
        )
        if not allowed:
            raise ApiError(403, "forbidden", "You may not send messages on this server.")

    async def _subscribe(self, asked: dict[str, Any]) -> None:
        run = asked["subscribe"]
        self._unsubscribe(run)
        if len(self._follows) >= self.most_subscriptions:
            said = {"code": "too-many", "message": "Too many subscriptions; end some first."}
            await self._send({"error": said, "run": run})
            return
        task = asyncio.create_task(self._guarded(self._follow(run, asked), run))
        self._follows[run] = task
        task.add_done_callback(lambda done: self._forget(run, done))

    def _forget(self, run: str, task: asyncio.Task[None]) -> None:
        if self._follows.get(run) is task:
            del self._follows[run]

    def _unsubscribe(self, run: str) -> None:
        task = self._follows.pop(run, None)
        if task is not None:
            task.cancel()

    async def _follow(self, run: str, asked: dict[str, Any]) -> None:
        batch = asked.get("batch", False)
        gathering = self._gathering if asked.get("gather", False) else None
        follow = self.turnbook.engine.followers.follow_in_batches
        async with aclosing(follow(run, asked.get("after", 0), gathering)) as items:
            async for item in items:
                if isinstance(item, Run):
                    await self._send({"status": item.json()})
                elif batch and len(item) > 1:
                    await self._send({"run": run, "events": [event.json() for event in item]})
                else:
                    for event in item:
                        await self._send({"run": run, "event": event.json()})

    async def _watch(self, chat: str | None) -> None:
        # Watch before reading: a change in between is sent twice rather than never.
        self._watched.add(chat)
        self.turnbook.engine.hub.watch(chat, self._note)
        runs = await self.turnbook.engine.journal.read(
            lambda db: queries.select(db, chat=chat, open_only=True)
        )
        listed = [run.json() for run in runs]
        await self._send({"allRuns": listed} if chat is None else {"chat": chat, "runs": listed})

    def _unwatch(self, chat: str | None) -> None:
        self._watched.discard(chat)
        self.turnbook.engine.hub.unwatch(chat, self._note)

    def _note(self, change: Change) -> None:
        self._news[change.run] = change.now
        if change.now is not None and change.now.alive:
            # What this commit lets go, a request or a first token, does not wait until all are told.
            asyncio.get_running_loop().call_later(self.news_seconds, self._news_bell.set)
        else:
            # What follows an end is known with it.
            self._news_bell.set()

    async def _report(self) -> None:
        while True:
            await self._news_bell.wait()
            self._news_bell.clear()
            while self._news:
                run_id = next(iter(self._news))
                run = self._news.pop(run_id)
                try:
                    if run is None:
                        read = partial(queries.get, run=run_id)
                        run = await self.turnbook.engine.journal.read(read)
                except (queries.NoSuchRun, queries.Damaged, JournalError) as error:
                    # One unreadable run must not keep the news of others from the page.
                    self.log.warning("turnbook: cannot report run %s: %s", run_id, error)
                    continue
                if not self._watched.isdisjoint((run.chat, None)):
                    await self._send({"chat": run.chat, "changed": run.json()})

    async def _guarded(self, work: Coroutine[Any, Any, None], run: str | None) -> None:
        try:
            with api_errors():
                await work
        except ApiError as error:
            if self.turnbook.engine.closing:
                # Not the run's fault: the page reconnects once a server is there again.
                self.close(1001, "the server ends")
                return
            told: dict[str, Any] = {"error": error.body()}
            if run is not None:
                told["run"] = run
            await self._send(told)
        except WebSocketClosedError:
            self.log.debug("turnbook: the page has gone")
        except Exception:
            # The page would wait in vain for what this sends; it asks again when it reconnects.
            self.log.exception("turnbook: a stream ends")
            self.close(1011, "internal error")

    async def _send(self, message: dict[str, Any]) -> None:
        await self._write(json.dumps(message))

    async def _write(self, message: str) -> None:
        await self.write_message(message)

    def _beat(self) -> None:
        if time.monotonic() - self._heard > self.silence_seconds:
            self.log.info("turnbook: a stream was silent for %g s", self.silence_seconds)
            # The closing handshake waits for a page that may be gone; clean up now.
            self.on_close()
            self.close(1001, "silent")
            return
        # Not awaited: a page that reads nothing must not delay the check above.
        self._ping = asyncio.ensure_future(self._guarded(self._send({"ping": now_ms()}), None))


def _read(message: str | bytes) -> Any:
    return dialect.parse(message) if isinstance(message, str) else dialect.parse_bytes(message)


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/stream", StreamHandler, {})]
