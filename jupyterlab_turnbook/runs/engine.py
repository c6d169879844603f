"""The engine: it owns the living runs of this server."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Literal

import httpx

from ..providers.http import ProxyUnusable, is_loopback
from ..providers.registry import (
    LOCAL,
    Continuation,
    LocalFailed,
    LocalMissing,
    ProviderRegistry,
    UnknownProvider,
)
from . import classify, continuation, quarantine, records, retry, turns
from .continuation import Partial
from .hub import Hub
from .journal import Change, Journal, JournalError, Tx
from .model import Claim, Event, Outcome, Run
from .neighbours import Neighbours
from .reply import End
from .retention import Limits, Retention
from .retry import Waiting
from .scheduler import Hindered, Later, Scheduler
from .states import Happening, State
from .tail import Tail
from .wire import Wire, client_for

_PAGE = 1000
_FOREIGN_POLL = 0.5
# Waits between tries to write an end; the last one goes on until it is written.
_FINISH_AGAIN: tuple[float, ...] = (0.5, 1, 2, 5, 10)


class NotRetryable(Exception):
    """The turn's last run is alive or went well."""


class ElsewhereAlive(Exception):
    """The run lives in another server process, which alone can stop it."""


@dataclass
class _Live:
    run: Run
    known: Run | None
    """The run as it stands; None if that has to be read."""
    task: asyncio.Task[None] | None = None
    reason: Literal["stop", "lose"] | None = None
    begun: bool = False
    end: Callable[[Tx], None] | None = None
    """What writes its end, once that is known; twice is as once."""
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when its end was written, or should be tried again."""
    tail: Tail = field(default_factory=Tail)


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Engine:
    """Claims, sends, follows and stops runs. A run goes on whether or not a browser looks."""

    def __init__(
        self,
        directory: Path,
        registry: ProviderRegistry,
        log: logging.Logger,
        *,
        active: Callable[[], None] = lambda: None,
        began: Callable[[Run, Claim], None] = lambda run, wanted: None,
        clock: Callable[[], int] = now_ms,
        later: Later | None = None,
        wire: Callable[..., Wire] = Wire,
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> None:
        self._registry = registry
        self._log = log
        self._active = active
        self._began = began
        self._clock = clock
        self._wire = wire
        self._live: dict[str, _Live] = {}
        self._claiming: set[asyncio.Task[tuple[Run, bool]]] = set()
        self._client: httpx.AsyncClient | None = None
        self._local_client: httpx.AsyncClient | None = None
        self._making_client = asyncio.Lock()
        self._closing = asyncio.Event()
        self.hub = Hub()
        self.journal = Journal(
            directory,
            recover=self._recover,
            announce=self._announce,
            log=log,
        )
        self.scheduler = Scheduler(self.journal, self._resume, log, clock=clock, later=later)
        self._neighbours = Neighbours(self.journal, self._look_around, log)
        self.retention = Retention(self.journal, limits, log, clock)

    async def open(self) -> None:
        """Open the journal, and end the runs that dead processes left."""
        try:
            await self.journal.open()
        except JournalError as error:
            # Each later use tries again and tells its caller.
            self._log.error("turnbook: %s", error)
        self._neighbours.start()
        self.retention.start()
        try:
            await self._http("")
        except ProxyUnusable as error:
            # Each use of a provider tells its caller.
            self._log.error("turnbook: %s", error)

    @property
    def live(self) -> dict[str, str]:
        """The chats of the living runs, by run."""
        return {run: live.run.chat for run, live in self._live.items()}

    @property
    def activity(self) -> dict[str, str]:
        """The chats in which something lives or waits for its next attempt, by run or pair."""
        return {**{pair: chat for chat, pair in self.scheduler.waiting}, **self.live}

    async def create(self, wanted: Claim, *, is_retry: bool = False) -> tuple[Run, bool]:
        """Claim a run on disk and begin it; False if this claim was made before.

        Raises what `records.claim` raises, `UnknownProvider`, `LocalMissing`, and `JournalError`
        when the claim could not be written. In all these cases nothing was sent.
        """
        try:
            await self._registry.check(wanted.provider)
        except (UnknownProvider, LocalMissing):
            # Asked again, a claim that was taken is answered whatever became of the provider.
            if await self.journal.read(lambda db: records.find(db, wanted.id)) is None:
                raise
        # A task of its own: once claimed it begins, even if the caller has gone.
        claiming = asyncio.create_task(self._claim(wanted, is_retry))
        self._claiming.add(claiming)
        claiming.add_done_callback(self._claiming.discard)
        return await asyncio.shield(claiming)

    async def stop(self, chat: str, run_id: str) -> Run:
        """Stop a run of a chat and the retrying of its turn; one that has ended stays as it is."""
        run = await self.journal.read(lambda db: records.of_chat(db, chat, run_id))
        newest = await self.set_auto(run.chat, run.pair, False)
        if run.alive:
            await self._stop_living(run)
        elif newest.alive and newest.automatic:
            # It has begun by itself while the user was reaching for Stop.
            await self._stop_living(newest)
        return await self.journal.read(lambda db: records.get(db, run_id))

    async def set_auto(self, chat: str, pair: str, auto: bool) -> Run:
        """Switch the server's own retrying of a turn on or off; gives its newest run."""
        at = self._clock()
        return await self.journal.write(lambda tx: records.set_auto(tx, chat, pair, auto, at))

    async def latest(self, chat: str, pair: str) -> Run:
        """The newest run of a turn."""
        return await self.journal.read(lambda db: records.latest(db, chat, pair))

    async def retry_now(self, chat: str, pair: str) -> Run:
        """Start the next attempt of a turn at once, going on from what has arrived if it can."""
        last = await self.latest(chat, pair)
        if not retry.retryable(last.state):
            raise NotRetryable(last.id)
        run, _ = await self.create(await self._next_claim(last), is_retry=True)
        return run

    async def _resume(self, waiting: Waiting) -> None:
        """Make the attempt that waited; quiet if it is not wanted any more or was made elsewhere."""
        try:
            last = await self.latest(waiting.chat, waiting.pair)
            try:
                wanted = await self._next_claim(last)
                await self.create(
                    replace(wanted, generation=waiting.generation, attempt=waiting.attempt),
                    is_retry=True,
                )
            except (
                UnknownProvider,
                LocalMissing,
                records.Damaged,
                # Of a run that it goes on from.
                records.NoSuchRun,
                ValueError,
            ) as error:
                why = _why_not(error, last)
                await self.journal.write(lambda tx: turns.pause(tx, last, waiting.generation, why))
        except (
            records.Superseded,
            records.AttemptExists,
            records.NoSuchRun,
            records.Damaged,
        ):
            self._log.debug("turnbook: a retry of %s is not wanted any more", waiting.pair)
        except records.ChatBusy as error:
            if error.run.owner != self.journal.owner:
                raise Hindered("another server answers in this chat") from error
        except JournalError as error:
            raise Hindered(str(error)) from error

    async def _next_claim(self, last: Run) -> Claim:
        provider = await asyncio.to_thread(self._registry.get, last.provider)

        def read(db: sqlite3.Connection) -> tuple[Partial, bytes]:
            first, partial_reply = records.reply_so_far(db, last)
            return partial_reply, records.body(db, first.id)[0]

        arrived, body = await self.journal.read(read)
        refused = continuation.refused_to_go_on(last)
        how: Continuation = "restart" if refused else provider.continuation
        next_body = continuation.next_body(body, arrived, how)
        goes_on = how if next_body != body and how != "restart" else None
        return Claim(
            id=str(uuid.uuid4()),
            chat=last.chat,
            pair=last.pair,
            cell=last.cell,
            after=last.after,
            provider=last.provider,
            model=last.model,
            body=next_body,
            continues=last.id if goes_on else None,
            replaces=None if goes_on else last.id if arrived else last.replaces,
            goes_on=goes_on,
            attempt=last.attempt + 1,
        )

    async def follow(self, run_id: str, after: int) -> AsyncGenerator[Run | Event, None]:
        """A run and its events after a number, then what comes, without gap or repetition.

        The run itself comes first and again whenever its state changes; it ends with the end event.
        """
        async with aclosing(self.follow_in_batches(run_id, after)) as batches:
            async for batch in batches:
                if isinstance(batch, Run):
                    yield batch
                else:
                    for event in batch:
                        yield event

    async def follow_in_batches(
        self, run_id: str, after: int
    ) -> AsyncGenerator[Run | list[Event], None]:
        """As `follow`, with the events in lists of what was there at one moment."""
        state: State | None = None
        with self.hub.listen(run_id) as bell:
            while True:
                bell.clear()
                live = self._live.get(run_id)
                known = live.known if live else None
                # What a living run has just got needs no reading.
                news = live.tail.after(after) if live and known and known.alive else None
                if live is not None and known is not None and news is not None:
                    if known.state != state:
                        state = known.state
                        yield replace(known, events=live.tail.last)
                    elif not news:
                        await self._changed(bell, known)
                    if news:
                        after = news[-1].n
                        yield news
                    continue
                page = await self.journal.read(
                    partial(records.page, run=run_id, after=after, limit=_PAGE)
                )
                run = page.run
                if live is not None and live.known is None:
                    live.known = run
                if state is None or (run.alive and run.state != state):
                    state = run.state
                    yield run
                if page.events:
                    after = page.events[-1].n
                    yield page.events
                if after < run.events:
                    continue
                if not run.alive:
                    if run.state != state:
                        yield run
                    return
                await self._changed(bell, run)

    @property
    def closing(self) -> bool:
        """Whether the server is shutting down."""
        return self._closing.is_set()

    async def close(self) -> None:
        """End every living run as interrupted, then close the journal."""
        self._closing.set()
        self._neighbours.stop()
        self.retention.stop()
        await self.scheduler.close()
        if self._claiming:
            await asyncio.wait(self._claiming)
        tasks = [self._cancel(live, "lose") for live in list(self._live.values())]
        await asyncio.gather(*(task for task in tasks if task is not None), return_exceptions=True)
        for client in (self._client, self._local_client):
            if client is not None:
                await client.aclose()
        await self.journal.close()

    def _recover(self, tx: Tx) -> None:
        for run in quarantine.inspect(tx):
            self._log.error(
                "turnbook: run %s cannot be read in the journal and was set apart.", run
            )
        records.recover(tx, self._clock())

    def _announce(self, changes: list[Change]) -> None:
        self._active()
        for change in changes:
            live = self._live.get(change.run)
            if live is None:
                continue
            if change.events:
                live.tail.add(change.events)
            if change.state:
                live.known = change.now
                if live.end is not None:
                    live.wake.set()
        self.hub.announce(changes)
        self.scheduler.changed(changes)

    async def _changed(self, bell: asyncio.Event, run: Run) -> None:
        if run.id in self._live:
            await bell.wait()
            return
        # Another process owns it and rings no bell here.
        try:
            await asyncio.wait_for(bell.wait(), _FOREIGN_POLL)
        except asyncio.TimeoutError:
            await self._bury_dead()

    async def _look_around(self) -> None:
        await self._bury_dead()
        self.scheduler.scan()

    async def _bury_dead(self) -> None:
        at = self._clock()
        await self.journal.write(lambda tx: records.recover(tx, at))

    async def _http(self, base_url: str) -> httpx.AsyncClient:
        async with self._making_client:
            if self._client is not None:
                return self._client
            if self._local_client is not None and is_loopback(base_url):
                return self._local_client
            client = await client_for(base_url)
            if client.trust_env:
                self._client = client
            else:
                self._local_client = client
            return client

    async def _claim(self, wanted: Claim, is_retry: bool) -> tuple[Run, bool]:
        at = self._clock()
        # The embedded model may have to be started first, and while it is, nothing has been sent.
        at_once = wanted.provider != LOCAL

        # An end that could not be written may not lock its chat any longer than the disk is full.
        ends = [
            live.end for live in self._live.values() if live.end and live.run.chat == wanted.chat
        ]

        def write(tx: Tx) -> tuple[Run, bool]:
            for end in ends:
                end(tx)
            run, made = records.claim(tx, wanted, at, retry=is_retry)
            if made and at_once:
                run = records.happen(tx, run.id, "send", at)
            return run, made

        run, made = await self.journal.write(write, durable=True)
        if made:
            live = _Live(run, run)
            self._live[run.id] = live
            live.task = asyncio.create_task(self._live_on(live, wanted.body))
            try:
                self._began(run, wanted)
            except Exception:  # noqa: BLE001 - whoever listens must not disturb the run
                self._log.exception("turnbook: the beginning of run %s was not told", run.id)
        return run, made

    def _cancel(self, live: _Live, reason: Literal["stop", "lose"]) -> asyncio.Task[None] | None:
        if live.end is not None:
            live.wake.set()
        elif live.reason is None:
            live.reason = reason
            # A task that is cancelled before its first step never runs, so it could not end its run.
            if live.task is not None and live.begun:
                live.task.cancel()
        return live.task

    async def _stop_living(self, run: Run) -> None:
        if self._claiming:
            # It may be claimed on disk and not yet begun here.
            await asyncio.wait(self._claiming)
        live = self._live.get(run.id)
        if live is not None:
            task = self._cancel(live, "stop")
            if task is not None:
                await asyncio.wait([task])
            return
        await self._bury_dead()
        if (await self.journal.read(lambda db: records.get(db, run.id))).alive:
            raise ElsewhereAlive(run.id)

    async def _live_on(self, live: _Live, body: bytes) -> None:
        live.begun = True
        try:
            end = self._cancelled(live) if live.reason else await self._attempt(live.run, body)
        except asyncio.CancelledError:
            end = self._cancelled(live)
        except JournalError as error:
            self._log.error("turnbook: run %s cannot be recorded: %s", live.run.id, error)
            end = "lose", Outcome("server", "journal", message=str(error))
        except Exception:  # noqa: BLE001 - whatever broke, the run must get an end
            self._log.exception("turnbook: run %s broke", live.run.id)
            end = (
                "fail",
                Outcome(
                    "unknown", "internal", message="Turnbook broke; the server's log says more."
                ),
            )
        live.end = self._writes_end(live.run, *end)
        try:
            await self._write_end(live, live.end)
        finally:
            del self._live[live.run.id]

    def _cancelled(self, live: _Live) -> End:
        if live.reason == "stop":
            return "stop", Outcome(message="Stopped.")
        return "lose", Outcome(
            "network",
            "network",
            message="The Jupyter server was stopped while this reply was on its way. "
            "What arrived is kept; retry to go on.",
        )

    async def _attempt(self, run: Run, body: bytes) -> End:
        with self._registry.local.use() if run.provider == LOCAL else nullcontext():
            return await self._send(run, body)

    async def _send(self, run: Run, body: bytes) -> End:
        try:
            provider = await self._registry.prepare(run.provider)
        except UnknownProvider as error:
            return "fail", Outcome("unknown", "unknown-provider", message=str(error))
        except (LocalMissing, LocalFailed) as error:
            code = "local-missing" if isinstance(error, LocalMissing) else "local-failed"
            return "fail", Outcome("unknown", code, message=error.message)
        try:
            client = await self._http(provider.base_url)
        except ProxyUnusable as error:
            return "fail", classify.bad_proxy(str(error))

        async def answered() -> None:
            at = self._clock()
            await self.journal.write(lambda tx: records.happen(tx, run.id, "answer", at))

        async def chunks(data: list[str]) -> None:
            await self.journal.write(lambda tx: records.append(tx, run.id, run.chat, data))

        if run.state == "claimed":
            at = self._clock()
            # Durable like the claim: after a power cut it must be known that it may have left.
            await self.journal.write(
                lambda tx: records.happen(tx, run.id, "send", at), durable=True
            )
        wire = self._wire(client, provider, answered=answered, chunks=chunks)
        try:
            return await wire.send(body)
        except asyncio.CancelledError:
            if wire.finish is not None:
                return "finish", Outcome(status=200, finish=wire.finish)
            raise

    def _writes_end(self, run: Run, happening: Happening, outcome: Outcome) -> Callable[[Tx], None]:
        at = self._clock()

        def write(tx: Tx) -> None:
            try:
                records.happen(tx, run.id, happening, at, outcome)
            except records.Damaged:
                quarantine.set_apart(tx, run.id, "What the journal says about it cannot be read.")
                tx.changed(run.id, run.chat)
            except records.NoSuchRun:
                self._log.error("turnbook: run %s is not in the journal any more", run.id)
                tx.changed(run.id, run.chat)

        return write

    async def _write_end(self, live: _Live, end: Callable[[Tx], None]) -> None:
        """Write the end of a run, however long the journal cannot be written."""
        for wait in chain(_FINISH_AGAIN, repeat(_FINISH_AGAIN[-1])):
            live.wake.clear()
            try:
                await self.journal.write(end)
                return
            except JournalError as error:
                self._log.warning(
                    "turnbook: the end of run %s cannot be recorded: %s", live.run.id, error
                )
                if self._closing.is_set():
                    return
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(live.wake.wait(), wait)


def _why_not(error: Exception, last: Run) -> str:
    if isinstance(error, UnknownProvider):
        return f"The provider {last.provider} is not there any more. Add it again, then retry."
    if isinstance(error, LocalMissing):
        return error.message
    return "What had arrived of this reply cannot be read in the journal. Send the message again."
