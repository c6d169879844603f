"""Automatic retries: which turns, when, and when not; with the real engine and provider."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.base.outcome import Outcome
from jupyterlab_turnbook.runs import commands, neighbours, queries, retry, turns
from jupyterlab_turnbook.runs.continuation import delta_of
from jupyterlab_turnbook.runs.engine import Engine
from jupyterlab_turnbook.runs.model import Run, Turn, TurnKey
from jupyterlab_turnbook.runs.reasoning import reasoning_text
from jupyterlab_turnbook.runs.retry import Ended, Waiting, after_end, backoff, left
from jupyterlab_turnbook.runs.transaction import Change
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, ended, new_run
from .test_engine import FINISH, Setup, claim
from .test_engine import setup as setup

DOWN = {"status": 503, "steps": []}
GOOD = {"steps": [{"delta": "good"}, *FINISH]}
CUT = {"steps": [{"delta": "part"}, {"cut": True}]}
THOUGHT_CUT = {"steps": [{"reasoning": "Let me see. "}, {"reasoning": "Well,"}, {"cut": True}]}
EMPTY_CUT = {"steps": [{"headers": True}, {"cut": True}]}
FRESH = Turn(auto=True, retry_at=None, failures=0, generation=1, paused=None)


@dataclass
class Timer:
    """A call scheduled on the simulated clock."""

    at: float
    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Time:
    """A clock that moves only when told to, and its timers."""

    now: int = 1_000_000
    timers: list[Timer] = field(default_factory=list)

    def clock(self) -> int:
        return self.now

    def later(self, seconds: float, call: Callable[[], None]) -> Timer:
        made = Timer(self.now + seconds * 1000, call)
        self.timers.append(made)
        return made

    def waits(self) -> list[float]:
        """Milliseconds until each timer that is not cancelled."""
        return sorted(t.at - self.now for t in self.timers if not t.cancelled)

    def pass_(self, ms: int) -> None:
        self.now += ms
        for timer in [t for t in self.timers if t.at <= self.now]:
            self.timers.remove(timer)
            if not timer.cancelled:
                timer.call()


@asynccontextmanager
async def engine_at(setup: Setup, time: Time) -> AsyncIterator[Engine]:
    engine = Engine(
        setup.directory, setup.registry(), setup.log, clock=time.clock, later=time.later
    )
    await engine.open()
    try:
        yield engine
    finally:
        await engine.close()


async def until(holds: Callable[[], Any], what: str = "it") -> None:
    """Wait for something that another task or thread is about to do."""
    for _ in range(1000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{what} did not happen")


async def newest(engine: Engine, run: Run) -> Run:
    return await engine.latest(run.turn_key)


async def over(engine: Engine, run: Run, attempt: int) -> Run:
    """The attempt, once it has ended and the scheduler has read it."""
    for _ in range(1000):
        found = await newest(engine, run)
        if found.attempt == attempt and not found.alive:
            break
        await asyncio.sleep(0.01)
    else:
        raise AssertionError(f"attempt {attempt} did not end")
    turn, due = run.turn_key, found.turn.retry_at
    await until(lambda: engine.scheduler.waiting.get(turn) == due)
    return found


def test_the_delays() -> None:
    assert [backoff(n) for n in range(1, 10)] == [
        1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 60000,
    ]  # fmt: skip
    assert backoff(10**6) == 60_000
    assert (backoff(1, 7), backoff(1, 0), backoff(7, 7), backoff(1, 3600)) == (
        7000,
        1000,
        60_000,
        3_600_000,
    )
    # Whatever a provider asks for, the time fits into the journal.
    assert backoff(1, 1e300) < 2**40


@pytest.mark.parametrize(
    ("state", "type_", "code", "again"),
    [
        ("failed", "network", "network", True),
        ("interrupted", "network", "network", True),
        ("failed", "server", "503", True),
        ("failed", "rate", "rate", True),
        ("failed", "rate", "quota", False),
        ("failed", "auth", "auth", False),
        ("failed", "unknown", "context_length_exceeded", False),
        ("failed", "unknown", "model_not_found", False),
        ("unknown", "unknown", "unknown", False),
        ("unknown", "network", "network", False),
        ("stopped", None, None, False),
        ("done", None, None, False),
    ],
)
def test_what_is_retried(state: Any, type_: Any, code: str | None, again: bool) -> None:
    end = Ended(state, Outcome(type_, code), billable=False, reached=0)
    assert (after_end(FRESH, end, 5).retry_at == 1005) is again
    for other in (
        Turn(False, None, 0, 1, None),
        Turn(True, None, 0, 1, "paused"),
    ):
        assert after_end(other, end, 5).retry_at is None
    dropped = Ended(state, Outcome(type_, code), billable=False, reached=0, dropped=True)
    assert after_end(FRESH, dropped, 5).retry_at is None


def test_five_billed_attempts_without_new_text_pause_a_turn() -> None:
    turn, at = FRESH, 0

    def end(reached: int, billable: bool = True) -> Ended:
        return Ended("interrupted", Outcome("network"), billable, reached)

    for n in range(4):
        turn = after_end(turn, end(0), at)
        assert (turn.billed, turn.paused) == (n + 1, None)
        turn = after_end(turn, end(0, billable=False), at)
        assert (turn.billed, turn.paused) == (n + 1, None)
    assert after_end(turn, end(1), at).billed == 0
    paused = after_end(turn, end(0), at)
    assert paused.retry_at is None
    assert paused.paused is not None and "billed" in paused.paused
    # The same length again is not new text: a reply that starts over must get further.
    turn = after_end(FRESH, end(10), at)
    for _ in range(4):
        turn = after_end(turn, end(10), at)
        assert turn.paused is None
    assert after_end(turn, end(9), at).paused
    assert after_end(paused, end(11), at).paused is None


def test_a_clock_that_jumps() -> None:
    waiting = Waiting(TurnKey("c", "p"), 1, 2, retry_at=10_000, whole=4_000, owner="o", busy=None)
    assert left(waiting, 7_000) == 3_000
    assert left(waiting, 10**9) == 0
    assert left(waiting, -(10**9)) == 4_000


async def test_backoff_until_success(setup: Setup, provider: ThreadedScriptedProvider) -> None:
    provider.script(*[DOWN] * 8, GOOD)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        for attempt in range(1, 9):
            failed = await over(engine, run, attempt)
            wait = backoff(attempt)
            assert failed.turn.retry_at == time.now + wait
            assert failed.turn.failures == attempt
            assert failed.automatic is (attempt > 1)
            assert time.waits() == [wait]
            time.pass_(wait - 1)
            assert len(provider.requests) == attempt
            time.pass_(1)
        good = await over(engine, run, 9)
        assert (good.state, good.turn.failures, good.turn.retry_at) == ("done", 0, None)
        assert time.waits() == []
    assert len({request.body for request in provider.requests}) == 1
    assert len(provider.requests) == 9


async def test_retry_after_is_a_floor(setup: Setup, provider: ThreadedScriptedProvider) -> None:
    provider.script({"status": 429, "headers": {"Retry-After": "3600"}, "steps": []})
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        failed = await over(engine, run, 1)
        assert failed.turn.retry_at == time.now + 3_600_000
        time.pass_(3_600_000)
        assert (await over(engine, run, 2)).state == "done"


@pytest.mark.parametrize("how", ["stop", "auto", "drop", "send", "resend", "now"])
async def test_what_ends_a_wait(setup: Setup, provider: ThreadedScriptedProvider, how: str) -> None:
    provider.script(DOWN, GOOD)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)
        stale = [timer.call for timer in time.timers]
        told: list[str] = []
        engine.hub.watch(run.chat, lambda change: told.append(change.run))
        requests = 1
        if how == "stop":
            await engine.stop(run.chat, run.id)
        elif how == "auto":
            await engine.set_auto(run.turn_key, False)
        elif how == "drop":
            await engine.journal.write(lambda tx: commands.drop(tx, run.chat, run.id))
        else:
            requests = 2
            if how == "now":
                await engine.retry_now(run.turn_key)
            else:
                pair = run.pair if how == "resend" else "other"
                made, _ = await engine.create(claim(pair=pair, resend=how == "resend"))
                await until(lambda: made.id not in engine.live)
        assert run.id in told or how in ("resend", "now")
        await until(lambda: not engine.scheduler.waiting and not engine.live, "the end of the wait")
        # No timers are left, and old ones would do no harm.
        assert time.waits() == []
        for call in stale:
            call()
        time.pass_(10**9)
        await engine.journal.write(lambda tx: None)
        assert len(provider.requests) == requests
        turn = (await engine.journal.read(lambda db: queries.get(db, run.id))).turn
        assert turn.retry_at is None
        assert turn.auto is (how in ("resend", "now"))


async def test_a_timer_of_an_older_generation_is_refused_by_the_claim(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        failed = await over(engine, run, 1)
        assert failed.turn.retry_at is not None
        old = Waiting(
            run.turn_key, failed.turn.generation, 2, failed.turn.retry_at, 1, run.owner, None
        )
        await engine.set_auto(run.turn_key, False)
        await engine.set_auto(run.turn_key, True)
        await engine._resume(old)
        assert (await newest(engine, run)).attempt == 1
    assert len(provider.requests) == 1


async def test_retry_now_does_not_turn_automatic_retries_on(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN, DOWN)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)
        await engine.set_auto(run.turn_key, False)
        await engine.retry_now(run.turn_key)
        again = await over(engine, run, 2)
        assert (again.turn.auto, again.turn.retry_at, again.automatic) == (False, None, False)
        assert time.waits() == []
        # Turned on again, it continues where it was.
        await engine.set_auto(run.turn_key, True)
        await until(lambda: time.waits() == [backoff(2)])


async def test_sending_with_auto_retry_off(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim(auto=False))
        failed = await over(engine, run, 1)
        assert (failed.turn.auto, failed.turn.retry_at) == (False, None)


async def test_the_wait_continues_after_a_restart(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(*[DOWN] * 4)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        for attempt in range(1, 4):
            await over(engine, run, attempt)
            time.pass_(backoff(attempt))
        await over(engine, run, 4)
        time.now += 3_000
    later = Time(time.now)
    async with engine_at(setup, later) as engine:
        await until(lambda: later.waits())
        # Another process takes over, so it waits 2 s longer.
        assert later.waits() == [8_000 - 3_000 + 2_000]
        later.pass_(7_000)
        good = await over(engine, run, 5)
        assert (good.state, good.turn.failures) == ("done", 0)
    assert len(provider.requests) == 5


async def test_runs_are_resumed_after_a_clean_shutdown(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    setup.settings["continuation"] = "prefill"
    provider.script({"steps": [{"delta": "part"}, {"stall": True}]}, GOOD)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await provider.requested(1)
        while not (await engine.journal.read(lambda db: queries.get(db, run.id))).events:
            await asyncio.sleep(0.01)
    time = Time(time.now)
    async with engine_at(setup, time) as engine:
        await until(lambda: time.waits())
        left_behind = await newest(engine, run)
        assert (left_behind.state, left_behind.turn.auto) == ("interrupted", True)
        time.pass_(3_000)
        again = await over(engine, run, 2)
        assert (again.state, again.continues) == ("done", run.id)
        arrived = await engine.journal.read(lambda db: queries.reply_so_far(db, again))
        assert arrived[1].text == "partgood"


async def test_unknown_is_never_sent_again_automatically(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    time = Time()
    async with engine_at(setup, time) as engine:
        await engine.open()
    with sqlite3.connect(setup.directory / "journal.sqlite") as db:
        values = "'x', 'c', 'p', 1, 'test', 'm', 'sending', ?, ?, x'7b7d', '{}', 1, 1"
        db.execute(
            "INSERT INTO runs (id, chat, pair, attempt, provider, model, state, owner, hash, body,"
            f" cell, created_at, updated_at) VALUES ({values})",
            ("00000000-0000-4000-8000-000000000000", hashlib.sha256(b"{}").hexdigest()),
        )
        db.execute("INSERT INTO turns (chat, pair) VALUES ('c', 'p')")
    db.close()
    async with engine_at(setup, time) as engine:
        run = await engine.latest(TurnKey("c", "p"))
        assert (run.state, run.turn.retry_at, run.turn.auto) == ("unknown", None, True)
        # Not even when retries are turned off and on again.
        await engine.set_auto(TurnKey("c", "p"), False)
        await engine.set_auto(TurnKey("c", "p"), True)
        assert time.waits() == []
    assert provider.requests == []


async def test_paused_after_five_empty_streams(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(*[EMPTY_CUT] * 7)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        for attempt in range(1, retry.MOST_BILLED):
            assert (await over(engine, run, attempt)).turn.paused is None
            time.pass_(backoff(attempt))
        paused = await over(engine, run, retry.MOST_BILLED)
        assert paused.turn.paused is not None
        assert paused.turn.auto
        time.pass_(10**9)
        await engine.retry_now(run.turn_key)
        assert (await over(engine, run, 6)).turn.paused == paused.turn.paused
        await engine.set_auto(run.turn_key, True)
        await until(lambda: time.waits() == [backoff(6)])
    assert len(provider.requests) == 6


@pytest.mark.parametrize(
    ("continuation", "continues", "replaces"),
    [("prefill", True, False), ("instruct", True, False), ("restart", False, True)],
)
async def test_what_becomes_of_a_partial_reply(
    setup: Setup,
    provider: ThreadedScriptedProvider,
    continuation: str,
    continues: bool,
    replaces: bool,
) -> None:
    setup.settings["continuation"] = continuation
    provider.script(CUT, GOOD)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)
        time.pass_(1_000)
        again = await over(engine, run, 2)
    assert (again.continues == run.id, again.replaces == run.id) == (continues, replaces)


@pytest.mark.parametrize("continuation", ["prefill", "instruct", "restart"])
async def test_a_stream_that_broke_while_the_model_thought_is_asked_for_again(
    setup: Setup, provider: ThreadedScriptedProvider, continuation: str
) -> None:
    setup.settings["continuation"] = continuation
    provider.script(THOUGHT_CUT, THOUGHT_CUT, {"steps": [{"reasoning": "Yes."}, *GOOD["steps"]]})
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)
        time.pass_(backoff(1))
        second = await over(engine, run, 2)
        time.pass_(backoff(2))
        good = await over(engine, run, 3)
        thoughts = [
            reasoning_text(delta_of(event.data))
            for event in (await engine.journal.read(lambda db: queries.page(db, good.id, 0))).events
            if event.data is not None
        ]
    assert (good.state, good.continues, good.replaces) == ("done", None, second.id)
    assert second.replaces == run.id
    assert "".join(thoughts) == "Yes."
    assert len({sent.body for sent in provider.completions()}) == 1


async def test_a_continued_reply_that_broke_while_the_model_thought_keeps_its_text(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    setup.settings["continuation"] = "prefill"
    provider.script(CUT, THOUGHT_CUT, GOOD)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)
        time.pass_(backoff(1))
        second = await over(engine, run, 2)
        time.pass_(backoff(2))
        good = await over(engine, run, 3)
        arrived = await engine.journal.read(lambda db: queries.reply_so_far(db, good))
    assert (good.continues, second.continues) == (second.id, run.id)
    assert (arrived[0].id, arrived[1].text) == (run.id, "partgood")
    bodies = [sent.body for sent in provider.completions()]
    assert bodies[1] == bodies[2] != bodies[0]


async def test_paused_after_five_streams_that_only_thought(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    # Each gets further than the one before, but has to begin again and is billed again.
    thoughts = [{"reasoning": f"Thought {n}. "} for n in range(10)]
    provider.script(*({"steps": [*thoughts[: n + 1], {"cut": True}]} for n in range(7)))
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        for attempt in range(1, retry.MOST_BILLED):
            assert (await over(engine, run, attempt)).turn.paused is None
            time.pass_(backoff(attempt))
        assert (await over(engine, run, retry.MOST_BILLED)).turn.paused is not None
        time.pass_(10**9)
    assert len(provider.requests) == retry.MOST_BILLED


async def test_many_chats_retry_side_by_side(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(*[DOWN] * 20)
    time = Time()
    async with engine_at(setup, time) as engine:
        runs = [(await engine.create(claim(chat=f"chat-{n}")))[0] for n in range(20)]
        await until(lambda: len(engine.scheduler.waiting) == 20)
        assert set(engine.activity) == {run.pair for run in runs}
        provider.script(*[{"steps": [{"wait": "go"}, *GOOD["steps"]]}] * 20)
        time.pass_(1_000)
        await provider.requested(40)
        assert len(engine.live) == 20
        provider.release("go")
        for run in runs:
            assert (await over(engine, run, 2)).state == "done"


async def test_two_servers_make_one_attempt(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN, GOOD, GOOD)
    one_time, other_time = Time(), Time()
    async with engine_at(setup, one_time) as one:
        run, _ = await one.create(claim())
        await over(one, run, 1)
        async with engine_at(setup, other_time) as other:
            await until(lambda: other_time.waits() == [3_000])
            other_time.pass_(3_000)
            one_time.pass_(1_000)
            for engine in (one, other):
                await over(engine, run, 2)
                await until(lambda engine=engine: not engine.scheduler.waiting)  # type: ignore[misc]
    assert len(provider.requests) == 2


async def test_pages_are_told_of_an_attempt_that_another_server_made(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN, {"steps": [{"wait": "go"}, *GOOD["steps"]]})
    one_time, other_time = Time(), Time()
    async with engine_at(setup, one_time) as one, engine_at(setup, other_time) as other:
        run, _ = await one.create(claim())
        await over(one, run, 1)
        await other._look_around()
        await until(lambda: other_time.waits() == [3_000])
        told: list[tuple[int, str]] = []

        def watch(change: Change) -> None:
            assert change.now is not None
            told.append((change.now.attempt, change.now.state))

        other.hub.watch(run.chat, watch)
        one_time.pass_(1_000)
        await provider.requested(2)
        other_time.pass_(3_000)
        await until(lambda: told)
        assert told[0][0] == 2
        provider.release("go")
        await over(one, run, 2)
        await until(lambda: not one.live)
        await other._look_around()
        assert told[-1] == (2, "done")
        told.clear()
        # What was told already is not told again.
        await other._look_around()
        assert told == []
    assert len(provider.requests) == 2


async def test_pages_are_told_that_another_server_has_nothing_to_retry_any_more(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN, GOOD)
    time = Time()
    async with engine_at(setup, time) as one, engine_at(setup, Time()) as other:
        told: list[int] = []
        run, _ = await one.create(claim())
        await over(one, run, 1)
        other.hub.watch(run.chat, lambda change: told.append(change.now.attempt))  # type: ignore[union-attr]
        await other._look_around()
        assert told == [1]
        time.pass_(1_000)
        second = await over(one, run, 2)
        await one.journal.write(lambda tx: commands.land(tx, run.chat, second.id))
        await other._look_around()
        assert told == [1, 2]


@pytest.mark.parametrize("is_known", [False, True])
async def test_pages_are_told_nothing_older_than_what_they_know(
    setup: Setup,
    provider: ThreadedScriptedProvider,
    monkeypatch: pytest.MonkeyPatch,
    is_known: bool,
) -> None:
    provider.script(DOWN)
    async with engine_at(setup, Time()) as one, engine_at(setup, Time()) as other:
        run, _ = await one.create(claim())
        await over(one, run, 1)
        told: list[tuple[bool, bool]] = []

        def watch(change: Change) -> None:
            assert change.now is not None
            told.append((change.now.landed, change.now.dropped))

        other.hub.watch(run.chat, watch)
        if is_known:
            await other._look_around()
            # It is open no more, so that its newest attempt is read.
            await one.journal.write(lambda tx: commands.land(tx, run.chat, run.id))
        read = other.journal.read

        async def read_before(work: Any) -> Any:
            """What is read was committed before a page of this server deletes the pair."""
            found = await read(work)
            if run.id in str(found) and not any(dropped for _, dropped in told):
                await other.journal.write(lambda tx: commands.drop(tx, run.chat, run.id))
                await until(lambda: told and told[-1][1])
            return found

        monkeypatch.setattr(other.journal, "read", read_before)
        await other._look_around()
        assert told[-1] == (is_known, True)


async def test_pages_are_told_what_another_server_did_last(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "_SECONDS", 0.3)
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, *FINISH]})
    async with engine_at(setup, Time()) as one:
        told: list[str] = []
        async with engine_at(setup, Time()) as other:
            run, _ = await other.create(claim())
            await provider.requested(1)
            one.hub.watch(run.chat, lambda change: told.append(change.now.state))  # type: ignore[union-attr]
            await until(lambda: told)
        # It has ended its run, and gone.
        await until(lambda: told[-1] == "interrupted")
        provider.release("go")


async def test_turns_of_a_dead_server_are_adopted(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN, GOOD)
    time = Time()
    async with engine_at(setup, time) as other:
        async with engine_at(setup, Time()) as one:
            run, _ = await one.create(claim())
            await over(one, run, 1)
        assert time.waits() == []
        await other._look_around()
        await until(lambda: time.waits())
        time.pass_(3_000)
        assert (await over(other, run, 2)).state == "done"


async def test_a_retry_waits_until_the_chat_is_free(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN, {"steps": [{"wait": "go"}, *GOOD["steps"]]}, GOOD)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)
        second, _ = await engine.create(claim())
        # The user wants the earlier message too, but a chat has one run at a time.
        await engine.set_auto(run.turn_key, True)
        await until(lambda: engine.scheduler.waiting)
        time.pass_(10_000)
        await provider.requested(2)
        provider.release("go")
        assert (await over(engine, second, 1)).state == "done"
        await until(lambda: time.waits() == [0])
        time.pass_(0)
        assert (await over(engine, run, 2)).state == "done"


async def test_a_removed_provider_pauses_the_turn_with_a_reason(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)
        engine._registry._fixed.clear()
        time.pass_(1_000)
        await until(lambda: not engine.scheduler.waiting)
        for _ in range(500):
            paused = (await newest(engine, run)).turn.paused
            if paused:
                break
            await asyncio.sleep(0.01)
        assert paused and "test" in paused


async def test_a_missing_earlier_run_pauses_the_turn_with_a_reason(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)
        with closing(sqlite3.connect(engine.journal.file)) as db:
            db.execute("UPDATE runs SET continues = 'gone'")
            db.commit()
        for _ in range(20):
            time.pass_(1_000)
            await until(lambda: not engine.scheduler._beginning and not engine.scheduler._looking)
        paused = (await newest(engine, run)).turn.paused
        assert paused and "cannot be read" in paused
        assert (len(provider.requests), engine.scheduler.waiting) == (1, {})


async def test_retries_back_off_while_the_journal_cannot_be_written(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.script(DOWN)
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)

        def fill(pages: int) -> Callable[[Any], None]:
            return lambda tx: tx.db.execute(f"PRAGMA max_page_count = {pages}") and None

        monkeypatch.setattr(engine, "_next_claim", _huge(engine._next_claim))
        await engine.journal.write(fill(1))
        for tries in range(1, 4):
            time.pass_(backoff(tries - 1))
            await until(lambda tries=tries: time.waits() == [backoff(tries)])  # type: ignore[misc]
        assert len(provider.requests) == 1
        await engine.journal.write(fill(10**6))
        time.pass_(backoff(3))
        assert (await over(engine, run, 2)).attempt == 2


def _huge(make: Callable[[Run], Any]) -> Callable[[Run], Any]:
    async def claimed(last: Run) -> Any:
        made = await make(last)
        return replace(made, body=made.body[:-1] + b', "x": "' + b"x" * 500_000 + b'"}')

    return claimed


async def test_the_api_lists_every_attempt(api: Api, provider: ThreadedScriptedProvider) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    provider.script(
        DOWN, {"steps": [{"delta": "hi"}, {"finish": "stop", "usage": usage}, {"done": True}]}
    )
    asked = new_run(requestHash="0" * 64)
    await api("createRun", body=asked)
    failed = await ended(api, asked["id"])
    assert failed["run"]["turn"]["retryAt"] is not None
    for _ in range(500):
        turn = (await api("getTurn", asked["chat"], asked["pair"])).body
        if turn["attempts"][-1]["run"]["state"] == "done":
            break
        await asyncio.sleep(0.01)
    one, two = turn["attempts"]
    assert (one["run"]["end"]["status"], one["usage"]) == (503, None)
    assert (two["run"]["automatic"], two["usage"]) == (True, usage)
    # The retry came at least a second after the failure.
    assert two["run"]["createdAt"] >= one["run"]["updatedAt"] + 1000
    assert one["run"]["pageHash"] == "0" * 64
    assert one["run"]["hash"] != "0" * 64
    assert (await api("getTurn", str(uuid.uuid4()), "none")).status == 404


async def test_a_chat_without_a_page(
    setup: Setup, provider: ThreadedScriptedProvider, tmp_path: Path
) -> None:
    """In real time: a failure, a wait of a second, a reply in the journal."""
    provider.script(DOWN, GOOD)
    async with setup.engine() as engine:
        await engine.open()
        run, _ = await engine.create(claim())
        assert (await over(engine, run, 2)).state == "done"


async def test_a_wait_ends_when_its_message_is_sent_again_not_when_that_has_ended(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(DOWN, {"steps": [{"wait": "on"}, *FINISH]})
    time = Time()
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        await over(engine, run, 1)
        assert engine.scheduler.waiting
        again, _ = await engine.create(claim(pair=run.pair, resend=True))
        await until(lambda: not engine.scheduler.waiting, "the end of the wait")
        assert list(engine.live) == [again.id]
        assert time.waits() == []
        provider.release("on")
        await over(engine, run, 2)


async def test_a_claim_where_nothing_waits_reads_nothing(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str | None] = []
    plain = turns.waiting

    def counted(db: sqlite3.Connection, chat: str | None = None) -> list[Waiting]:
        read.append(chat)
        return plain(db, chat)

    monkeypatch.setattr(turns, "waiting", counted)
    async with engine_at(setup, Time()) as engine:
        await until(lambda: read == [None])
        provider.script({"steps": [{"delta": "a"}, {"wait": "on"}, *FINISH]})
        wanted = claim()
        await engine.create(wanted)
        await provider.requested(1)
        # It would take time from the request that is about to leave.
        assert read == [None]
        provider.release("on")
        await until(lambda: read == [None, wanted.chat])
