"""A provider that compresses, floods or sets cookies cannot hurt the server or track the user."""

from __future__ import annotations

import base64
import gzip
import json
import sys
import tracemalloc
import uuid
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.runs import queries, reading
from jupyterlab_turnbook.runs.model import Event
from jupyterlab_turnbook.runs.sse import EventTooLarge, SseDecoder
from jupyterlab_turnbook.runs.tail import Tail
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import KEY, Api, ended, new_run, text_of

BOMB = gzip.compress(gzip.compress(b"data: {}\n\n" + bytes(64 * 1024 * 1024)))
STREAM = b'data: {"choices": [{"index": 0, "delta": {"content": "unpacked"}}]}\n\n'


def packed(data: bytes, encoding: str | None, **script: Any) -> dict[str, Any]:
    """A script that sends these bytes with this content encoding."""
    headers = {} if encoding is None else {"Content-Encoding": encoding}
    return {
        "headers": headers,
        "steps": [{"raw_base64": base64.b64encode(data).decode()}],
        **script,
    }


async def run_once(api: Api, **changes: Any) -> dict[str, Any]:
    """A run's end, with its events."""
    asked = new_run(autoRetry=False, **changes)
    assert (await api("createRun", body=asked)).status == 201
    return await ended(api, asked["id"])


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (BOMB, "gzip, gzip"),
        (gzip.compress(STREAM), "gzip"),
        (gzip.compress(STREAM), "GZIP"),
        (gzip.compress(STREAM), "identity, x-gzip"),
        (STREAM, "deflate"),
        (STREAM, "br"),
        (STREAM, "zstd"),
        (STREAM, "made-up"),
    ],
    # Not the bytes: they contain the time.
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_compressed_reply_is_refused_and_not_unpacked(
    api: Api, provider: ThreadedScriptedProvider, data: bytes, encoding: str
) -> None:
    provider.script(packed(data, encoding))
    tracemalloc.start()
    try:
        got = await run_once(api)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    end = got["run"]["end"]
    assert (got["run"]["state"], end["type"], end["code"]) == (
        "failed",
        "unknown",
        "content-encoding",
    )
    assert end["status"] == 200
    assert encoding in end["message"] and "Turn compression off" in end["message"]
    assert [event for event in got["events"] if "data" in event] == []
    assert most < 16 * 1024 * 1024


@pytest.mark.parametrize("encoding", [None, "identity", " Identity ,identity", ""])
async def test_what_is_not_compressed_is_read(
    api: Api, provider: ThreadedScriptedProvider, encoding: str | None
) -> None:
    provider.script(packed(STREAM + b"data: [DONE]\n\n", encoding))
    got = await run_once(api)
    assert got["run"]["state"] == "done"
    assert text_of(got["events"]) == "unpacked"


@pytest.mark.parametrize(
    ("status", "kind", "code"), [(401, "auth", "auth"), (500, "server", "500")]
)
async def test_a_compressed_error_is_not_read_but_its_status_counts(
    api: Api, provider: ThreadedScriptedProvider, status: int, kind: str, code: str
) -> None:
    said = gzip.compress(b'{"error": {"message": "unpacked"}}')
    provider.script(packed(said, "gzip", status=status, content_type="application/json"))
    end = (await run_once(api))["run"]["end"]
    assert (end["type"], end["code"], end["status"]) == (kind, code, status)
    assert "unpacked" not in end["message"] and "\x1f" not in end["message"]


async def test_a_compressed_list_of_models_is_refused(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    listed = gzip.compress(json.dumps({"data": [{"id": "unpacked"}]}).encode())
    for data in (listed, BOMB):
        script = packed(data, "gzip", content_type="application/json")
        provider.script(script, script, model="/v1/models")
        body = (await api("listModels", params={"refresh": "1"})).body
        (failed,) = body["errors"]
        assert failed["error"]["code"] == "content-encoding"
        asked = {"baseUrl": provider.url, "key": KEY}
        tested = (await api("testProvider", "test", body=asked)).body
        assert (tested["ok"], tested["error"]["code"]) == (False, "content-encoding")


class TestHeaders:
    """The headers of every request."""

    @pytest.fixture
    def provider_settings(self) -> dict[str, Any]:
        """Configured headers that ask for compression."""
        return {"headers": {"accept-encoding": "gzip", "X-Team": "blue"}}

    async def test_no_request_asks_for_compression(
        self, api: Api, provider: ThreadedScriptedProvider
    ) -> None:
        await run_once(api)
        await api("listModels", params={"refresh": "1"})
        assert [request.path for request in provider.requests] == [
            "/v1/chat/completions",
            "/v1/models",
        ]
        for request in provider.requests:
            assert request.headers["accept-encoding"] == "identity"
            assert request.headers["x-team"] == "blue"


async def test_no_cookie_is_kept(api: Api, provider: ThreadedScriptedProvider) -> None:
    marked = {"Set-Cookie": "id=42; Path=/; Max-Age=9999"}
    good = [{"delta": "a"}, {"finish": "stop"}, {"done": True}]
    provider.script(
        {"headers": marked, "steps": good}, {"headers": marked, "status": 401, "steps": []}
    )
    for _ in range(3):
        await run_once(api, chat=str(uuid.uuid4()))
        await api("listModels", params={"refresh": "1"})
    assert len(provider.requests) == 6
    assert not any("cookie" in request.headers for request in provider.requests)


class TestLimit:
    """A run that exceeds the server's size limit."""

    @pytest.fixture
    def turnbook_config(self, turnbook_config: dict[str, Any]) -> dict[str, Any]:
        """A small limit."""
        return {**turnbook_config, "run_max_bytes": 2000}

    async def test_the_run_ends_and_keeps_what_arrived(
        self, api: Api, provider: ThreadedScriptedProvider
    ) -> None:
        provider.script({"steps": [{"tokens": "word " * 1000}, {"finish": "stop"}, {"done": True}]})
        got = await run_once(api)
        end = got["run"]["end"]
        assert (got["run"]["state"], end["type"], end["code"]) == ("failed", "unknown", "too-large")
        assert "2,000 bytes" in end["message"] and "c.TurnbookApp.run_max_bytes" in end["message"]
        came = sum(len(event["data"]) for event in got["events"] if "data" in event)
        assert 1000 < came <= 2000
        assert text_of(got["events"]).startswith("word word")

    async def test_bytes_without_text_count_too(
        self, api: Api, provider: ThreadedScriptedProvider
    ) -> None:
        provider.script({"steps": [{"raw": ": still there\n\n" * 1000}, {"stall": True}]})
        assert (await run_once(api))["run"]["end"]["code"] == "too-large"

    async def test_a_finished_reply_is_complete(
        self, api: Api, provider: ThreadedScriptedProvider
    ) -> None:
        provider.script(
            {"steps": [{"delta": "all"}, {"finish": "stop"}, {"raw": ": more\n\n" * 1000}]}
        )
        got = await run_once(api)
        assert (got["run"]["state"], text_of(got["events"])) == ("done", "all")

    async def test_a_reply_below_the_limit_is_complete(
        self, api: Api, provider: ThreadedScriptedProvider
    ) -> None:
        provider.script({"steps": [{"delta": "x" * 1000}, {"finish": "stop"}, {"done": True}]})
        assert (await run_once(api))["run"]["state"] == "done"


def test_a_line_without_an_end_takes_no_more_memory_than_its_bytes() -> None:
    limit = 200_000
    decoder = SseDecoder(limit=limit)
    tracemalloc.start()
    try:
        with pytest.raises(EventTooLarge):
            for _ in range(2 * limit):
                decoder.feed(b"\xe2\x82\xac"[:1])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * limit


def test_many_short_lines_take_no_more_memory_than_their_bytes() -> None:
    limit = 200_000
    decoder = SseDecoder(limit=limit)
    tracemalloc.start()
    try:
        with pytest.raises(EventTooLarge):
            for _ in range(limit):
                decoder.feed("data:€\n".encode())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * limit


def test_the_tail_is_bounded_in_bytes() -> None:
    tail = Tail()
    large = "€" * 200_000
    for n in range(1, 101):
        tail.add((Event(n, data=large),))
        held = [event.data for event in tail.after(n - 1) or []]
        assert tail.last == n and tail.after(n) == []
        assert len(held) <= 1
    known = next(k for k in range(100, 0, -1) if tail.after(100 - k) is not None)
    assert known * sys.getsizeof(large) <= 2 * 1024 * 1024
    # Small events are limited by number only.
    few = Tail()
    few.add(tuple(Event(n, data="x") for n in range(1, 41)))
    assert [event.n for event in few.after(0) or []] == list(range(1, 41))


def test_the_tail_forgets_what_is_old_when_more_comes() -> None:
    now = 100.0
    tail = Tail(lambda: now)
    for n in range(1, 51):
        tail.add((Event(n, data="x"),))
        # Of the last second all is there, whatever comes in it.
        assert tail.after(max(0, n - 10)) is not None
        now += 0.1
    assert tail.after(50 - 25) is None
    assert [event.n for event in tail.after(48) or []] == [49, 50]


def test_a_commit_larger_than_the_tail_is_read_from_the_journal() -> None:
    tail = Tail()
    tail.add(tuple(Event(n, data="€" * 500_000) for n in range(1, 11)))
    assert tail.last == 10
    assert tail.after(0) is None


def test_what_is_read_ahead_is_bounded_in_bytes() -> None:
    tiny = ["{}"] * 10_000
    assert reading.held(tiny) > 10_000 * 50
    assert reading.held(["€" * 1000]) > 2000


async def test_a_page_of_events_is_bounded_in_bytes(
    api: Api, provider: ThreadedScriptedProvider, turnbook: TurnbookApp
) -> None:
    large = [{"delta": "x" * 500_000}] * 12
    provider.script({"steps": [*large, {"finish": "stop"}, {"done": True}]})
    run = (await run_once(api))["run"]
    page = await turnbook.engine.journal.read(
        lambda db: queries.page(db, run["id"], after=0, limit=1000)
    )
    assert 1 <= len(page.events) <= 5
    assert all(event.end is None for event in page.events)
    followed = [
        item.n async for item in turnbook.engine.follow(run["id"], 0) if isinstance(item, Event)
    ]
    assert followed == list(range(1, run["events"] + 1))


async def test_an_image_of_50_mb_ends_the_run_and_what_came_before_is_kept(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    url = "data:image/png;base64," + "A" * 50_000_000
    delta = {"images": [{"type": "image_url", "image_url": {"url": url}}]}
    large = json.dumps({"choices": [{"index": 0, "delta": delta}]})
    provider.script(
        {"steps": [{"delta": "Here: "}, {"raw": f"data: {large}\n\n"}, {"finish": "stop"}]}
    )
    got = await run_once(api)
    assert got["run"]["state"] == "failed"
    assert got["run"]["end"]["message"]
    assert text_of(got["events"]) == "Here: "
    # Nothing of it is in the events, and the chat can send again.
    assert sum(len(event.get("data", "")) for event in got["events"]) < 10_000
    provider.script({"steps": [{"delta": "Fine."}, {"finish": "stop"}, {"done": True}]})
    assert text_of((await run_once(api))["events"]) == "Fine."
