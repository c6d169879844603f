"""Messages over the socket when there are many, when Turnbook fails, and when the server ends."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.routes import stream
from jupyterlab_turnbook.routes.runs import create
from jupyterlab_turnbook.routes.stream import StreamHandler
from jupyterlab_turnbook.runs import gathering
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, Clock, Page, ended, new_run

Open = Callable[[], Any]


async def until_closed(page: Page) -> list[dict[str, Any]]:
    """What the server says until it closes the socket."""
    said = []
    while (text := await asyncio.wait_for(page.socket.read_message(), 10)) is not None:
        said.append(json.loads(text))
    return said


async def test_few_of_many_messages_are_taken_at_once(
    api: Api, page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [new_run(chat=str(uuid.uuid4())) for _ in range(StreamHandler.most_sends + 4)]
    really, go, full = create, asyncio.Event(), asyncio.Event()
    at_once = most = 0

    async def slow(*args: Any) -> Any:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        if at_once == StreamHandler.most_sends:
            full.set()
        await go.wait()
        try:
            return await really(*args)
        finally:
            at_once -= 1

    monkeypatch.setattr(stream, "create", slow)
    async with page() as p, page() as other:
        for asked in runs:
            await p.send({"send": asked})
        await asyncio.wait_for(full.wait(), 10)
        # Other pages do not wait.
        await other.send({"ping": 1})
        assert await other.next() == {"pong": 1}
        go.set()
        sent = {(await p.next())["sent"]["id"] for _ in runs}
        await p.send({"ping": 2})
        assert await p.next() == {"pong": 2}
    assert sent == {asked["id"] for asked in runs}
    assert most == StreamHandler.most_sends
    for asked in runs:
        await ended(api, asked["id"])


async def test_a_page_that_leaves_while_its_messages_wait_leaves_nothing_behind(
    page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[asyncio.Task[Any] | None] = []
    waits: list[asyncio.Task[Any]] = []
    full, waiting = asyncio.Event(), asyncio.Event()
    on_message = StreamHandler.on_message

    async def noted(self: StreamHandler, message: str | bytes) -> None:
        task = asyncio.current_task()
        assert task is not None
        waits.append(task)
        if len(taken) == StreamHandler.most_sends:
            waiting.set()
        await on_message(self, message)
        waits.remove(task)

    async def slow(*args: Any) -> Any:
        taken.append(asyncio.current_task())
        if len(taken) == StreamHandler.most_sends:
            full.set()
        await asyncio.Event().wait()

    # While messages wait, nothing is read, so it is its silence that shows that the page has gone.
    clock = Clock(monkeypatch)
    monkeypatch.setattr(StreamHandler, "on_message", noted)
    monkeypatch.setattr(stream, "create", slow)
    async with page() as p:
        for _ in range(StreamHandler.most_sends + 1):
            await p.send({"send": new_run(chat=str(uuid.uuid4()))})
        await asyncio.wait_for(full.wait(), 10)
        await asyncio.wait_for(waiting.wait(), 10)
    clock.now += StreamHandler.silence_seconds + 1
    while waits:
        await asyncio.sleep(0.01)
    assert len(taken) == StreamHandler.most_sends


async def test_a_defect_is_told_and_the_socket_stays_open(
    api: Api,
    page: Open,
    turnbook: TurnbookApp,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fails(*args: Any, **options: Any) -> Any:
        raise ZeroDivisionError

    asked = new_run()
    async with page() as p:
        with monkeypatch.context() as patch:
            patch.setattr(turnbook.engine, "create_all", fails)
            await p.send({"send": asked})
            told = await p.next()
            # Like `POST runs`.
            posted = await api("createRun", body=asked)
        assert (told["run"], told["httpStatus"]) == (asked["id"], 500)
        assert (posted.status, posted.body) == (500, told["refused"])
        assert "ZeroDivisionError" in caplog.text
        await p.send({"send": asked})
        assert (await p.next())["sent"]["id"] == asked["id"]
    await ended(api, asked["id"])


async def test_a_message_to_a_server_that_ends_is_not_refused(
    page: Open, provider: ThreadedScriptedProvider, turnbook: TurnbookApp
) -> None:
    async with page() as p:
        await turnbook.engine.close()
        await p.send({"send": new_run()})
        said = await until_closed(p)
    # The page sees a broken connection, and asks again.
    assert (said, p.socket.close_code) == ([], 1001)
    assert provider.requests == []


async def test_a_defect_in_what_sends_the_events_ends_the_stream(
    api: Api,
    page: Open,
    provider: ThreadedScriptedProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"delta": "b"}, {"finish": "stop"}]})
    asked = new_run()
    await api("createRun", body=asked)
    async with page() as p:
        await p.send({"subscribe": asked["id"], "batch": True, "gather": True})
        while "event" not in (message := await p.next()) and "gathered" not in message:
            pass
        monkeypatch.setattr(gathering, "_written", lambda event: 1 / 0)
        provider.release("go")
        await until_closed(p)
    assert p.socket.close_code == 1011
    monkeypatch.undo()
    await ended(api, asked["id"])


async def test_what_cannot_be_prepared_does_not_end_the_stream(
    page: Open, turnbook: TurnbookApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = asyncio.Event()

    async def fails(provider: str) -> None:
        tried.set()
        raise FileNotFoundError("SSL_CERT_FILE")

    monkeypatch.setattr(turnbook.engine, "prepare", fails)
    async with page() as p:
        await p.send({"prepare": "test"})
        await asyncio.wait_for(tried.wait(), 10)
        await p.send({"ping": 1})
        assert await p.next() == {"pong": 1}
