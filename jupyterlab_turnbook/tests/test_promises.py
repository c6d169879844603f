"""The engine keeps its promises after every step of anything that can happen to it.

`TURNBOOK_EXAMPLES=500 pytest -k promises` tries more examples.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from jupyterlab_turnbook.runs import commands, continuation, queries
from jupyterlab_turnbook.runs.commands import AttemptExists, ChatBusy
from jupyterlab_turnbook.runs.engine import ElsewhereAlive, NotRetryable
from jupyterlab_turnbook.runs.model import Claim, Run, TurnKey
from jupyterlab_turnbook.runs.retry import MOST_BILLED, backoff

from . import simulation
from .simulation import Request, Server, World, reply_to

T = TypeVar("T")

CHATS = ("a", "b")
REFUSALS = [(503, None), (429, None), (429, 7.0), (401, None), (400, None), (402, None)]


@dataclass
class Wish:
    """What the user last wanted for a pair."""

    quiet: bool = False
    """Whether nothing may be sent for it automatically."""
    automatic: int = 0
    """How many automatic attempts there were at that time."""


class Promises(RuleBasedStateMachine):
    """Two servers on one journal, a provider and a user, all of them unlucky."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="turnbook-promises-"))
        self.loop = asyncio.new_event_loop()
        self.world = World(self.folder / "journal")
        self.servers: list[Server] = []
        self.wishes: defaultdict[tuple[str, str], Wish] = defaultdict(Wish)
        self.pairs: list[tuple[str, str]] = []
        self.runs: list[Run] = []
        self.sent_before: dict[str, int] = {}
        self.do(self.start())

    # Steps

    @rule(
        server=st.integers(0, 1),
        chat=st.sampled_from(CHATS),
        auto=st.sampled_from([True] * 4 + [False]),
    )
    def send(self, server: int, chat: str, auto: bool) -> None:
        self.claim(server, chat, f"{chat}{len(self.pairs)}", auto=auto)

    @precondition(lambda self: self.pairs)
    @rule(server=st.integers(0, 1), data=st.data())
    def edit_and_resend(self, server: int, data: Any) -> None:
        chat, pair = data.draw(st.sampled_from(self.pairs))
        self.claim(server, chat, pair, resend=True)

    @precondition(lambda self: self.pairs)
    @rule(server=st.integers(0, 1), data=st.data())
    def retry_now(self, server: int, data: Any) -> None:
        chat, pair = data.draw(st.sampled_from(self.pairs))
        refused = (NotRetryable, ChatBusy, AttemptExists)
        self.attempt(self.engine(server).retry_now(TurnKey(chat, pair)), refused)

    @precondition(lambda self: self.runs)
    @rule(server=st.integers(0, 1), data=st.data())
    def stop(self, server: int, data: Any) -> None:
        run = data.draw(st.sampled_from(self.runs))
        self.attempt(self.engine(server).stop(run.chat, run.id), (ElsewhereAlive,))
        self.quiet(run)
        # If this server could stop it, neither it nor an automatic retry of the pair is alive.
        newest = [each for each in self.runs if (each.chat, each.pair) == (run.chat, run.pair)][-1]
        mine = self.engine(server).journal.owner
        assert not (
            newest.alive and newest.owner == mine and (newest.automatic or newest.id == run.id)
        )

    @precondition(lambda self: self.pairs)
    @rule(server=st.integers(0, 1), data=st.data(), auto=st.booleans())
    def switch_auto_retry(self, server: int, data: Any, auto: bool) -> None:
        chat, pair = data.draw(st.sampled_from(self.pairs))
        self.wishes[chat, pair].quiet = False
        self.attempt(self.engine(server).set_auto(TurnKey(chat, pair), auto))
        if not auto:
            self.quiet(self.newest(chat, pair))

    @precondition(lambda self: self.runs)
    @rule(
        server=st.integers(0, 1),
        data=st.data(),
        what=st.sampled_from(["landed", "dropped", "back"]),
    )
    def land_or_drop(self, server: int, data: Any, what: str) -> None:
        run = data.draw(st.sampled_from(self.runs))
        write = self.engine(server).journal.write
        if what == "landed":
            landing = write(lambda tx: commands.land(tx, run.chat, run.id))
            self.attempt(landing, (commands.StillAlive,))
        else:
            self.attempt(
                write(lambda tx: commands.drop(tx, run.chat, run.id, dropped=what == "dropped"))
            )
        if what == "dropped":
            self.quiet(run)

    @precondition(lambda self: self.world.open_requests())
    @rule(
        data=st.data(),
        pieces=st.integers(1, 3),
        then=st.sampled_from(["go on"] * 4 + ["finish", "break"]),
    )
    def the_provider_answers(self, data: Any, pieces: int, then: str) -> None:
        request = self.request(data)
        if not request.answered:
            request.answered = True
            self.command(request, simulation.answer)
        self.command(request, simulation.say(request, request.rest[:pieces]))
        if then == "finish":
            self.command(request, simulation.say(request, request.rest))
            self.command(request, simulation.finish)
        elif then == "break":
            self.command(request, simulation.break_off)

    @precondition(lambda self: self.world.open_requests())
    @rule(data=st.data(), how=st.sampled_from(REFUSALS))
    def the_provider_refuses(self, data: Any, how: tuple[int, float | None]) -> None:
        request = self.request(data)
        if not request.answered:
            self.command(request, simulation.refuse(*how))

    @precondition(lambda self: self.world.open_requests())
    @rule(data=st.data())
    def the_connection_breaks(self, data: Any) -> None:
        self.command(self.request(data), simulation.break_off)

    @rule(ms=st.sampled_from([1, 999, 1000, 2500, 8000, 60_000, 3_600_000]))
    def time_passes(self, ms: int) -> None:
        self.do(self.pass_(ms))

    @rule(server=st.integers(0, 1))
    def a_server_is_killed(self, server: int) -> None:
        self.do(self.servers[server % len(self.servers)].die())
        self.do(self.replace())

    @rule(
        server=st.integers(0, 1),
        when=st.sampled_from(["before", "after"]),
        step=st.sampled_from(["send", "answer", "wait"]),
        data=st.data(),
    )
    def a_server_is_killed_around_a_write(
        self, server: int, when: str, step: str, data: Any
    ) -> None:
        victim = self.servers[server % len(self.servers)]
        victim.deaf = when
        if step == "send":
            # The caller does not know whether the claim was written.
            chat = data.draw(st.sampled_from(CHATS))
            pair = f"{chat}{len(self.pairs)}"
            self.pairs.append((chat, pair))
            asking = self.loop.create_task(victim.engine.create(new_claim(chat, pair)))
            self.do(self.hang(victim, asking))
        elif step == "answer" and (
            own := [r for r in self.world.open_requests() if r.run.id in victim.engine.live]
        ):
            request = own[0]
            if not request.answered:
                request.answered = True
                request.commands.put_nowait(simulation.answer)
            else:
                request.commands.put_nowait(simulation.say(request, request.rest[:2]))
            self.do(self.hang(victim, None))
        else:
            self.do(self.hang(victim, None, 60_000))
        self.do(victim.die())
        self.do(self.replace())

    @rule(server=st.integers(0, 1))
    def a_server_is_shut_down(self, server: int) -> None:
        self.do(self.servers[server % len(self.servers)].shut_down())
        self.do(self.replace())

    @precondition(lambda self: len(self.servers) == 1)
    @rule()
    def a_second_server_starts(self) -> None:
        self.do(self.start())

    @precondition(lambda self: len(self.servers) == 2)
    @rule()
    def the_servers_look_around(self) -> None:
        for server in self.servers:
            self.do(server.engine._look_around())
        self.do(self.settle())

    # Promises

    @invariant()
    def the_send_lock_holds(self) -> None:
        for chat in CHATS:
            assert sum(run.alive for run in self.runs if run.chat == chat) <= 1
            assert sum(r.run.chat == chat for r in self.world.open_requests()) <= 1

    @invariant()
    def an_attempt_is_at_most_one_request(self) -> None:
        asked = [request.run.id for request in self.world.requests]
        assert len(asked) == len(set(asked))
        known = {run.id: run for run in self.runs}
        for request in self.world.requests:
            # What was sent is recorded, byte for byte.
            assert request.run.id in known
            assert request.run.hash == known[request.run.id].hash

    @invariant()
    def no_byte_is_lost_and_the_order_is_kept(self) -> None:
        for request in self.world.requests:
            written = self.texts[request.run.id]
            assert written == request.said[: len(written)]
            assert len(written) >= request.taken
        for run in self.runs:
            whole = "".join(reply_to(run.pair))
            assert whole.startswith(self.so_far[run.id])
            if run.state == "done":
                assert self.so_far[run.id] == whole

    @invariant()
    def what_has_ended_stays_as_it_is(self) -> None:
        for run in self.runs:
            if run.id in self.sent_before:
                assert run.events == self.sent_before[run.id]
            if not run.alive:
                self.sent_before[run.id] = run.events

    @invariant()
    def nothing_is_sent_behind_ones_back(self) -> None:
        for turn in self.turns.values():
            for before, run in pairwise(turn):
                if run.automatic:
                    assert before.state in ("failed", "interrupted")
                    assert before.end is not None
                    assert before.end.type in ("network", "server", "rate")
                    assert before.end.code != "quota"
                    failures = failures_before(turn, run)
                    assert run.created_at - before.updated_at >= backoff(
                        failures, before.end.retry_after
                    )
            assert not turn[0].automatic
        for key, wish in self.wishes.items():
            if wish.quiet and key in self.turns:
                assert self.automatic(key) == wish.automatic
                assert self.turns[key][-1].turn.retry_at is None

    @invariant()
    def money_is_not_burnt(self) -> None:
        for turn in self.turns.values():
            empty = 0
            longest = 0
            for run in turn:
                if run.automatic:
                    assert empty < MOST_BILLED
                elif run.continues is None:
                    empty, longest = 0, 0
                if len(self.so_far[run.id]) > longest or run.state == "done":
                    empty, longest = 0, len(self.so_far[run.id])
                elif run.id in {r.run.id for r in self.world.requests if r.answered}:
                    empty += 1
                if not run.automatic and run.attempt > 1:
                    # A manual retry may have ended a pause.
                    empty = 0

    @invariant()
    def a_waiting_turn_has_a_timer_somewhere(self) -> None:
        waiting = {key for key, turn in self.turns.items() if turn[-1].turn.retry_at is not None}
        timed = {key[:2] for server in self.servers for key in server.engine.scheduler.waiting}
        assert waiting <= timed
        # With two servers, one may not know yet that a retry is no longer wanted.
        assert len(self.servers) == 2 or timed == waiting

    @invariant()
    def the_server_is_not_idle_meanwhile(self) -> None:
        alive = any(run.alive for run in self.runs)
        assert not alive or any(server.engine.activity for server in self.servers)

    def teardown(self) -> None:
        try:
            self.all_is_well_in_the_end()
        finally:
            self.do(self.end())
            self.loop.close()
            shutil.rmtree(self.folder)

    def all_is_well_in_the_end(self) -> None:
        """With a healthy provider, everything that may continue comes to its end."""
        for _ in range(100):
            for request in self.world.open_requests():
                if not request.answered:
                    request.answered = True
                    self.command(request, simulation.answer)
                self.command(request, simulation.say(request, request.rest))
                self.command(request, simulation.finish)
            if not self.world.open_requests() and not any(
                run.turn.retry_at is not None for run in self.runs
            ):
                break
            self.do(self.pass_(3_600_000))
            for server in self.servers:
                self.do(server.engine._look_around())
            self.do(self.settle())
        else:
            raise AssertionError("something waits for ever")

    # Helpers

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        done = self.loop.run_until_complete(asyncio.wait_for(work, 60))
        if self.servers and all(server.lives for server in self.servers):
            self.loop.run_until_complete(self.read())
        return done

    def attempt(
        self, work: Coroutine[Any, Any, Any], refused: tuple[type[Exception], ...] = ()
    ) -> None:
        async def tried() -> None:
            with suppress(*refused):
                await work
            await self.settle()

        self.do(tried())

    def command(self, request: Request, what: Any) -> None:
        request.commands.put_nowait(what)
        self.do(self.settle())

    def claim(self, server: int, chat: str, pair: str, **more: Any) -> None:
        before = self.turns.get((chat, pair), [])
        engine = self.engine(server)
        known = len(self.runs)
        if (chat, pair) not in self.pairs:
            self.pairs.append((chat, pair))
        self.attempt(engine.create(new_claim(chat, pair, **more)), (ChatBusy,))
        if len(self.runs) > known:
            # A new message cancels the waiting turns of its chat.
            assert not any(run.turn.retry_at is not None for run in self.runs if run.chat == chat)
            self.wishes[chat, pair] = Wish(not more.get("auto", True), self.automatic((chat, pair)))
        else:
            assert len(self.turns.get((chat, pair), [])) == len(before)
            if not before:
                self.pairs.remove((chat, pair))

    def quiet(self, run: Run) -> None:
        key = run.chat, run.pair
        if not self.wishes[key].quiet:
            self.wishes[key] = Wish(True, self.automatic(key))

    def automatic(self, key: tuple[str, str]) -> int:
        return sum(run.automatic for run in self.turns.get(key, []))

    def newest(self, chat: str, pair: str) -> Run:
        return self.turns[chat, pair][-1]

    def request(self, data: Any) -> Request:
        found: Request = data.draw(st.sampled_from(self.world.open_requests()))
        return found

    def engine(self, server: int) -> Any:
        return self.servers[server % len(self.servers)].engine

    @property
    def turns(self) -> dict[tuple[str, str], list[Run]]:
        found: defaultdict[tuple[str, str], list[Run]] = defaultdict(list)
        for run in sorted(self.runs, key=lambda run: run.attempt):
            found[run.chat, run.pair].append(run)
        return dict(found)

    async def start(self) -> None:
        server = Server(self.world)
        self.servers.append(server)
        await server.start()
        await self.settle()

    async def replace(self) -> None:
        """Start a new server if none is left."""
        self.servers = [server for server in self.servers if server.lives]
        self.world.timers = [entry for entry in self.world.timers if entry[0].lives]
        if not self.servers:
            await self.start()
        for server in self.servers:
            await server.engine._look_around()
        await self.settle()
        await self.read()
        lost = {key for key in self.pairs if key not in self.turns}
        self.pairs = [key for key in self.pairs if key not in lost]

    async def settle(self) -> None:
        for server in self.servers:
            if server.lives:
                await server.settle()

    async def pass_(self, ms: int) -> None:
        self.world.pass_(ms)
        await self.settle()

    async def hang(self, victim: Server, asking: asyncio.Task[Any] | None, ms: int = 0) -> None:
        """Let a server hang in its last write, if it has one."""
        self.world.pass_(ms)
        await victim.settle()
        if asking is not None:
            asking.cancel()
            await asyncio.wait({asking})

    async def read(self) -> None:
        journal = self.servers[0].engine.journal

        def look(db: Any) -> tuple[list[Run], dict[str, list[str]], dict[str, str]]:
            runs = queries.select(db, open_only=False)
            pages = {run.id: queries.page(db, run.id, 0).events for run in runs}
            texts = {
                run: [continuation.delta_text(event.data) for event in events if event.data]
                for run, events in pages.items()
            }
            for events in pages.values():
                assert [event.n for event in events] == list(range(1, len(events) + 1))
            so_far = {run.id: queries.reply_so_far(db, run)[1].text for run in runs}
            return runs, texts, so_far

        self.runs, self.texts, self.so_far = await journal.read(look)

    async def end(self) -> None:
        for server in self.servers:
            if server.lives:
                await server.shut_down()


def new_claim(chat: str, pair: str, **more: Any) -> Claim:
    """A claim for a pair's message."""
    body = {"model": "m", "messages": [{"role": "user", "content": pair}]}
    return Claim(
        id=os.urandom(16).hex(),
        chat=chat,
        pair=pair,
        cell={"id": pair},
        after=None,
        provider="test",
        model="m",
        body=json.dumps(body).encode(),
        **more,
    )


def failures_before(turn: list[Run], run: Run) -> int:
    """Consecutive failures before a run, since a success or a manual attempt that starts over."""
    failures = 0
    for each in turn[: turn.index(run)]:
        if each.state == "done" or not (each.automatic or each.continues):
            failures = 0
        if each.state in ("failed", "interrupted", "unknown"):
            failures += 1
    return max(failures, 1)


EXAMPLES = int(os.environ.get("TURNBOOK_EXAMPLES", "20"))

TestPromises = Promises.TestCase
TestPromises.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
