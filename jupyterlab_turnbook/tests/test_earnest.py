"""Turns against real servers: the embedded one, and LiteLLM's proxy before it and before a scripted one.

The proxy is a large installation. Its tests run where `TURNBOOK_LITELLM` names its command, as
`make earnest` does.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from struct import pack
from typing import Any

import httpx
import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.runs.continuation import delta_of, usage_of
from jupyterlab_turnbook.runs.reasoning import reasoning_text
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider
from jupyterlab_turnbook.scripted_provider.formats import CALL, FORMATS

from .conftest import KEY, Api, ended, new_run, of, text_of

MODEL = "SmolLM2-135M-Instruct"
LITELLM = os.environ.get("TURNBOOK_LITELLM", "")
MASTER = "sk-earnest-0123456789"
STORY = "Tell me a long story about a robot."
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}


def _png() -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data))

    head = chunk(b"IHDR", pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress((b"\0" + b"\x5a" * 24) * 8))
    return b"\x89PNG\r\n\x1a\n" + head + rows + chunk(b"IEND", b"")


PICTURE = {
    "type": "image_url",
    "image_url": {"url": "data:image/png;base64," + base64.b64encode(_png()).decode()},
}


def turn(provider: str, model: str, content: Any, **options: Any) -> dict[str, Any]:
    """A run with one message."""
    body = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": content}],
        **options,
    }
    return new_run(str(content), provider=provider, body=json.dumps(body), autoRetry=False)


def data_of(read: dict[str, Any]) -> list[str]:
    """The chunks of a run."""
    return [event["data"] for event in read["events"] if "data" in event]


async def growing(api: Api, run: str) -> str:
    """The text of a run, once it has some."""

    async def wait() -> str:
        while True:
            read = (await api("getRun", run)).body
            text = text_of(read["events"])
            if text.strip():
                return text
            assert read["run"]["end"] is None, read["run"]["end"]
            await asyncio.sleep(0.01)

    return await asyncio.wait_for(wait(), 60)


async def resumed(api: Api, first: dict[str, Any]) -> dict[str, Any]:
    """The attempt after one that broke off."""
    answer = await api("retryTurn", first["chat"], first["pair"], body={"now": True})
    assert answer.status == 200, answer.body
    run = answer.body["run"]
    assert run["continues"] == first["id"]
    return await ended(api, run["id"], 60)


class TestEmbedded:
    """The embedded model, by its own server."""

    @pytest.fixture
    def journal_dir(self, embedded_data_dir: Path) -> Path:
        """Where the model is."""
        return embedded_data_dir

    async def test_text(self, api: Api) -> None:
        run = (
            await api("createRun", body=turn("local", MODEL, STORY, max_tokens=24, temperature=0))
        ).body
        read = await ended(api, run["id"], 60)
        assert read["run"]["state"] == "done", read["run"]["end"]
        assert "robot" in text_of(read["events"])
        usage = usage_of(data_of(read))
        assert usage is not None and usage["completion_tokens"] > 4

    async def test_tools_are_taken(self, api: Api) -> None:
        asked = turn("local", MODEL, "How is the weather in Berlin?", tools=[TOOL], max_tokens=24)
        read = await ended(api, (await api("createRun", body=asked)).body["id"], 60)
        assert read["run"]["state"] == "done", read["run"]["end"]

    async def test_an_image_is_refused_with_a_reason(self, api: Api) -> None:
        content = [PICTURE, {"type": "text", "text": "What is it?"}]
        asked = turn("local", MODEL, content)
        read = await ended(api, (await api("createRun", body=asked)).body["id"], 60)
        end = read["run"]["end"]
        assert (read["run"]["state"], end["code"]) == ("failed", "image_unsupported"), end
        # Without it, the same message is answered.
        plain = turn("local", MODEL, "What is it?", max_tokens=8)
        again = await ended(api, (await api("createRun", body=plain)).body["id"], 60)
        assert again["run"]["state"] == "done", again["run"]["end"]

    async def test_stop(self, api: Api) -> None:
        asked = turn("local", MODEL, STORY, max_tokens=2000, ignore_eos=True)
        run = (await api("createRun", body=asked)).body
        seen = await growing(api, run["id"])
        await api("stopRun", run["id"], params=of(run))
        read = await ended(api, run["id"], 60)
        assert read["run"]["state"] == "stopped"
        assert text_of(read["events"]).startswith(seen)
        # The model is free for the next message at once.
        plain = turn("local", MODEL, "Hello!", max_tokens=8)
        again = await ended(api, (await api("createRun", body=plain)).body["id"], 60)
        assert again["run"]["state"] == "done", again["run"]["end"]

    async def test_resume_after_the_server_died(self, api: Api, turnbook: TurnbookApp) -> None:
        asked = turn("local", MODEL, STORY, max_tokens=400, temperature=0, ignore_eos=True)
        run = (await api("createRun", body=asked)).body
        await growing(api, run["id"])
        pid = turnbook.local.embedded.pid
        assert pid is not None
        os.kill(pid, 9)
        first = await ended(api, run["id"], 60)
        assert first["run"]["state"] == "interrupted", first["run"]["end"]
        said = text_of(first["events"])
        second = await resumed(api, run)
        assert second["run"]["state"] == "done", second["run"]["end"]
        # It goes on from what had arrived, instead of starting over.
        assert not text_of(second["events"]).startswith(said[:20])


needs_litellm = pytest.mark.skipif(not LITELLM, reason="make earnest runs it")


@pytest.fixture(scope="module")
def behind() -> Iterator[ThreadedScriptedProvider]:
    """The scripted provider behind the proxy."""
    made = ThreadedScriptedProvider(key=KEY)
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def llama(embedded_model: Path) -> Iterator[str]:
    """The embedded model's own process, without what looks after it; its address."""
    settings = {
        "path": str(embedded_model),
        "alias": MODEL,
        "key": KEY,
        "slots": 1,
        "window": 4096,
        "threads": 2,
    }
    command = [sys.executable, "-m", "jupyterlab_turnbook.local.child"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        process.stdin.flush()
        port = json.loads(process.stdout.readline())["port"]
        yield f"http://127.0.0.1:{port}/v1"
        process.stdin.close()


@pytest.fixture(scope="module")
def proxy(
    behind: ThreadedScriptedProvider, llama: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """LiteLLM's proxy before the scripted provider and before a llama.cpp server; its address."""
    folder = tmp_path_factory.mktemp("litellm")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]

    def model(name: str, base: str) -> dict[str, Any]:
        params = {"model": f"openai/{name}", "api_base": base, "api_key": KEY}
        return {"model_name": name, "litellm_params": params}

    config = folder / "config.yaml"
    settings = {
        "model_list": [model("scripted", behind.url), model(MODEL, llama)],
        "general_settings": {"master_key": MASTER},
        "litellm_settings": {"telemetry": False, "num_retries": 0},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    }
    config.write_text(json.dumps(settings), "utf-8")
    environment = {
        **os.environ,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "NO_PROXY": "*",
        "HOME": str(folder),
    }
    command = [LITELLM, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process,
    ):
        try:
            _await_health(f"http://127.0.0.1:{port}/health/liveliness", process, folder / "log")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def _await_health(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 120
    while True:
        assert process.poll() is None and time.monotonic() < until, log.read_text("utf-8")[-4000:]
        try:
            if httpx.get(url, trust_env=False, timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)


@needs_litellm
class TestBehindLiteLLM:
    """LiteLLM's proxy."""

    @pytest.fixture
    def turnbook_config(self, turnbook_config: dict[str, Any], proxy: str) -> dict[str, Any]:
        """The proxy as a provider."""
        earnest = {"base_url": proxy, "api_key": MASTER, "continuation": "prefill"}
        return {**turnbook_config, "providers": {"litellm": earnest}}

    @pytest.fixture(autouse=True)
    def fresh(self, behind: ThreadedScriptedProvider) -> None:
        """Nothing is left of another test."""
        behind.reset()

    async def run(self, api: Api, request: dict[str, Any]) -> dict[str, Any]:
        """A run from its beginning to its end."""
        made = await api("createRun", body=request)
        assert made.status == 201, made.body
        return await ended(api, made.body["id"], 60)

    @pytest.mark.parametrize("model", ["scripted", MODEL])
    async def test_text(self, api: Api, model: str) -> None:
        read = await self.run(api, turn("litellm", model, STORY, max_tokens=24, temperature=0))
        assert read["run"]["state"] == "done", read["run"]["end"]
        assert "robot" in text_of(read["events"])
        assert (usage_of(data_of(read)) or {})["completion_tokens"] > 0

    @pytest.mark.parametrize("name", ["deepseek-calls", "vllm-calls", "ollama-calls"])
    async def test_tools(self, api: Api, behind: ThreadedScriptedProvider, name: str) -> None:
        behind.script(name)
        asked = turn("litellm", "scripted", "How is the weather?", tools=[TOOL])
        read = await self.run(api, asked)
        assert read["run"]["end"]["finish"] == "tool_calls"
        calls = [
            call["function"]
            for each in data_of(read)
            for call in delta_of(each).get("tool_calls") or []
        ]
        assert "".join(call.get("name") or "" for call in calls) == CALL["name"]
        assert "".join(call.get("arguments") or "" for call in calls) == CALL["arguments"]

    @pytest.mark.parametrize("name", ["deepseek", "vllm", "ollama", "openrouter", "llama.cpp"])
    async def test_reasoning(self, api: Api, behind: ThreadedScriptedProvider, name: str) -> None:
        behind.script(name)
        read = await self.run(api, turn("litellm", "scripted", "Hello"))
        assert text_of(read["events"]) == FORMATS[name].text
        thought = "".join(reasoning_text(delta_of(each)) for each in data_of(read))
        assert thought == FORMATS[name].reasoning

    async def test_an_image_arrives_unchanged(
        self, api: Api, behind: ThreadedScriptedProvider
    ) -> None:
        content = [PICTURE, {"type": "text", "text": "What is it?"}]
        read = await self.run(api, turn("litellm", "scripted", content))
        assert read["run"]["state"] == "done", read["run"]["end"]
        sent = json.loads(behind.requests[-1].body)["messages"][-1]["content"]
        url = sent[0]["image_url"]["url"]
        got = base64.b64decode(url.partition(",")[2])
        assert hashlib.sha256(got).digest() == hashlib.sha256(_png()).digest()

    async def test_an_image_is_refused_with_a_reason(self, api: Api) -> None:
        content = [PICTURE, {"type": "text", "text": "What is it?"}]
        read = await self.run(api, turn("litellm", MODEL, content))
        end = read["run"]["end"]
        assert (read["run"]["state"], end["code"]) == ("failed", "image_unsupported"), end

    async def test_stop(self, api: Api) -> None:
        asked = turn("litellm", MODEL, STORY, max_tokens=2000)
        run = (await api("createRun", body=asked)).body
        seen = await growing(api, run["id"])
        await api("stopRun", run["id"], params=of(run))
        read = await ended(api, run["id"], 60)
        assert read["run"]["state"] == "stopped"
        assert text_of(read["events"]).startswith(seen)

    async def test_resume(self, api: Api, behind: ThreadedScriptedProvider) -> None:
        story = "Once upon a time there was a robot that could count to ten."
        cut = {"steps": [{"tokens": story[:40], "every": 0.01}, {"cut": True}]}
        behind.script(cut)
        first = await self.run(api, turn("litellm", "scripted", STORY))
        assert first["run"]["state"] in ("interrupted", "failed"), first["run"]
        said = text_of(first["events"])
        assert said and story.startswith(said)
        rest = story[len(said) :]
        behind.script({"steps": [{"delta": rest}, {"finish": "stop"}, {"done": True}]})
        second = await resumed(api, first["run"])
        assert second["run"]["state"] == "done", second["run"]["end"]
        assert text_of(second["events"]) == rest
        last = json.loads(behind.requests[-1].body)["messages"][-1]
        assert last == {"role": "assistant", "content": said}
