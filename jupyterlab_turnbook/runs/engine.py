"""The engine, which owns this server's live runs."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import nullcontext, suppress
from contextvars import Context
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..base import classify
from ..base.http import ProxyUnusable
from ..base.outcome import Outcome
from ..providers.registry import (
    LOCAL,
    Continuation,
    LocalFailed,
    LocalMissing,
    ProviderRegistry,
    UnknownProvider,
)
from . import commands, continuation, quarantine, queries, retry, turns
from .appending import Append
from .clients import Clients
from .continuation import Partial
from .direct import write_before
from .follow import Followers
from .hub import Hub
from .journal import Journal, JournalError
from .live import Live, writes_end
from .model import Claim, Event, Run, TurnKey
from .neighbours import Neighbours
from .reply import End
from .retention import Limits, Retention
from .retry import Waiting
from .scheduler import Hindered, Later, Scheduler
from .transaction import Change, Tx
from .wire import NO_REQUEST, Ready, Wire, request_to

_NO_MEMORY = "The Jupyter server had no memory left. What arrived is kept; retry to go on."

_LARGE = 64 * 1024
"""Bytes of a body from which work on it must not be done on the event loop."""


class NotRetryable(Exception):
    """The turn's last run is still alive or finished normally."""


class ElsewhereAlive(Exception):
    """The run belongs to another server process; only that process can stop it."""


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Engine:
    """Claims, sends, follows and stops runs. A run continues whether or not a page is open."""

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
        self._live: dict[str, Live] = {}
        self._claiming: set[asyncio.Task[list[tuple[Run, bool]]]] = set()
        self._clients = Clients()
        self._closing = asyncio.Event()
        self.hub = Hub()
        self.journal = Journal(
            directory,
            recover=self._recover,
            announce=self._announce,
            log=log,
        )
        self.scheduler = Scheduler(
            self.journal, self._resume, log, clock=clock, later=later, armed=active
        )
        self._neighbours = Neighbours(self.journal, self._look_around, log)
        self._elsewhere: dict[str, Run] = {}
        """The open runs of other servers, as pages were told of them."""
        self.retention = Retention(self.journal, limits, log, clock)
        self.followers = Followers(self.journal, self.hub, self._live, self._bury_dead)

    async def open(self) -> None:
        """Open the journal and end the runs left behind by dead processes."""
        try:
            await self.journal.open()
        except JournalError as error:
            # Each later use tries again and reports the error to its caller; so below.
            self._log.error("turnbook: %s", error)
        self._neighbours.start()
        self.retention.start()
        try:
            await self._clients.get("")
        except ProxyUnusable as error:
            self._log.error("turnbook: %s", error)

    @property
    def live(self) -> dict[str, str]:
        """Maps each live run to its chat."""
        return {run: live.run.chat for run, live in self._live.items()}

    @property
    def activity(self) -> dict[str, str]:
        """Maps each live run, and each pair waiting for its next attempt, to its chat."""
        return {**{turn.pair: turn.chat for turn in self.scheduler.waiting}, **self.live}

    async def create(self, wanted: Claim, *, is_retry: bool = False) -> tuple[Run, bool]:
        """Claim a run on disk and start it. The flag is False if this claim was made before.

        Raises what `commands.claim` raises, `UnknownProvider`, `LocalMissing`, or `JournalError`
        if the claim could not be written. In all these cases nothing was sent.
        """
        [made] = await self.create_all([wanted], is_retry=is_retry)
        return made

    async def create_all(
        self, wanted: Sequence[Claim], *, is_retry: bool = False
    ) -> list[tuple[Run, bool]]:
        """Claim siblings on disk, all or none, and start them; like `create`."""
        for each in wanted:
            try:
                await self._registry.check(each.provider, each.model)
            except (UnknownProvider, LocalMissing):
                # A repeated claim gets its run back, even if the provider has been removed since.
                if await self.journal.read(partial(queries.find, run=each.id)) is None:
                    raise
        # A separate task: once claimed, the runs start even if the caller is cancelled.
        claiming = asyncio.create_task(self._claim(wanted, is_retry))
        self._claiming.add(claiming)
        claiming.add_done_callback(self._claiming.discard)
        return await asyncio.shield(claiming)

    async def prepare(self, provider: str) -> None:
        """Open a connection to a provider, because somebody writes a message to it.

        Nothing is sent on it, and no key is read. One that does not exist is ignored: sending says so.
        """
        if provider == LOCAL:
            return
        try:
            found = await asyncio.to_thread(self._registry.get, provider)
        except UnknownProvider:
            return
        await self._clients.prepare(found.base_url, found.timeouts.connect)

    async def stop(self, chat: str, run_id: str) -> Run:
        """Stop a run and the retries of its turn. A run that has ended does not change."""
        run = await self.journal.read(lambda db: queries.of_chat(db, chat, run_id))
        newest = await self.set_auto(run.turn_key, False)
        if run.alive:
            await self._stop_living(run)
        elif newest.alive and newest.automatic:
            # An automatic retry started while the user was reaching for Stop.
            await self._stop_living(newest)
        return await self.journal.read(lambda db: queries.get(db, run_id))

    async def set_auto(self, turn: TurnKey, auto: bool) -> Run:
        """Turn automatic retries of a turn on or off; returns its newest run."""
        at = self._clock()
        # Durable: what the user ended must not go on after a power cut.
        return await self.journal.write(
            lambda tx: commands.set_auto(tx, turn, auto, at), durable=True
        )

    async def latest(self, turn: TurnKey) -> Run:
        """The newest run of a turn."""
        return await self.journal.read(lambda db: queries.latest(db, turn))

    async def retry_now(self, turn: TurnKey) -> Run:
        """Start the next attempt of a turn at once, continuing the partial reply if possible."""
        last = await self.latest(turn)
        if not retry.retryable(last.state):
            raise NotRetryable(last.id)
        run, _ = await self.create(await self._next_claim(last), is_retry=True)
        return run

    async def _resume(self, waiting: Waiting) -> None:
        """Make the attempt that was due. Does nothing if it was cancelled or made elsewhere."""
        try:
            last = await self.latest(waiting.turn)
            try:
                wanted = await self._next_claim(last)
                await self.create(
                    replace(wanted, generation=waiting.generation, attempt=waiting.attempt),
                    is_retry=True,
                )
            except (
                UnknownProvider,
                LocalMissing,
                queries.Damaged,
                # Raised here for a run that this one continues.
                queries.NoSuchRun,
                ValueError,
            ) as error:
                why = _pause_reason(error, last)
                await self.journal.write(lambda tx: turns.pause(tx, last, waiting.generation, why))
        except (
            commands.Superseded,
            commands.AttemptExists,
            queries.NoSuchRun,
            queries.Damaged,
        ):
            self._log.debug("turnbook: a retry of %s is no longer wanted", waiting.turn.pair)
            # If the journal cannot be read now, the next look around tells it.
            with suppress(JournalError):
                await self._tell_newest(waiting.turn)
        except commands.ChatBusy as error:
            if error.run.owner != self.journal.owner:
                with suppress(JournalError):
                    await self._tell_newest(error.run.turn_key)
                raise Hindered("another server answers in this chat") from error
        except JournalError as error:
            raise Hindered(str(error)) from error

    async def _next_claim(self, last: Run) -> Claim:
        provider = await asyncio.to_thread(self._registry.get, last.provider)

        refused = continuation.refused_to_go_on(last)
        how: Continuation = "restart" if refused else provider.continuation

        def read(db: sqlite3.Connection) -> tuple[Partial, bytes, bytes, dict[str, Any]]:
            first, partial_reply = queries.reply_so_far(db, last)
            body = queries.body(db, first.id)[0]
            following = continuation.next_body(body, partial_reply, how)
            return partial_reply, body, following, queries.whole_cell(db, last.id)

        arrived, body, next_body, cell = await self.journal.read(read)
        goes_on = how if next_body != body and how != "restart" else None
        return Claim(
            id=str(uuid.uuid4()),
            chat=last.chat,
            pair=last.pair,
            cell=cell,
            after=last.after,
            provider=last.provider,
            model=last.model,
            body=next_body,
            continues=last.id if goes_on else None,
            replaces=None if goes_on else last.id if arrived else last.replaces,
            goes_on=goes_on,
            attempt=last.attempt + 1,
            group=last.group,
            sibling=last.sibling,
        )

    def follow(self, run_id: str, after: int) -> AsyncGenerator[Run | Event, None]:
        """A run and its events after number `after`, then new ones; see `Followers.follow`."""
        return self.followers.follow(run_id, after)

    @property
    def closing(self) -> bool:
        """Whether the server is shutting down."""
        return self._closing.is_set()

    async def close(self) -> None:
        """End every live run as interrupted, then close the journal."""
        self._closing.set()
        self._neighbours.stop()
        self.retention.stop()
        await self.scheduler.close()
        if self._claiming:
            await asyncio.wait(self._claiming)
        tasks = [live.cancel("lose") for live in list(self._live.values())]
        await asyncio.gather(*(task for task in tasks if task is not None), return_exceptions=True)
        await self._clients.close()
        await self.journal.close()

    def _recover(self, tx: Tx) -> None:
        for run in quarantine.inspect(tx):
            self._log.error(
                "turnbook: run %s cannot be read in the journal and was set apart.", run
            )
        commands.recover(tx, self._clock())

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

    async def _look_around(self) -> None:
        await self._bury_dead()
        self.scheduler.scan()
        if self.hub.listeners:
            await self._tell_of_others()

    async def _tell_of_others(self) -> None:
        """Tell pages what other servers did with open runs since the last time."""

        def read(db: sqlite3.Connection) -> list[Run]:
            runs = queries.select(db, open_only=True)
            return [run for run in runs if run.owner != self.journal.owner]

        found = {run.id: run for run in await self._newest(read)}
        before = self._elsewhere
        for run in found.values():
            if before.get(run.id) != run:
                self._tell(run)
        for run in before.values():
            if run.id not in found:
                await self._tell_newest(run.turn_key)
        self._elsewhere = found

    async def _tell_newest(self, turn: TurnKey) -> None:
        """Tell pages what another server may have done with a turn meanwhile."""
        try:
            [run] = await self._newest(lambda db: [queries.latest(db, turn)])
            self._tell(run)
        except (queries.NoSuchRun, queries.Damaged) as error:
            self._log.debug("turnbook: nothing is told of %s: %s", turn.pair, error)

    async def _newest(self, read: Callable[[sqlite3.Connection], list[Run]]) -> list[Run]:
        """Runs of the journal, read again if one of them was announced meanwhile: that may be newer."""
        while True:
            with self.hub.noting() as noted:
                runs = await self.journal.read(read)
            if noted.isdisjoint(run.id for run in runs):
                return runs

    def _tell(self, run: Run) -> None:
        self.hub.announce([Change(run.id, run.chat, state=True, now=run)])

    async def _bury_dead(self) -> None:
        at = self._clock()
        await self.journal.write(lambda tx: commands.recover(tx, at))

    async def _claim(self, wanted: Sequence[Claim], is_retry: bool) -> list[tuple[Run, bool]]:
        prepared = [
            await asyncio.to_thread(commands.prepare, each) if len(each.body) > _LARGE else None
            for each in wanted
        ]
        at = self._clock()

        # If the end of an earlier run could not be written, write it now so it frees the chat.
        chats = {each.chat for each in wanted}
        ends = [live.end for live in self._live.values() if live.end and live.run.chat in chats]

        readying: dict[str, asyncio.Task[Ready]] = {}
        loop = asyncio.get_running_loop()

        def make_ready(each: Claim) -> None:
            if each.id not in readying:
                readying[each.id] = asyncio.create_task(
                    self._ready(each.provider, each.model, each.body)
                )

        def write(tx: Tx) -> list[tuple[Run, bool]]:
            for end in ends:
                end(tx)
            claimed = []
            for each, ready in zip(wanted, prepared, strict=True):
                # The embedded model may have to start first; until then the run is not `sending`.
                sends = each.provider != LOCAL
                claimed.append(
                    commands.claim(tx, each, at, retry=is_retry, sends=sends, prepared=ready)
                )
            for each, (run, made) in zip(wanted, claimed, strict=True):
                if made and run.state == "sending":
                    # While the claim is synced, which leaves Python to others; nothing is sent before.
                    loop.call_soon_threadsafe(make_ready, each)
            return claimed

        try:
            claimed = await self.journal.write(write, durable=True)
            for each, (run, made) in zip(wanted, claimed, strict=True):
                if made:
                    self._begin(run, each, readying.pop(run.id, None))
        finally:
            for unused in readying.values():
                # Also if it is done: nobody will ask for its error.
                unused.cancel()
        return claimed

    def _begin(self, run: Run, wanted: Claim, ready: asyncio.Task[Ready] | None) -> None:
        live = Live(run, run, ready=ready)
        self._live[run.id] = live
        # In the context of who asked is the whole HTTP request, which the run would keep.
        live.task = Context().run(asyncio.create_task, self._run_to_end(live, wanted.body))
        try:
            self._began(run, wanted)
        except Exception:  # noqa: BLE001 - a failing listener must not affect the run
            self._log.exception("turnbook: the start of run %s could not be reported", run.id)

    async def _stop_living(self, run: Run) -> None:
        if self._claiming:
            # The run may be claimed on disk but not started here yet.
            await asyncio.wait(self._claiming)
        live = self._live.get(run.id)
        if live is not None:
            task = live.cancel("stop")
            if task is not None:
                await asyncio.wait([task])
            return
        await self._bury_dead()
        if (await self.journal.read(lambda db: queries.get(db, run.id))).alive:
            raise ElsewhereAlive(run.id)

    async def _run_to_end(self, live: Live, body: bytes) -> None:
        live.begun = True
        try:
            end = self._cancelled(live) if live.reason else await self._attempt(live, body)
        except asyncio.CancelledError:
            end = self._cancelled(live)
        except JournalError as error:
            self._log.error("turnbook: run %s cannot be recorded: %s", live.run.id, error)
            end = "lose", Outcome("server", "journal", message=str(error))
        except MemoryError:
            # There may be some again soon, so this is worth another attempt.
            self._log.error("turnbook: run %s ends, since no memory is left", live.run.id)
            end = "lose", Outcome("server", "memory", message=_NO_MEMORY)
        except Exception:  # noqa: BLE001 - every run must get an end
            self._log.exception("turnbook: run %s failed unexpectedly", live.run.id)
            end = (
                "fail",
                Outcome("unknown", "internal", message="Turnbook failed; see the server's log."),
            )
        live.end = writes_end(live.run, *end, self._clock(), self._log, live.noted)
        try:
            await live.write_end(self.journal, self._closing, self._log)
        finally:
            del self._live[live.run.id]

    def _cancelled(self, live: Live) -> End:
        if live.reason == "stop":
            return "stop", Outcome(message="Stopped.")
        return "lose", Outcome(
            "network",
            "network",
            message="The Jupyter server was stopped while this reply was on its way. "
            "What arrived is kept; retry to go on.",
        )

    async def _attempt(self, live: Live, body: bytes) -> End:
        run = live.run
        with self._registry.local.use(run.model) if run.provider == LOCAL else nullcontext():
            return await self._send(live, body)

    async def _ready(self, name: str, model: str, body: bytes) -> Ready:
        as_of = self._registry.changes
        provider = await self._registry.prepare(name, model)
        client = await self._clients.get(provider.base_url)
        with suppress(*NO_REQUEST):
            request = request_to(client, provider, body)
            write_before(client, request)
            return Ready(provider, client, as_of, request)
        # Sending meets the same error, and says what it is.
        return Ready(provider, client, as_of)

    async def _send(self, live: Live, body: bytes) -> End:
        run = live.run
        try:
            waiting, live.ready = live.ready, None
            ready = await (waiting or self._ready(run.provider, run.model, body))
            while ready.as_of != self._registry.changes:
                # The sync may have taken long; what was corrected or deleted meanwhile must not be used.
                ready = await self._ready(run.provider, run.model, body)
        except UnknownProvider as error:
            return "fail", Outcome("unknown", "unknown-provider", message=str(error))
        except (LocalMissing, LocalFailed) as error:
            code = "local-missing" if isinstance(error, LocalMissing) else "local-failed"
            return "fail", Outcome("unknown", code, message=error.message)
        except ProxyUnusable as error:
            return "fail", classify.bad_proxy(str(error))

        # Both queue their write at once: the answer is to be written before its chunks.
        def answered() -> asyncio.Future[None]:
            at = self._clock()

            def write(tx: Tx) -> None:
                commands.happen(tx, run.id, "answer", at)
                commands.respond(tx, run.id, wire.received, left_at)

            return self.journal.submit(write)

        def chunks(data: list[str]) -> asyncio.Future[int]:
            marks = wire.received.take(len(data))
            return self.journal.submit(Append(run.id, run.chat, data, marks, live.tail.last))

        if run.state == "claimed":
            at = self._clock()
            # Durable like the claim: after a power cut we must know that it may have been sent.
            await self.journal.write(
                lambda tx: commands.happen(tx, run.id, "send", at), durable=True
            )
        wire = self._wire(ready.client, ready.provider, answered=answered, chunks=chunks)
        left_at = self._clock()
        live.noted = lambda tx: commands.respond(tx, run.id, wire.received, left_at)
        try:
            sending = wire.send(body, ready.request)
            # A request is much of the memory of a run.
            del ready, waiting
            return await sending
        except asyncio.CancelledError:
            if wire.finish is not None:
                return "finish", Outcome(status=200, finish=wire.finish)
            raise


def _pause_reason(error: Exception, last: Run) -> str:
    if isinstance(error, UnknownProvider):
        return f"The provider {last.provider} no longer exists. Add it again, then retry."
    if isinstance(error, LocalMissing):
        return error.message
    return "The journal's record of the partial reply cannot be read. Send the message again."
