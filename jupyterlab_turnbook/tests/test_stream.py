"""`/stream`: one socket, every event once and in order."""

from __future__ import annotations

import asyncio
import hashlib
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.routes.stream import StreamHandler
from jupyterlab_turnbook.runs.journal import JournalError
from jupyterlab_turnbook.runs.transaction import Change
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import CHAT, Api, Clock, Page, chat_named, ended, new_run, of, text_of

Open = Callable[[], Any]
FINISH = [{"finish": "stop"}, {"done": True}]


async def test_a_run_from_its_start_to_its_end(
    api: Api, page: Open, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"delta": "b"}, *FINISH]})
    asked = new_run()
    await api("createRun", body=asked)
    async with page() as p:
        await p.send({"subscribe": asked["id"]})
        first = await p.next()
        assert first["status"]["id"] == asked["id"]
        seen = [first]
        while "event" not in seen[-1]:
            seen.append(await p.next())
        provider.release("go")
        while "status" not in seen[-1] or seen[-1]["status"]["state"] != "done":
            seen.append(await p.next())
    events = [message["event"] for message in seen if "event" in message]
    assert text_of(events) == "ab"
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["state"] == "done"
    states = [message["status"]["state"] for message in seen if "status" in message]
    assert states[-2:] == ["streaming", "done"]
    assert events == (await ended(api, asked["id"]))["events"]


async def test_reading_never_consumes(api: Api, page: Open) -> None:
    asked = new_run("one two three four")
    await api("createRun", body=asked)
    events = (await ended(api, asked["id"]))["events"]
    async with page() as p, page() as q:
        for after in (0, 3, 0, len(events) - 1):
            for one in (p, q):
                await one.send({"subscribe": asked["id"], "after": after})
                assert await one.events(asked["id"]) == events[after:]
        await p.send({"subscribe": asked["id"], "after": len(events)})
        assert (await p.next())["status"]["state"] == "done"
        await p.send({"ping": 1})
        assert await p.next() == {"pong": 1}


async def test_coming_back_loses_nothing(
    api: Api, page: Open, provider: ThreadedScriptedProvider
) -> None:
    text = " ".join(f"w{n}" for n in range(80))
    provider.script({"steps": [{"tokens": text, "every": 3}, *FINISH]})
    asked = new_run()
    await api("createRun", body=asked)
    events: list[dict[str, Any]] = []
    while not events or "end" not in events[-1]:
        async with page() as p:
            await p.send({"subscribe": asked["id"], "after": len(events)})
            for _ in range(12):
                message = await p.next()
                if "event" in message:
                    events.append(message["event"])
                if events and "end" in events[-1]:
                    break
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    assert text_of(events) == text


async def test_unsubscribing_ends_the_events(
    api: Api, page: Open, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"delta": "b"}, *FINISH]})
    asked = new_run()
    await api("createRun", body=asked)
    async with page() as p:
        await p.send({"subscribe": asked["id"]})
        while "event" not in await p.next():
            pass
        await p.send({"unsubscribe": asked["id"]})
        await p.send({"unsubscribe": new_run()["id"]})
        provider.release("go")
        await ended(api, asked["id"])
        await p.send({"ping": 5})
        assert await p.next() == {"pong": 5}


@pytest.mark.parametrize("wide", [False, True])
async def test_watching_a_chat(
    api: Api, page: Open, provider: ThreadedScriptedProvider, wide: bool
) -> None:
    old = new_run()
    await api("createRun", body=old)
    await ended(api, old["id"])
    async with page() as p:
        await p.send({"watchAll": True} if wide else {"watch": CHAT})
        told = await p.next()
        assert told.get("chat") == (None if wide else CHAT)
        assert [run["id"] for run in told["allRuns" if wide else "runs"]] == [old["id"]]
        await api("createRun", body=new_run(chat=chat_named("elsewhere")))
        asked = new_run()
        await api("createRun", body=asked)
        seen: list[str] = []
        while "done" not in seen:
            message = await p.next()
            assert wide or message["chat"] == CHAT
            if message["changed"]["id"] == asked["id"]:
                seen.append(message["changed"]["state"])
        await api("landRun", asked["id"], params=of(asked))
        while True:
            message = await p.next()
            if message["changed"]["id"] == asked["id"] and message["changed"]["landed"]:
                break
        await p.send({"watchAll": False} if wide else {"unwatch": CHAT})
        await p.send({"ping": 1})
        while await p.next() != {"pong": 1}:
            pass
        await api("dropRun", asked["id"], params=of(asked))
        await p.send({"ping": 2})
        assert await p.next() == {"pong": 2}


async def test_a_message_and_its_reply_do_not_wait_for_the_news_of_them(
    page: Open, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than the reply takes.
    monkeypatch.setattr(StreamHandler, "news_seconds", 3600)
    provider.script({"steps": [{"delta": "a"}, {"wait": "on"}, *FINISH]})
    asked = new_run()
    async with page() as p:
        await p.send({"watch": asked["chat"]})
        assert "runs" in await p.next()
        await p.send({"send": asked})
        seen = [await p.next()]
        await p.send({"subscribe": asked["id"]})
        while "data" not in seen[-1].get("event", {}):
            seen.append(await p.next())
        assert seen[0]["sent"]["id"] == asked["id"]
        assert not any("changed" in message for message in seen)
        # That it has ended, and what follows, is told at once.
        provider.release("on")
        while (await p.next()).get("changed", {}).get("state") != "done":
            pass


async def test_the_news_of_a_chat_that_is_watched_no_longer_are_left_out(
    api: Api, page: Open, turnbook: TurnbookApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [new_run(), new_run(chat=chat_named("other"))]
    for asked in runs:
        await api("createRun", body=asked)
        await ended(api, asked["id"])
    async with page() as p:
        for asked in runs:
            await p.send({"watch": asked["chat"]})
            assert "runs" in await p.next()
        turnbook.engine.hub.announce([Change(each["id"], each["chat"], True) for each in runs])
        handler = next(iter(turnbook.engine.hub._watchers[CHAT])).__self__  # type: ignore[attr-defined]
        handler._unwatch(CHAT)
        assert (await p.next())["chat"] == runs[1]["chat"]


async def test_an_unreadable_run_does_not_stop_the_changes_of_others(
    api: Api, page: Open, turnbook: TurnbookApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    journal = turnbook.engine.journal
    really, failed = journal.read, asyncio.Event()

    async def read(work: Any) -> Any:
        if failed.is_set():
            return await really(work)
        failed.set()
        raise JournalError("The disk is full.")

    async with page() as p:
        await p.send({"watch": asked["chat"]})
        assert "runs" in await p.next()
        gone = Change(str(uuid.uuid4()), asked["chat"], True)
        turnbook.engine.hub.announce([gone, Change(asked["id"], asked["chat"], True)])
        assert (await p.next())["changed"]["id"] == asked["id"]
        monkeypatch.setattr(journal, "read", read)
        turnbook.engine.hub.announce([Change(asked["id"], asked["chat"], True)])
        await asyncio.wait_for(failed.wait(), 10)
        await api("landRun", asked["id"], params=of(asked))
        assert (await p.next())["changed"]["landed"] is True


@pytest.mark.parametrize(
    "message",
    [
        "{nope",
        "[]",
        "7",
        {},
        {"subscribe": 7},
        {"subscribe": "x", "after": -1},
        {"subscribe": "x", "more": 1},
        {"ping": "x"},
        {"status": {}},
    ],
)
async def test_a_bad_message_is_reported_and_the_socket_stays_open(
    page: Open, message: Any
) -> None:
    async with page() as p:
        await p.send(message)
        assert (await p.next())["error"]["code"] == "bad-message"
        await p.send({"ping": 3})
        assert await p.next() == {"pong": 3}


async def test_an_unknown_run_is_reported(page: Open) -> None:
    run = str(uuid.uuid4())
    async with page() as p:
        await p.send({"subscribe": run})
        told = await p.next()
        assert (told["run"], told["error"]["code"]) == (run, "no-such-run")
        await p.send({"pong": 1})
        await p.send({"ping": 3})
        assert await p.next() == {"pong": 3}


async def test_too_many_subscriptions(
    api: Api, page: Open, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StreamHandler, "most_subscriptions", 2)
    provider.script(*({"steps": [{"stall": True}]} for _ in range(3)))
    runs = [new_run(chat=chat_named(f"chat-{n}")) for n in range(3)]
    async with page() as p:
        for asked in runs:
            await api("createRun", body=asked)
            await p.send({"subscribe": asked["id"]})
        while "error" not in (message := await p.next()):
            pass
        assert (message["run"], message["error"]["code"]) == (runs[2]["id"], "too-many")


async def test_heartbeat(page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    async with page() as talking, page() as silent:
        clock.now = StreamHandler.silence_seconds
        await talking.send({"pong": (await talking.next())["ping"]})
        await _answers(talking, 8)
        clock.now += 1
        await asyncio.wait_for(_until_closed(silent), 10)
        await _answers(talking, 9)


async def _answers(page: Page, number: int) -> None:
    await page.send({"ping": number})
    while await page.next() != {"pong": number}:
        pass


async def _until_closed(page: Page) -> None:
    while await page.socket.read_message() is not None:
        pass


async def test_closing_removes_all_listeners(
    api: Api, page: Open, provider: ThreadedScriptedProvider, turnbook: TurnbookApp
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"stall": True}]})
    asked = new_run()
    await api("createRun", body=asked)
    hub = turnbook.engine.hub
    async with page() as p:
        await p.send({"subscribe": asked["id"]})
        await p.send({"watchAll": True})
        while "event" not in await p.next():
            pass
        assert hub.listeners == 2
    while hub.listeners:
        await asyncio.sleep(0.01)
    # The run continues without a page.
    assert (await api("getRun", asked["id"])).body["run"]["state"] == "streaming"


async def test_a_server_that_ends_closes_the_stream(
    api: Api, page: Open, provider: ThreadedScriptedProvider, turnbook: TurnbookApp
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"stall": True}]})
    asked = new_run()
    await api("createRun", body=asked)
    async with page() as p:
        await p.send({"subscribe": asked["id"]})
        while "event" not in await p.next():
            pass
        await turnbook.engine.close()
        await p.send({"subscribe": asked["id"]})
        said = []
        while (text := await asyncio.wait_for(p.socket.read_message(), 10)) is not None:
            said.append(json.loads(text))
    # The page sees a broken connection, not a failed run.
    assert [message for message in said if "error" in message] == []
    assert p.socket.close_code == 1001


async def test_a_page_that_reads_nothing_costs_no_memory(
    api: Api,
    page: Open,
    provider: ThreadedScriptedProvider,
    turnbook: TurnbookApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = 0
    write = StreamHandler.write_message

    def count(self: StreamHandler, message: Any, binary: bool = False) -> Any:
        nonlocal written
        written += len(message)
        return write(self, message, binary)

    monkeypatch.setattr(StreamHandler, "write_message", count)
    chunk = {"choices": [{"index": 0, "delta": {"content": "x" * 500_000}}]}
    provider.script({"steps": [*({"chunk": chunk} for _ in range(60)), *FINISH]})
    asked = new_run()
    # The client buffers one message until it is read, so the connection fills up.
    async with page() as p:
        await api("createRun", body=asked)
        await p.send({"subscribe": asked["id"]})
        while turnbook.engine.live:
            await asyncio.sleep(0.02)
        assert written < 15_000_000
        events = await p.events(asked["id"])
    assert len(text_of(events)) == 30_000_000


async def test_events_come_in_batches_on_request(
    api: Api, page: Any, provider: ThreadedScriptedProvider
) -> None:
    text = " ".join(f"w{n}" for n in range(2500))
    provider.script({"steps": [{"tokens": text}, {"finish": "stop"}, {"done": True}]})
    asked = new_run()
    await api("createRun", body=asked)
    while not (run := (await api("listRuns")).body["runs"][0])["end"]:
        await asyncio.sleep(0.05)
    last = run["events"]
    async with page() as p:
        await p.send({"subscribe": asked["id"], "after": 1, "batch": True})
        assert "status" in await p.next()
        numbers: list[int] = []
        messages = 0
        while not numbers or numbers[-1] < last:
            # Checking thousands of events against the contract would take longer than sending them.
            message = json.loads(await p.socket.read_message())
            messages += 1
            got = message["events"] if "events" in message else [message["event"]]
            numbers += [event["n"] for event in got]
        assert numbers == list(range(2, last + 1))
        assert messages < 10


async def test_many_replies_at_once_come_in_few_frames(
    api: Api, page: Any, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StreamHandler, "few_subscriptions", 1)
    # Long enough for a busy machine, on which the replies take longer.
    monkeypatch.setattr(StreamHandler, "pause_seconds", 0.5)
    text = " ".join(f"w{n}" for n in range(100))
    runs = [new_run(chat=str(uuid.uuid4())) for _ in range(2)]
    steps = [{"delta": "a"}, {"wait": "on"}, {"tokens": text, "every": 5}, *FINISH]
    provider.script(*[{"steps": steps}] * len(runs))
    numbers: dict[str, list[int]] = {run["id"]: [] for run in runs}
    async with page() as p:
        for asked in runs:
            await api("createRun", body=asked)
            await p.send({"subscribe": asked["id"], "batch": True, "gather": True})
        frames, ends, together = 0, 0, 0
        while ends < len(runs):
            if all(numbers.values()):
                provider.release("on")
            message = await p.next()
            parts = message.get("gathered") or ([message] if "run" in message else [])
            frames += bool(parts)
            together = max(together, len(parts))
            for part in parts:
                for event in part.get("events") or [part["event"]]:
                    numbers[part["run"]].append(event["n"])
                    ends += "end" in event
    for found in numbers.values():
        assert found == list(range(1, len(found) + 1))
        assert len(found) > 100
    assert frames < 60
    assert together == 2


async def test_events_for_a_page_that_is_up_to_date_are_not_read_from_the_journal(
    api: Api, page: Any, provider: ThreadedScriptedProvider, turnbook: TurnbookApp
) -> None:
    steps: list[Any] = [{"delta": "0"}, {"wait": "first"}]
    for n in range(1, 300):
        steps.append({"delta": f" {n}"})
    provider.script({"steps": [*steps, {"wait": "end"}, {"finish": "stop"}, {"done": True}]})
    asked = new_run()
    async with page() as p:
        await api("createRun", body=asked)
        await p.send({"subscribe": asked["id"]})
        while "event" not in (message := await p.next()):
            continue
        assert message["event"]["n"] == 1
        journal, reads = turnbook.engine.journal, 0
        original = journal.read

        async def counted(work: Any) -> Any:
            nonlocal reads
            reads += 1
            return await original(work)

        journal.read = counted  # type: ignore[method-assign]
        provider.release("first")
        for n in range(2, 301):
            assert (await p.next())["event"]["n"] == n
        # It is read only if the page fell far behind.
        assert reads <= 3
        journal.read = original  # type: ignore[method-assign]
        provider.release("end")
        assert (await p.events(asked["id"]))[-1]["state"] == "done"


async def test_subscribing_again_replaces_the_subscription(
    api: Api, page: Open, provider: ThreadedScriptedProvider, turnbook: TurnbookApp
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"tokens": " b c d"}, *FINISH]})
    asked = new_run()
    await api("createRun", body=asked)
    async with page() as p:
        await p.send({"subscribe": asked["id"]})
        while "event" not in (message := await p.next()):
            continue
        before = turnbook.engine.hub.listeners
        for _ in range(3):
            await p.send({"subscribe": asked["id"], "after": message["event"]["n"]})
            assert (await p.next())["status"]["id"] == asked["id"]
        assert turnbook.engine.hub.listeners == before
        provider.release("go")
        events = await p.events(asked["id"])
        # An event sent twice would come before the pong.
        await p.send({"ping": 7})
        while "pong" not in (last := await p.next()):
            assert "event" not in last
    assert text_of(events) == " b c d"
    assert [event["n"] for event in events] == list(range(2, 2 + len(events)))


async def test_a_silent_page_is_dropped_without_waiting_for_it(
    http_server: Any,
    jp_http_port: int,
    jp_base_url: str,
    jp_auth_header: dict[str, str],
    turnbook: TurnbookApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(monkeypatch)
    reader, writer = await asyncio.open_connection("127.0.0.1", jp_http_port)
    lines = [
        f"GET {jp_base_url}turnbook/api/stream HTTP/1.1",
        f"Host: 127.0.0.1:{jp_http_port}",
        *(f"{name}: {value}" for name, value in jp_auth_header.items()),
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    assert b" 101 " in await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
    message = b'{"watchAll": true}'
    writer.write(bytes([0x81, 0x80 | len(message), 0, 0, 0, 0]) + message)
    while not turnbook.engine.hub.listeners:
        await asyncio.sleep(0.01)
    clock.now += StreamHandler.silence_seconds + 1
    while True:
        head = await asyncio.wait_for(reader.readexactly(2), 10)
        length = head[1] if head[1] < 126 else int.from_bytes(await reader.readexactly(2), "big")
        await reader.readexactly(length)
        if head[0] & 0x0F == 8:
            break
    # It never answers the closing handshake, but its listeners are gone.
    assert turnbook.engine.hub.listeners == 0
    writer.close()


async def test_a_message_is_sent_over_the_socket_like_a_post(
    api: Api, page: Open, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, *FINISH]})
    asked = new_run()
    async with page() as p, page() as q:
        for one in (p, p, q):
            await one.send({"send": asked})
            assert (await one.next())["sent"]["id"] == asked["id"]
        # What was posted is known on the socket, and the other way round.
        assert (await api("createRun", body=asked)).status == 200
        refused = [
            ({**asked, "body": '{"model": "other"}'}, 409, "body-differs"),
            (new_run(), 409, "chat-busy"),
            (new_run(chat=str(uuid.uuid4()), provider="nobody"), 404, "unknown-provider"),
            (new_run(chat=str(uuid.uuid4()), body="no JSON"), 400, "bad-body"),
            ({"id": asked["id"]}, 400, "bad-request"),
            ([], 400, "bad-request"),
        ]
        for new, status, code in refused:
            await p.send({"send": new})
            told = await p.next()
            assert (told["httpStatus"], told["refused"]["code"]) == (status, code)
            assert told["run"] == (new["id"] if isinstance(new, dict) else "")
        await p.send({"send": asked, "watchAll": True})
        assert (await p.next())["error"]["code"] == "bad-message"
        provider.release("go")
        await ended(api, asked["id"])
    assert len(provider.completions()) == 1


async def test_siblings_and_large_messages_go_over_the_socket(
    api: Api, page: Open, provider: ThreadedScriptedProvider
) -> None:
    provider.script(*[{"steps": [{"delta": "a"}, *FINISH]}] * 2)
    small = new_run()
    other = {name: small[name] for name in ("id", "provider", "body")}
    other |= {"sibling": 1, "requestHash": hashlib.sha256(small["body"].encode()).hexdigest()}
    group = new_run("long " * 40_000, group=str(uuid.uuid4()), sibling=0, siblings=[other])
    async with page() as p:
        await p.send({"send": group})
        told = await p.next()
        assert "sent" in told, told
        sent = told["sent"]
        assert [sent["id"], *(each["id"] for each in sent["siblings"])] == [
            group["id"],
            other["id"],
        ]
    for run in (group["id"], other["id"]):
        await ended(api, run)
    bodies = {request.body.decode() for request in provider.completions()}
    assert bodies == {group["body"], other["body"]}
