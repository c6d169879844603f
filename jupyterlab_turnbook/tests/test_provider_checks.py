"""`/providers/{name}/check`: what a model supports, whatever its provider does."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from jupyter_server.serverapp import ServerApp

from jupyterlab_turnbook.providers.provider import Provider
from jupyterlab_turnbook.providers.registry import ProviderRegistry
from jupyterlab_turnbook.routes.providers import ProviderCheckHandler
from jupyterlab_turnbook.runs import probe
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]

SECRET = "sk-user-0123456789abcdef"
END = [{"finish": "stop"}, {"done": True}]
CALLS = [{"index": 0, "id": "c", "type": "function", "function": {"name": "ping"}}]


def says(text: str) -> dict[str, Any]:
    return {"steps": [{"tokens": text}, *END]}


def whole(message: dict[str, Any]) -> dict[str, Any]:
    """A reply that is not streamed."""
    return {"steps": [{"body": {"choices": [{"message": message}]}}]}


def thinks(**delta: Any) -> dict[str, Any]:
    chunk = {"choices": [{"index": 0, "delta": delta}]}
    return {"steps": [{"chunk": chunk}, {"delta": "3"}, *END]}


def counts(usage: dict[str, Any]) -> dict[str, Any]:
    chunk = {"choices": [], "usage": usage}
    return {"steps": [{"delta": "3"}, {"finish": "stop"}, {"chunk": chunk}, {"done": True}]}


REFUSED = {"status": 400, "steps": [{"body": {"error": {"message": f"Not this, {SECRET}."}}}]}
BROKEN = {"status": 503, "steps": [{"body": {"error": {"message": "Busy"}}}]}
UNPAID = {"status": 402, "steps": [{"body": {"error": {"message": f"No credit {SECRET}"}}}]}
CUT = {"steps": [{"delta": "one two ur five 4827"}, {"cut": True}]}

CASES = [
    ("streaming", says("one two three"), "yes"),
    ("streaming", whole({"content": "one two three"}), "no"),
    ("streaming", REFUSED, "failed"),
    ("tools", {"steps": [{"tool_calls": CALLS}, {"finish": "tool_calls"}, {"done": True}]}, "yes"),
    ("tools", whole({"tool_calls": CALLS}), "yes"),
    ("tools", says("ping"), "no"),
    ("images", says("4 8 2 7"), "yes"),
    ("images", says("I see no picture."), "no"),
    ("images", says("1234"), "no"),
    ("reasoning", thinks(reasoning_content="Let me count"), "yes"),
    ("reasoning", thinks(reasoning="Let me count"), "yes"),
    ("reasoning", thinks(reasoning=""), "no"),
    ("reasoning", says("<think>Let me count</think> 3"), "yes"),
    ("reasoning", counts({"completion_tokens_details": {"reasoning_tokens": 64}}), "yes"),
    ("reasoning", counts({"completion_tokens_details": {"reasoning_tokens": 0}}), "no"),
    ("reasoning", counts({"completion_tokens_details": "many"}), "no"),
    ("reasoning", says("3"), "no"),
    ("prefill", says("ur five six"), "yes"),
    ("prefill", says("one two three four"), "no"),
    ("prefill", says(" ur five six"), "no"),
    *((check, REFUSED, "no") for check in ("tools", "images", "prefill")),
    ("reasoning", REFUSED, "failed"),
    *(
        (check, broken, "failed")
        for check in ("streaming", "tools", "images", "reasoning", "prefill")
        for broken in (BROKEN, UNPAID, CUT)
    ),
]


@pytest.fixture
def settings(scripted_provider: ThreadedScriptedProvider) -> dict[str, Any]:
    return {"baseUrl": scripted_provider.url, "key": SECRET, "model": "scripted"}


async def test_finds_out_what_a_model_supports(
    api: Api, scripted_provider: ThreadedScriptedProvider, settings: dict[str, Any]
) -> None:
    for check, script, result in CASES:
        scripted_provider.reset()
        scripted_provider.script(script)
        found = (await api("checkProvider", "new", body={**settings, "check": check})).body
        assert (found["check"], found["model"]) == (check, "scripted")
        assert found["result"] == result, (check, script)
        assert SECRET not in json.dumps(found)
        explained = result == "failed" or script is REFUSED
        assert (found["error"] is not None) == explained, (check, script)
        (request,) = scripted_provider.requests
        assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert len((await api("listProviders")).body["providers"]) == 2


async def test_a_reply_that_is_too_long_shows_what_it_can(
    api: Api,
    scripted_provider: ThreadedScriptedProvider,
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probe, "_MOST_BYTES", 20_000)
    more = [{"delta": "so "}] * 400
    thought = {"chunk": {"choices": [{"index": 0, "delta": {"reasoning": "Let me count"}}]}}
    cases: list[tuple[str, list[dict[str, Any]], str]] = [
        ("streaming", more, "yes"),
        ("streaming", [{"delta": "so " * 10_000}], "failed"),
        ("reasoning", [thought, *more], "yes"),
        ("reasoning", [{"delta": "<think>"}, *more], "yes"),
        ("reasoning", more, "failed"),
        ("prefill", more, "failed"),
    ]
    for check, steps, result in cases:
        scripted_provider.reset()
        scripted_provider.script({"steps": [*steps, *END]})
        found = (await api("checkProvider", "new", body={**settings, "check": check})).body
        assert found["result"] == result, (check, steps[:2])
        said = found["error"] and found["error"]["message"]
        assert said == (
            None if result == "yes" else "The reply was not complete after 20,000 bytes."
        )


async def test_a_reply_that_does_not_end_in_time_could_not_be_tried(
    api: Api,
    scripted_provider: ThreadedScriptedProvider,
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probe, "_SECONDS", 0.1)
    scripted_provider.script({"steps": [{"stall": True}]})
    found = (await api("checkProvider", "new", body={**settings, "check": "reasoning"})).body
    assert found["result"] == "failed"
    assert found["error"]["message"] == "The reply was not complete within 0.1 s."


async def test_asks_each_question_in_a_way_that_shows_the_answer(
    api: Api, scripted_provider: ThreadedScriptedProvider, settings: dict[str, Any]
) -> None:
    for check in ("tools", "images", "prefill"):
        await api("checkProvider", "new", body={**settings, "check": check})
    tools, images, prefill = (each.json() for each in scripted_provider.completions())
    assert tools["tools"][0]["function"]["name"] == "ping"
    picture, question = images["messages"][0]["content"]
    kind, _, data = picture["image_url"]["url"].partition(",")
    assert (kind, question["type"]) == ("data:image/png;base64", "text")
    assert b64decode(data).startswith(b"\x89PNG\r\n\x1a\n")
    assert "4827" not in json.dumps(images["messages"][0]["content"][1])
    assert prefill["messages"][-1]["role"] == "assistant"


@pytest.mark.parametrize("change", [{"check": "taste"}, {"model": ""}, {"probe": SECRET}])
async def test_refuses_what_the_contract_does_not_have(
    api: Api, settings: dict[str, Any], change: dict[str, Any]
) -> None:
    body = {**settings, "check": "tools", **change}
    answer = await api("checkProvider", "new", body=body, valid=False)
    assert (answer.status, answer.body["code"]) == (400, "bad-request")
    assert SECRET not in str(answer.body)


@pytest.fixture
def start(
    # Without it the server does not answer.
    api: Api,
    jp_serverapp: ServerApp,
    jp_auth_header: dict[str, str],
    settings: dict[str, Any],
) -> Callable[[], Awaitable[Connection]]:
    """Starts a check on a connection of its own, which a test can close."""

    async def start() -> Connection:
        body = json.dumps({**settings, "check": "streaming"})
        path = f"{jp_serverapp.base_url}turnbook/api/providers/new/check"
        reader, writer = await asyncio.open_connection("127.0.0.1", jp_serverapp.port)
        lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in jp_auth_header.items()]
        writer.write("\r\n".join([*lines, "", body]).encode())
        await writer.drain()
        return reader, writer

    return start


async def test_leaves_the_provider_when_the_browser_leaves(
    scripted_provider: ThreadedScriptedProvider, start: Callable[[], Awaitable[Connection]]
) -> None:
    scripted_provider.script({"steps": [{"delta": "one"}, {"stall": True}]})
    reader, writer = await start()
    await scripted_provider.requested(1)
    writer.close()
    await scripted_provider.hung_up(1)
    assert await reader.read() == b""


async def test_sends_nothing_when_the_browser_left_before_the_key_was_read(
    api: Api,
    scripted_provider: ThreadedScriptedProvider,
    settings: dict[str, Any],
    start: Callable[[], Awaitable[Connection]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, left = asyncio.Event(), asyncio.Event()
    for_test = ProviderRegistry.for_test
    closed = ProviderCheckHandler.on_connection_close

    async def slowly(*args: Any) -> Provider:
        provider = await for_test(*args)
        reading.set()
        await left.wait()
        return provider

    def on_close(handler: ProviderCheckHandler) -> None:
        closed(handler)
        left.set()

    monkeypatch.setattr(ProviderRegistry, "for_test", slowly)
    monkeypatch.setattr(ProviderCheckHandler, "on_connection_close", on_close)
    _, writer = await start()
    await reading.wait()
    writer.close()
    await left.wait()
    # A request of the check that was left would come before this one.
    await api("checkProvider", "new", body={**settings, "check": "tools"})
    (request,) = scripted_provider.completions()
    assert "tools" in request.json()
