"""The scripted provider does what a script says, to the byte."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from jupyterlab_turnbook.scripted_provider import ScriptedProvider, ThreadedScriptedProvider
from jupyterlab_turnbook.scripted_provider.script import BadScript

Make = Callable[..., ThreadedScriptedProvider]


def ask(text: str = "hi", model: str = "scripted") -> dict[str, Any]:
    return {"model": model, "stream": True, "messages": [{"role": "user", "content": text}]}


def contents(body: str) -> str:
    events = [line[6:] for line in body.split("\n") if line.startswith("data: ")]
    chunks = [json.loads(event) for event in events if event != "[DONE]"]
    return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)


def test_echoes_when_nothing_is_queued(scripted_provider: ThreadedScriptedProvider) -> None:
    body = json.dumps(ask("grüß  Gott\nund so")).encode()
    reply = httpx.post(f"{scripted_provider.url}/chat/completions", content=body)
    assert reply.headers["content-type"] == "text/event-stream"
    assert contents(reply.text) == "You said: grüß  Gott\nund so"
    assert reply.text.endswith("data: [DONE]\n\n")
    whole = httpx.post(
        f"{scripted_provider.url}/chat/completions", json={**ask("x"), "stream": False}
    )
    assert whole.json()["choices"][0]["message"]["content"] == "You said: x"
    first, second = scripted_provider.completions()
    assert first.body == body
    assert first.sha256 == hashlib.sha256(body).hexdigest()
    assert (first.closed, first.ended, second.n) == (False, True, 2)
    assert scripted_provider.counts()["paths"] == {"/v1/chat/completions": 2}


def test_plays_steps_statuses_and_headers(scripted_provider: ThreadedScriptedProvider) -> None:
    scripted_provider.script(
        {"status": 429, "headers": {"Retry-After": "7"}, "steps": [{"body": {"error": {}}}]},
        {
            "steps": [
                {"delta": "a"},
                {"chunk": {"any": "json"}},
                {"raw": ": comment\n\n"},
                {"raw_base64": base64.b64encode(b"\xff\x00").decode()},
                {"finish": "length", "usage": {"total_tokens": 3}},
                {"done": True},
            ]
        },
    )
    scripted_provider.script({"steps": [{"raw": "mine"}]}, model="other")
    url = f"{scripted_provider.url}/chat/completions"
    assert httpx.post(url, json=ask(model="other")).text == "mine"
    limited = httpx.post(url, json=ask())
    assert (limited.status_code, limited.headers["retry-after"]) == (429, "7")
    assert limited.headers["content-type"] == "application/json"
    body = httpx.post(url, json=ask()).content
    assert b'data: {"any": "json"}\n\n: comment\n\n\xff\x00data: ' in body
    assert b'"finish_reason": "length"}], "usage": {"total_tokens": 3}}' in body


@pytest.mark.parametrize("chunked", [True, False])
def test_splits_bytes_anywhere(scripted_provider: ThreadedScriptedProvider, chunked: bool) -> None:
    scripted_provider.script(
        {"split": 1, "chunked": chunked, "steps": [{"delta": "żółw"}, {"done": True}]}
    )
    with httpx.stream("POST", f"{scripted_provider.url}/chat/completions", json=ask()) as reply:
        pieces = list(reply.iter_raw())
    got = b"".join(pieces)
    assert contents(got.decode()) == "żółw"
    # What one read returns is up to TCP; what counts is how it was written.
    assert scripted_provider.requests[0].pieces == [1] * len(got)


@pytest.mark.parametrize(
    ("step", "chunked", "error"),
    [
        ({"cut": True}, True, httpx.RemoteProtocolError),
        ({"reset": True}, False, httpx.ReadError),
        ({"cut": True}, False, None),
    ],
)
def test_cuts_and_resets(
    scripted_provider: ThreadedScriptedProvider,
    step: dict[str, Any],
    chunked: bool,
    error: type[Exception] | None,
) -> None:
    scripted_provider.script(
        {"chunked": chunked, "steps": [{"delta": "half"}, {"wait": "read"}, step]}
    )
    got = b""
    with httpx.stream("POST", f"{scripted_provider.url}/chat/completions", json=ask()) as reply:
        try:
            for piece in reply.iter_raw():
                got += piece
                scripted_provider.release("read")
            assert error is None
        except httpx.HTTPError as raised:
            assert error is not None and isinstance(raised, error)
    assert contents(got.decode()) == "half"
    assert not scripted_provider.requests[0].closed


def test_leading_cut_and_stall_come_before_the_head(
    scripted_provider: ThreadedScriptedProvider,
) -> None:
    scripted_provider.script({"steps": [{"cut": True}]}, {"steps": [{"stall": True}]})
    url = f"{scripted_provider.url}/chat/completions"
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.post(url, json=ask())
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(url, json=ask(), timeout=0.1)


async def test_records_that_the_client_left(async_scripted_provider: ScriptedProvider) -> None:
    provider = async_scripted_provider
    provider.script({"steps": [{"delta": "one"}, {"stall": True}]})
    async with (
        httpx.AsyncClient() as client,
        client.stream("POST", f"{provider.url}/chat/completions", json=ask()) as reply,
    ):
        async for _ in reply.aiter_raw():
            break
    await provider.hung_up()
    assert [r.closed for r in provider.requests] == [True]


async def test_gates_hold_and_reset_hangs_up(async_scripted_provider: ScriptedProvider) -> None:
    provider = async_scripted_provider
    provider.script(
        {"steps": [{"delta": "a"}, {"wait": "g/1"}, {"delta": "b"}, {"done": True}]},
        {"steps": [{"headers": True}, {"stall": True}]},
    )
    async with httpx.AsyncClient() as client:

        async def post() -> str:
            url = f"{provider.url}/chat/completions"
            return (await client.post(url, json=ask())).text

        held = asyncio.ensure_future(post())
        await provider.requested(1)
        stalled = asyncio.ensure_future(post())
        await provider.requested(2)
        assert not held.done()
        await client.post(f"{provider.control}/release/g%2F1")
        assert contents(await held) == "ab"
        await client.delete(provider.control)
        with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
            await stalled
        assert (await client.get(f"{provider.control}/requests")).json() == []


def test_an_open_gate_is_refused(scripted_provider: ThreadedScriptedProvider) -> None:
    script = {"steps": [{"wait": "go"}]}
    scripted_provider.script(script, script)
    scripted_provider.release("go")
    with pytest.raises(BadScript, match="'go' is open already"):
        scripted_provider.script(script)
    httpx.delete(scripted_provider.control)
    scripted_provider.script(script)


def test_refuses_a_wrong_key(make_scripted_provider: Make) -> None:
    provider = make_scripted_provider(key="sk-right")
    assert httpx.get(f"{provider.url}/models").status_code == 401
    wrong = httpx.post(
        f"{provider.url}/chat/completions", json=ask(), headers={"Authorization": "Bearer no"}
    )
    assert wrong.json()["error"]["code"] == "invalid_api_key"
    right = {"Authorization": "Bearer sk-right"}
    listed = httpx.get(f"{provider.url}/models", headers=right).json()
    assert [model["id"] for model in listed["data"]] == ["scripted", "scripted-mini"]


def test_control_api_over_http() -> None:
    command = [sys.executable, "-m", "jupyterlab_turnbook.scripted_provider"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdin is not None
        where = json.loads(process.stdout.readline())
        control, url = where["control"], f"{where['url']}/chat/completions"
        refused = httpx.post(f"{control}/script", json={"scripts": [{"steps": [{"dleta": "x"}]}]})
        assert refused.status_code == 400 and "dleta" in refused.json()["error"]
        script = {"scripts": [{"steps": [{"tokens": "a b c", "every": 1}, {"done": True}]}]}
        assert httpx.post(f"{control}/script", json=script).status_code == 200
        assert contents(httpx.post(url, json=ask()).text) == "a b c"
        (recorded,) = httpx.get(f"{control}/requests", params={"count": 1}).json()
        assert json.loads(base64.b64decode(recorded["body_base64"])) == ask()
        assert recorded["model"] == "scripted" and recorded["method"] == "POST"
        models = [{"id": "m", "max_model_len": 5}]
        httpx.put(f"{control}/models", json=models)
        assert httpx.get(f"{where['url']}/models").json()["data"] == models
        assert "access-control-allow-origin" not in httpx.get(control).headers
        assert httpx.get(control).json()["completions"] == 1
        process.stdin.close()
        assert process.wait(10) == 0


def test_a_signal_ends_it_without_output() -> None:
    command = [sys.executable, "-m", "jupyterlab_turnbook.scripted_provider"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None and process.stderr is not None
        where = json.loads(process.stdout.readline())
        assert httpx.get(where["control"]).status_code == 200
        process.terminate()
        assert process.wait(10) == 0
        assert process.stderr.read() == b""
