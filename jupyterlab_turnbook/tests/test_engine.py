"""The engine with a provider that fails in every way."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import socket
import sqlite3
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.local.manager import LocalModel
from jupyterlab_turnbook.providers.registry import (
    LocalMissing,
    Provider,
    ProviderRegistry,
    UnknownProvider,
)
from jupyterlab_turnbook.runs import live as live_module
from jupyterlab_turnbook.runs import quarantine, queries
from jupyterlab_turnbook.runs.commands import ChatBusy
from jupyterlab_turnbook.runs.engine import Engine
from jupyterlab_turnbook.runs.journal import JournalError
from jupyterlab_turnbook.runs.model import Claim, Event, Run
from jupyterlab_turnbook.runs.retry import Waiting
from jupyterlab_turnbook.runs.scheduler import Hindered
from jupyterlab_turnbook.runs.transaction import Writer
from jupyterlab_turnbook.runs.wire import Wire
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import KEY, new_run, only, text_of

FINISH = [{"finish": "stop"}, {"done": True}]


class NoKeys:
    """An empty key store that must not be written."""

    description = "nowhere"

    def get(self, name: str, base_url: str) -> str | None:
        return None

    def set(self, name: str, base_url: str, key: str) -> None:
        raise AssertionError

    def delete(self, name: str) -> None:
        raise AssertionError


@dataclass
class Setup:
    """How to make an engine."""

    directory: Path
    settings: dict[str, Any]
    log: logging.Logger = field(default_factory=lambda: logging.getLogger("turnbook-test"))

    def registry(self) -> ProviderRegistry:
        local = only(LocalModel("/nowhere/model.gguf", self.directory, 0, self.log))
        file = self.directory / "providers.json"
        return ProviderRegistry({"test": self.settings}, [], NoKeys(), file, local, {}, self.log)

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        engine = Engine(self.directory, self.registry(), self.log)
        try:
            yield engine
        finally:
            await engine.close()


@pytest.fixture
def setup(provider: ThreadedScriptedProvider, tmp_path: Path) -> Setup:
    """An engine's settings with the scripted provider."""
    return Setup(tmp_path / "j", {"base_url": provider.url, "api_key": KEY})


def claim(**changes: Any) -> Claim:
    """A claim for a message."""
    asked = new_run()
    made = Claim(
        id=asked["id"],
        chat=asked["chat"],
        pair=asked["pair"],
        cell=asked["cell"],
        after=None,
        provider="test",
        model="scripted",
        body=asked["body"].encode(),
    )
    return replace(made, **changes)


async def finish(engine: Engine, run: Run) -> tuple[Run, list[dict[str, Any]]]:
    """The run after its end, and all its events."""
    events = [item async for item in engine.follow(run.id, 0) if isinstance(item, Event)]
    last = await engine.journal.read(lambda db: queries.get(db, run.id))
    return last, [event.json() for event in events]


async def play(setup: Setup) -> tuple[Run, list[dict[str, Any]]]:
    """One run from claim to end."""
    async with setup.engine() as engine:
        run, made = await engine.create(claim())
        assert made
        return await asyncio.wait_for(finish(engine, run), 10)


def chunk(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


CASES: dict[str, tuple[dict[str, Any], str, str | None, str | None, str]] = {
    "done": ({"steps": [{"delta": "ab"}, *FINISH]}, "done", None, None, "ab"),
    "done without [DONE]": ({"steps": [{"delta": "ab"}, {"finish": "length"}]}, "done", None, None, "ab"),
    "[DONE] alone": ({"steps": [{"delta": "ab"}, {"done": True}]}, "done", None, None, "ab"),
    "[DONE] without its blank line": (
        {"steps": [{"delta": "ab"}, {"raw": "data: [DONE]"}]}, "done", None, None, "ab",
    ),
    "cut after finish": (
        {"steps": [{"delta": "ab"}, {"finish": "stop"}, {"cut": True}]}, "done", None, None, "ab",
    ),
    "every byte by itself": ({"split": 1, "steps": [{"delta": "grüß 👋"}, *FINISH]}, "done", None, None, "grüß 👋"),
    "EOF too early": ({"steps": [{"delta": "ab"}]}, "interrupted", "network", "network", "ab"),
    "cut": ({"steps": [{"delta": "ab"}, {"cut": True}]}, "interrupted", "network", "network", "ab"),
    "reset": ({"steps": [{"delta": "ab"}, {"reset": True}]}, "interrupted", "network", "network", "ab"),
    "cut inside an event": (
        {"steps": [{"delta": "ab"}, {"raw": 'data: {"choi'}, {"cut": True}]},
        "interrupted", "network", "network", "ab",
    ),
    "cut before the headers": ({"steps": [{"cut": True}]}, "interrupted", "network", "network", ""),
    "empty stream": ({"steps": [{"headers": True}]}, "interrupted", "network", "network", ""),
    "error event": (
        {"steps": [{"delta": "ab"}, {"chunk": {"error": {"message": "overloaded"}}}]},
        "failed", "server", "server", "ab",
    ),
    "chunk that is no JSON": (
        {"steps": [{"delta": "ab"}, {"raw": "data: {nope\n\n"}]}, "failed", "server", "malformed", "ab",
    ),
    "chunk that is no object": (
        {"steps": [{"delta": "ab"}, {"raw": "data: [1]\n\n"}]}, "failed", "server", "malformed", "ab",
    ),
    "a page instead of a stream": (
        {"content_type": "text/html", "steps": [{"raw": "<html>login</html>"}]},
        "failed", "server", "malformed", "",
    ),
    "JSON that is no completion": ({"steps": [{"body": {"hello": 1}}]}, "failed", "server", "malformed", ""),
    "an error as JSON with 200": (
        {"steps": [{"body": {"error": {"message": "no"}}}]}, "failed", "server", "server", "",
    ),
    "comments only, then text": (
        {"steps": [{"raw": ": wait\n\n: wait\n\n"}, {"delta": "ab"}, *FINISH]}, "done", None, None, "ab",
    ),
    "401": ({"status": 401, "steps": [{"body": {"error": {"message": "no"}}}]}, "failed", "auth", "auth", ""),
    "429": ({"status": 429, "headers": {"Retry-After": "7"}, "steps": []}, "failed", "rate", "rate", ""),
    "429 quota": (
        {"status": 429, "steps": [{"body": {"error": {"code": "insufficient_quota"}}}]},
        "failed", "rate", "quota", "",
    ),
    "500": ({"status": 500, "steps": [{"raw": "<html>"}]}, "failed", "server", "500", ""),
    "400": (
        {"status": 400, "steps": [{"body": {"error": {"code": "context_length_exceeded"}}}]},
        "failed", "unknown", "context_length_exceeded", "",
    ),
    "204": ({"status": 204, "content_type": "", "steps": []}, "failed", "server", "malformed", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
async def test_every_way_to_end(
    setup: Setup, provider: ThreadedScriptedProvider, name: str
) -> None:
    script, state, kind, code, text = CASES[name]
    provider.script(script)
    run, events = await play(setup)
    assert run.end is not None
    assert (run.state, run.end.type, run.end.code) == (state, kind, code)
    assert text_of(events) == text
    assert [event["n"] for event in events] == list(range(1, run.events + 1))
    assert events[-1]["end"] == run.end.json()
    assert bool(run.end.message) == (kind is not None)
    assert len(provider.requests) == 1


async def test_retry_after_is_recorded(setup: Setup, provider: ThreadedScriptedProvider) -> None:
    provider.script({"status": 429, "headers": {"Retry-After": "7"}, "steps": []})
    run, _ = await play(setup)
    assert run.end is not None
    assert run.end.retry_after == 7


async def test_redirects_are_never_followed(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(
        {"status": 307, "headers": {"Location": provider.url + "/chat/completions"}, "steps": []}
    )
    run, _ = await play(setup)
    assert run.end is not None
    assert (run.state, run.end.code, run.end.status) == ("failed", "redirect", 307)
    assert len(provider.requests) == 1


async def test_a_whole_completion_becomes_one_chunk(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    message = {
        "role": "assistant",
        "content": "whole",
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ],
    }
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    provider.script(
        {"steps": [{"body": {"id": "x", "choices": [choice], "usage": {"total_tokens": 3}}}]}
    )
    run, events = await play(setup)
    assert run.state == "done"
    assert run.end is not None
    assert run.end.finish == "stop"
    data = json.loads(events[0]["data"])
    assert data["object"] == "chat.completion.chunk"
    assert data["usage"] == {"total_tokens": 3}
    assert data["choices"][0]["delta"]["content"] == "whole"
    assert data["choices"][0]["delta"]["tool_calls"][0]["index"] == 0
    assert "message" not in data["choices"][0]


@pytest.mark.parametrize("after", [[], [{"cut": True}], [{"done": True}]])
async def test_usage_after_the_finish_does_not_undo_it(
    setup: Setup, provider: ThreadedScriptedProvider, after: list[Any]
) -> None:
    provider.script({"steps": [{"delta": "ab"}, {"finish": "length"}, *after]})
    asked = json.loads(new_run()["body"])
    body = json.dumps({**asked, "stream_options": {"include_usage": True}}).encode()
    async with setup.engine() as engine:
        run, _ = await engine.create(claim(body=body))
        run, events = await asyncio.wait_for(finish(engine, run), 10)
    chunks = [json.loads(event["data"]) for event in events if "data" in event]
    assert [len(one["choices"]) for one in chunks] == [1, 1, 0]
    assert chunks[-1]["usage"]["completion_tokens"] == 1
    assert run.end is not None
    assert (run.state, run.end.finish) == ("done", "length")


async def test_refused(setup: Setup) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        setup.settings["base_url"] = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        run, _ = await play(setup)
    assert run.end is not None
    assert (run.state, run.end.type) == ("failed", "network")


WHOLE = {"choices": [{"index": 0, "delta": {"content": "ab"}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("steps", "timeouts", "state", "text"),
    [
        ([{"stall": True}], {"first_byte": 0.2}, "interrupted", ""),
        ([{"headers": True}, {"stall": True}], {"first_byte": 0.2}, "interrupted", ""),
        ([{"delta": "ab"}, {"stall": True}], {"between_bytes": 0.2}, "interrupted", "ab"),
        ([{"reasoning": "ab"}, {"stall": True}], {"between_bytes": 0.2}, "interrupted", ""),
        (
            # In one piece: nothing can delay the finish.
            [{"chunk": WHOLE}, {"stall": True}],
            {"between_bytes": 0.2},
            "done",
            "ab",
        ),
    ],
)
async def test_time_limits(
    setup: Setup,
    provider: ThreadedScriptedProvider,
    steps: list[Any],
    timeouts: dict[str, float],
    state: str,
    text: str,
) -> None:
    provider.script({"steps": steps})
    setup.settings["timeouts"] = timeouts
    run, events = await play(setup)
    assert run.state == state
    assert run.end is not None
    assert run.end.type == ("network" if state == "interrupted" else None)
    assert ("0.2 seconds" in run.end.message) == (state == "interrupted")
    assert text_of(events) == text
    await provider.hung_up()


async def test_time_limits_do_not_end_a_model_that_thinks(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    # In all, it thinks for twice as long as may pass before the first byte or between two.
    thinking = [{"reasoning": "Hm. "}, {"delay": 200}] * 10
    provider.script({"steps": [*thinking, {"delta": "ab"}, *FINISH]})
    setup.settings["timeouts"] = {"first_byte": 1, "between_bytes": 1}
    run, events = await play(setup)
    assert (run.state, text_of(events), len(events)) == ("done", "ab", 13)


async def test_the_key_is_nowhere(
    setup: Setup, provider: ThreadedScriptedProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider.script(
        {
            "steps": [
                {"chunk": chunk(content=f"your key is {KEY}!")},
                {"chunk": {"error": {"message": KEY}}},
            ]
        },
        {"status": 400, "steps": [{"body": {"error": {"message": f"bad {KEY}", "code": KEY}}}]},
    )
    for _ in range(2):
        run, events = await play(setup)
        assert KEY not in json.dumps(events)
        assert "[key]" in json.dumps(events)
        assert KEY not in repr(run)
    assert provider.requests[0].headers
    assert KEY not in caplog.text
    for file in setup.directory.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()


async def test_the_claim_is_on_disk_before_the_provider_is_called(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"wait": "go"}, {"delta": "a"}, *FINISH]})
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())
        await provider.requested(1)
        with sqlite3.connect(engine.journal.file) as db:
            rows = db.execute("SELECT id, state, body FROM runs").fetchall()
        assert [(row[0], row[1]) for row in rows] == [(run.id, "sending")]
        assert rows[0][2] == provider.requests[0].body
        provider.release("go")
        assert (await finish(engine, run))[0].state == "done"


async def test_what_a_request_needs_is_looked_up_while_the_claim_is_synced(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = threading.Event()
    prepare = ProviderRegistry.prepare

    async def told(self: ProviderRegistry, *asked: Any) -> Provider:
        looked_up.set()
        return await prepare(self, *asked)

    steps: list[str] = []

    def write(statement: str) -> None:
        if statement.startswith("INSERT INTO runs") and not steps:
            steps.append("claim, too early" if looked_up.is_set() else "claim")
        elif statement == "COMMIT" and steps == ["claim"]:
            # A disk that is slower than that.
            steps.append("looked up" if looked_up.wait(10) else "not looked up")

    monkeypatch.setattr(ProviderRegistry, "prepare", told)
    async with setup.engine() as engine:
        await engine.open()
        await engine.journal.write(lambda tx: tx.db.set_trace_callback(write))
        run, _ = await engine.create(claim())
        assert (await finish(engine, run))[0].state == "done"
    assert steps == ["claim", "looked up"]
    assert len(provider.requests) == 1


async def test_a_refused_or_repeated_claim_sends_nothing_and_reads_no_key(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    prepare = ProviderRegistry.prepare

    async def noted(self: ProviderRegistry, name: str, model: str) -> Provider:
        asked.append(model)
        return await prepare(self, name, model)

    monkeypatch.setattr(ProviderRegistry, "prepare", noted)
    provider.script({"steps": [{"delta": "a"}, {"wait": "on"}, *FINISH]})
    async with setup.engine() as engine:
        wanted = claim()
        run, _ = await engine.create(wanted)
        await provider.requested(1)
        again, made = await engine.create(wanted)
        assert (again.id, made) == (run.id, False)
        with pytest.raises(ChatBusy):
            await engine.create(claim(chat=run.chat))
        # One that is refused takes those beside it along.
        with pytest.raises(ChatBusy):
            await engine.create_all([claim(), claim(chat=run.chat)])
        provider.release("on")
        assert (await finish(engine, run))[0].state == "done"
    assert asked == ["scripted"]
    assert len(provider.requests) == 1


async def test_a_claim_that_cannot_be_committed_sends_nothing_and_says_nothing_else(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()

    async def gone(self: ProviderRegistry, *of: Any) -> Provider:
        asked.set()
        raise UnknownProvider("test")

    do = Writer._do

    def breaks(self: Writer, *given: Any) -> None:
        do(self, *given)
        asked.wait(10)
        raise sqlite3.OperationalError("disk I/O error")

    complaints: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, said: complaints.append(said))
    monkeypatch.setattr(ProviderRegistry, "prepare", gone)
    async with setup.engine() as engine:
        await engine.open()
        with monkeypatch.context() as patched:
            patched.setattr(Writer, "_do", breaks)
            with pytest.raises(JournalError, match="disk I/O"):
                await engine.create(claim())
    gc.collect()
    assert asked.is_set()
    assert complaints == []
    assert provider.requests == []


async def test_nothing_is_sent_when_the_claim_cannot_be_written(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    setup.directory.parent.mkdir(exist_ok=True)
    setup.directory.write_text("a file where the folder should be")
    async with setup.engine() as engine:
        with pytest.raises(JournalError, match="journal_dir"):
            await engine.create(claim())
        # Once the problem is fixed it works without a restart.
        setup.directory.unlink()
        run, _ = await engine.create(claim())
        assert (await finish(engine, run))[0].state == "done"
    assert len(provider.requests) == 1


async def test_a_disk_that_fills_up_at_the_claim(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    async with setup.engine() as engine:
        await engine.open()

        def fill(pages: str) -> Callable[[Any], None]:
            return lambda tx: tx.db.execute(f"PRAGMA max_page_count = {pages}") and None

        await engine.journal.write(fill("1"))
        with pytest.raises(JournalError, match="full"):
            await engine.create(claim(body=b'{"model": "m", "x": "' + b"x" * 500_000 + b'"}'))
        assert provider.requests == []
        await engine.journal.write(fill("1000000"))
        run, _ = await engine.create(claim())
        assert (await finish(engine, run))[0].state == "done"
    assert len(provider.requests) == 1


def read_only(engine: Engine, on: bool) -> None:
    """Make writes to the journal fail, as on a disk mounted read-only."""
    assert engine.journal._writer is not None
    engine.journal._writer.db.execute(f"PRAGMA query_only = {int(on)}")


@pytest.mark.parametrize("how", ["by itself", "by the next message", "by Stop"])
async def test_an_end_that_cannot_be_written_is_written_later(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    tried = 0
    waited = asyncio.Event()
    waits = [0.01] * 8 if how == "by itself" else [0.01, 3600]
    monkeypatch.setattr(live_module, "_FINISH_AGAIN", waits)
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"delta": "b"}, *FINISH]})

    def counted(message: str, *args: Any) -> None:
        nonlocal tried
        tried += "the end of run" in message
        if tried == (12 if how == "by itself" else 2):
            waited.set()

    monkeypatch.setattr(setup.log, "warning", counted)
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())
        await provider.requested(1)
        async for item in engine.follow(run.id, 0):
            if isinstance(item, Event):
                break
        read_only(engine, True)
        provider.release("go")
        await asyncio.wait_for(waited.wait(), 10)
        with pytest.raises(JournalError):
            await engine.stop(run.chat, run.id)
        read_only(engine, False)
        if how == "by the next message":
            after, _ = await asyncio.wait_for(engine.create(claim(chat=run.chat)), 5)
            assert after.alive
        elif how == "by Stop":
            assert (await asyncio.wait_for(engine.stop(run.chat, run.id), 5)).state == "interrupted"
        ended, events = await asyncio.wait_for(finish(engine, run), 5)
        assert (ended.state, text_of(events)) == ("interrupted", "a")
        assert ended.end is not None and ended.end.code == "journal"

        async def left() -> None:
            while run.id in engine.live:
                await asyncio.sleep(0.01)

        # The next message writes the end itself; the run's own task leaves after that.
        await asyncio.wait_for(left(), 10)


async def test_closing_does_not_wait_for_an_end_that_cannot_be_written(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_module, "_FINISH_AGAIN", [3600])
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, *FINISH]})
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())
        await provider.requested(1)
        read_only(engine, True)
        provider.release("go")
        while engine._live[run.id].end is None:
            await asyncio.sleep(0.01)
        await asyncio.wait_for(engine.close(), 10)
    async with setup.engine() as again:
        assert (await again.latest(run.turn_key)).state in ("interrupted", "unknown")


async def test_a_run_whose_record_is_damaged_at_its_end_is_set_apart(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, *FINISH]})
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())
        await provider.requested(1)
        await engine.journal.write(lambda tx: tx.db.execute("UPDATE runs SET cell = 'x'") and None)
        following = asyncio.create_task(finish(engine, run))
        provider.release("go")
        with pytest.raises(queries.Damaged):
            await asyncio.wait_for(following, 10)
        (damage,) = await engine.journal.read(quarantine.report)
        assert damage.id == run.id
        # The chat is free again.
        assert (await engine.create(claim(chat=run.chat)))[1]


async def test_closing_interrupts_live_runs(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "part"}, {"stall": True}]})
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())
        async for item in engine.follow(run.id, 0):
            if isinstance(item, Event):
                break
        assert engine.live == {run.id: run.chat}
    assert engine.live == {}
    async with setup.engine() as again:
        after, events = await finish(again, run)
    assert after.state == "interrupted"
    assert after.end is not None
    assert after.end.type == "network"
    assert text_of(events) == "part"
    assert list((setup.directory / "owners").iterdir()) == []
    await provider.hung_up()


async def test_two_servers_share_the_lock_and_the_events(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"delta": "b"}, *FINISH]})
    async with setup.engine() as one, setup.engine() as other:
        run, _ = await one.create(claim())
        with pytest.raises(ChatBusy):
            await other.create(claim())
        following = asyncio.create_task(finish(other, run))
        await provider.requested(1)
        provider.release("go")
        after, events = await asyncio.wait_for(following, 10)
        assert (after.state, text_of(events)) == ("done", "ab")
        assert (await other.create(claim()))[1]


async def test_missing_model_claims_nothing(setup: Setup) -> None:
    async with setup.engine() as engine:
        with pytest.raises(LocalMissing):
            await engine.create(claim(provider="local"))
        with pytest.raises(UnknownProvider):
            await engine.create(claim(provider="nobody"))
        assert await engine.journal.read(lambda db: queries.select(db, open_only=False)) == []


async def test_following_from_any_number_while_it_grows(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    words = " ".join(f"word{n}" for n in range(60))
    provider.script({"steps": [{"tokens": words, "every": 2}, *FINISH]})
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())

        async def follow(after: int) -> list[int]:
            return [e.n async for e in engine.follow(run.id, after) if isinstance(e, Event)]

        numbers = await asyncio.gather(*(follow(after) for after in (0, 0, 5, 30, 61)))
        last = (await finish(engine, run))[0].events
    for got, after in zip(numbers, (0, 0, 5, 30, 61), strict=True):
        assert got == list(range(after + 1, last + 1))


def test_a_provider_does_not_show_its_key() -> None:
    fields = Provider.__dataclass_fields__
    assert not fields["key"].repr
    assert not fields["headers"].repr


async def test_a_repeated_claim_gets_its_run_even_without_its_provider(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    wanted = claim()
    async with setup.engine() as engine:
        run, _ = await engine.create(wanted)
        await finish(engine, run)
        engine._registry = ProviderRegistry(
            {}, [], NoKeys(), setup.directory / "none.json", engine._registry.local, {}, setup.log
        )
        again, made = await engine.create(wanted)
        assert (again.id, again.state, made) == (run.id, "done", False)
        with pytest.raises(UnknownProvider):
            await engine.create(claim())
    assert len(provider.requests) == 1


@pytest.mark.parametrize("automatic", [True, False])
async def test_stopping_an_older_attempt_stops_only_an_automatic_retry(
    setup: Setup, provider: ThreadedScriptedProvider, automatic: bool
) -> None:
    wanted = claim()
    provider.script(
        {"status": 503, "steps": []}, {"steps": [{"delta": "a"}, {"wait": "go"}, *FINISH]}
    )
    async with setup.engine() as engine:
        run, _ = await engine.create(wanted)
        failed, _ = await finish(engine, run)
        assert failed.state == "failed"
        if automatic:
            await provider.requested(2)
        else:
            await engine.set_auto(run.turn_key, False)
            await engine.retry_now(run.turn_key)
            await provider.requested(2)
        await asyncio.wait_for(engine.stop(run.chat, run.id), 10)
        last = await engine.latest(run.turn_key)
        assert (last.attempt, last.alive, last.automatic) == (2, not automatic, automatic)
        provider.release("go")
        assert (await finish(engine, last))[0].state == ("stopped" if automatic else "done")


async def test_stop_after_the_models_finish_leaves_it_done(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "whole"}, {"finish": "stop"}, {"wait": "go"}]})
    async with setup.engine() as engine:
        run, _ = await engine.create(claim())
        async for item in engine.follow(run.id, 0):
            if isinstance(item, Event) and '"stop"' in (item.data or ""):
                break
        stopped = await asyncio.wait_for(engine.stop(run.chat, run.id), 10)
        assert (stopped.state, stopped.end and stopped.end.finish) == ("done", "stop")
        provider.release("go")


async def test_a_retry_is_hindered_only_by_other_servers(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    provider.script(
        {"status": 400, "steps": []}, {"steps": [{"delta": "a"}, {"wait": "go"}, *FINISH]}
    )
    async with setup.engine() as engine, setup.engine() as other:
        run, _ = await engine.create(claim())
        await finish(engine, run)
        await engine.create(claim(chat=run.chat))
        await provider.requested(2)
        waiting = Waiting(run.turn_key, 1, 2, 0, 0, run.owner, None)
        # No error: when its own run ends, the scheduler reads the chat again.
        await engine._resume(waiting)
        await other.open()
        with pytest.raises(Hindered, match="another server"):
            await other._resume(waiting)
        provider.release("go")
    assert len(provider.requests) == 2


async def test_the_claim_is_synced_to_the_disk(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    said: list[str] = []
    async with setup.engine() as engine:
        await engine.open()
        await engine.journal.write(lambda tx: tx.db.set_trace_callback(said.append))
        run, _ = await engine.create(claim())
        await finish(engine, run)
    claimed = next(n for n, line in enumerate(said) if line.startswith("INSERT INTO runs"))
    levels = [line for line in said[:claimed] if line.startswith("PRAGMA synchronous")]
    assert levels[-1] == "PRAGMA synchronous = FULL"


async def test_a_proxy_that_cannot_be_used_fails_the_run_with_what_to_do(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("HTTPS_PROXY", "socks5h://127.0.0.1:9")
    # Loopback addresses need no proxy.
    run, _ = await play(setup)
    assert run.state == "done"
    far = replace(setup, settings={"base_url": "https://far.example/v1", "api_key": KEY})
    run, _ = await play(far)
    assert run.state == "failed" and run.end is not None
    assert run.end.code == "bad-proxy" and "httpx[socks]" in run.end.message
    assert run.turn.retry_at is None


async def test_a_run_without_memory_is_worth_another_attempt(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none_left(self: Wire, *said: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(Wire, "send", none_left)
        run, _ = await play(setup)
    assert run.state == "interrupted" and run.end is not None
    assert (run.end.type, run.end.code) == ("server", "memory")
    assert run.turn.retry_at is not None


async def test_a_run_does_not_keep_the_request_that_asked_for_it(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    class Asker:
        """What a server knows of a request while it answers it."""

    asker: ContextVar[Asker] = ContextVar("asker")
    known: list[weakref.ref[Asker]] = []

    async def ask(engine: Engine) -> None:
        made = Asker()
        asker.set(made)
        known.append(weakref.ref(made))
        await engine.create(claim())

    provider.script({"steps": [{"delta": "a"}, {"wait": "on"}, *FINISH]})
    async with setup.engine() as engine:
        await asyncio.create_task(ask(engine))
        await provider.requested(1)
        gc.collect()
        assert engine.live
        assert [each() for each in known] == [None]
        provider.release("on")
