"""The embedded model itself, in its child process."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from jupyterlab_turnbook.local import child, manager
from jupyterlab_turnbook.local.errors import LocalFailed, LocalMissing
from jupyterlab_turnbook.local.files import MODEL, model_name
from jupyterlab_turnbook.local.gguf import context_length
from jupyterlab_turnbook.local.manager import Endpoint, LocalModel

LOG = logging.getLogger("turnbook-test")
Make = Callable[..., LocalModel]


@pytest.fixture
def make_local(jp_asyncio_loop: asyncio.AbstractEventLoop) -> Iterator[Make]:
    made: list[LocalModel] = []

    def make(data_dir: Path, path: str = "", idle: float = 900) -> LocalModel:
        made.append(LocalModel(path, data_dir, idle, LOG))
        return made[-1]

    yield make
    for local in made:
        jp_asyncio_loop.run_until_complete(local.stop())


async def until(holds: Callable[[], bool], limit: float = 10) -> None:
    async def wait() -> None:
        while not holds():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(wait(), limit)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def stream(endpoint: Endpoint, messages: list[Any], **options: Any) -> list[dict[str, Any]]:
    body = {"model": MODEL, "stream": True, "temperature": 0, "messages": messages, **options}
    headers = {"Authorization": f"Bearer {endpoint.key}"}
    async with (
        httpx.AsyncClient(timeout=60, trust_env=False) as client,
        client.stream(
            "POST", f"{endpoint.base_url}/chat/completions", json=body, headers=headers
        ) as reply,
    ):
        assert reply.status_code == 200
        assert reply.headers["content-type"] == "text/event-stream"
        events = [line[6:] async for line in reply.aiter_lines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    return [json.loads(event) for event in events[:-1]]


def text(chunks: list[dict[str, Any]]) -> str:
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)


async def test_streams_like_openai_and_continues_a_partial_reply(
    make_local: Make, embedded_data_dir: Path
) -> None:
    local = make_local(embedded_data_dir)
    assert local.status()["state"] == "ready"
    endpoint = await local.ensure()
    assert local.status()["state"] == "running"
    question = {"role": "user", "content": "Tell me a story about a robot."}
    options = {"max_tokens": 24, "stream_options": {"include_usage": True}}
    chunks = await stream(endpoint, [question], **options)
    whole = text(chunks)
    assert "robot" in whole
    assert len([c for c in chunks if c["choices"]]) > 3
    finishes = [choice["finish_reason"] for c in chunks for choice in c["choices"]]
    assert finishes[-1] in ("stop", "length") and set(finishes[:-1]) == {None}
    usage = chunks[-1]["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]

    words = whole.split(" ")
    partial = " ".join(words[: len(words) // 2])
    rest = text(await stream(endpoint, [question, {"role": "assistant", "content": partial}]))
    assert (partial + rest).startswith(whole[: len(partial) + 5])


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
async def test_the_child_gets_nothing_of_the_servers_environment(
    make_local: Make, embedded_data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = {
        "OPENAI_API_KEY": "sk-canary",
        "WORK_KEY": "sk-canary",
        "JUPYTERHUB_API_TOKEN": "sk-canary",
        "JUPYTER_TOKEN": "sk-canary",
        "HTTPS_PROXY": "http://user:sk-canary@proxy",
        "LLAMA_ARG_MODEL": "sk-canary",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    local = make_local(embedded_data_dir)
    await local.ensure()
    given = Path(f"/proc/{local.pid}/environ").read_bytes()
    assert b"sk-canary" not in given
    names = {entry.partition(b"=")[0].decode() for entry in given.split(b"\0") if entry}
    assert not names & set(secrets)
    assert "LC_ALL" in names


async def test_refuses_requests_without_the_key(make_local: Make, embedded_data_dir: Path) -> None:
    endpoint = await make_local(embedded_data_dir).ensure()
    origin = {"Origin": "http://evil.example"}
    async with httpx.AsyncClient(trust_env=False) as client:
        url = f"{endpoint.base_url}/chat/completions"
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            refused = await client.post(url, json={"messages": []}, headers=headers | origin)
            assert refused.status_code == 401
        asked = {"Access-Control-Request-Method": "POST"}
        for answer in (
            await client.options(url, headers=origin | asked),
            await client.get(
                f"{endpoint.base_url}/models",
                headers=origin | {"Authorization": f"Bearer {endpoint.key}"},
            ),
        ):
            assert not answer.headers.get("access-control-allow-origin")
    assert endpoint.base_url.startswith("http://127.0.0.1:")
    assert endpoint.key not in repr(endpoint)


async def test_starts_once_and_again_after_a_kill(
    make_local: Make, embedded_data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    local = make_local(embedded_data_dir)
    first, second = await asyncio.gather(local.ensure(), local.ensure())
    assert first == second
    pid = local.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    await until(lambda: local.pid is None)
    assert local.status()["state"] == "ready"
    again = await local.ensure()
    assert again.key != first.key and local.pid != pid
    assert text(await stream(again, [{"role": "user", "content": "Hi"}], max_tokens=5))
    assert "starts it again" in caplog.text


async def test_a_child_that_has_just_died_is_not_used(
    make_local: Make, embedded_data_dir: Path
) -> None:
    local = make_local(embedded_data_dir)
    first = await local.ensure()
    pid = local.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    # Its port closes before the event loop learns of its end.
    while _answers(first.base_url):
        time.sleep(0.01)
    second = await local.ensure()
    assert second.base_url != first.base_url or second.key != first.key
    assert local.pid not in (None, pid)


def _answers(base_url: str) -> bool:
    address = urlsplit(base_url)
    try:
        socket.create_connection((address.hostname, address.port or 80), 1).close()
    except OSError:
        return False
    return True


async def test_stops_when_idle_but_not_while_used(
    make_local: Make, embedded_data_dir: Path
) -> None:
    local = make_local(embedded_data_dir, idle=0.2)
    with local.use():
        endpoint = await local.ensure()
        pid = local.pid
        assert pid is not None
        # This reply takes longer than the idle limit.
        assert await stream(endpoint, [{"role": "user", "content": "Tell a story"}], max_tokens=60)
        assert local.pid == pid
    await until(lambda: not alive(pid))
    assert local.status()["state"] == "ready"


async def test_stop_ends_the_child(make_local: Make, embedded_data_dir: Path) -> None:
    local = make_local(embedded_data_dir)
    await local.ensure()
    pid = local.pid
    assert pid is not None
    await local.stop()
    assert not alive(pid)


def test_the_child_ends_with_its_parent(embedded_data_dir: Path, tmp_path: Path) -> None:
    code = (
        "import asyncio, logging, os, sys\n"
        "from pathlib import Path\n"
        "from jupyterlab_turnbook.local.manager import LocalModel\n"
        "async def main():\n"
        "    local = LocalModel('', Path(sys.argv[1]), 900, logging.getLogger())\n"
        "    await local.ensure()\n"
        "    print(local.pid, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    root = str(Path(child.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code, str(embedded_data_dir)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
        check=False,
    )
    assert done.returncode == -9
    asyncio.run(until(lambda: not alive(int(done.stdout))))


async def test_a_file_that_is_not_a_model_fails_with_llamacpps_message(
    make_local: Make, tmp_path: Path
) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + b"\x03\x00\x00\x00" + b"\xff" * 64)
    local = make_local(tmp_path, str(path))
    assert (local.model, local.window()) == ("broken", 8192)
    with pytest.raises(LocalFailed, match="local_model_path") as raised:
        await local.ensure()
    assert "gguf" in raised.value.message.lower().split("the end of its log:")[1]
    status = local.status()
    assert (status["state"], status["message"]) == ("failed", raised.value.message)


async def test_what_is_missing_is_reported(
    make_local: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedded_data_dir: Path
) -> None:
    with pytest.raises(LocalMissing, match="93 MB"):
        await make_local(tmp_path / "empty").ensure()
    wrong = make_local(tmp_path, str(tmp_path / "nowhere.gguf"))
    with pytest.raises(LocalMissing, match=r"nowhere\.gguf, which is not a file"):
        await wrong.ensure()
    assert wrong.status()["state"] == "failed"
    monkeypatch.setattr(manager, "has_engine", lambda: False)
    without = make_local(embedded_data_dir)
    with pytest.raises(LocalMissing, match=r"xllamacpp.*turnbook\[local\].*another provider"):
        await without.ensure()
    status = without.status()
    assert (status["state"], status["received"]) == ("missing", status["size"])


async def test_the_embedded_model_is_bounded_also_when_its_path_is_given(
    make_local: Make, embedded_model: Path, embedded_data_dir: Path, tmp_path: Path
) -> None:
    # Its replies may otherwise repeat themselves up to the end of its window.
    other = tmp_path / "other.gguf"
    other.write_bytes(embedded_model.read_bytes()[:4096])
    for path in ("", str(embedded_model)):
        settings = make_local(embedded_data_dir, path)._settings()
        assert settings["most"] == manager.MOST_TOKENS
        assert settings["sampling"] == manager.SAMPLING
    settings = make_local(embedded_data_dir, str(other))._settings()
    assert (settings["most"], settings["sampling"]) == (-1, {})


def test_window_and_name_come_from_the_file(embedded_model: Path, tmp_path: Path) -> None:
    assert context_length(embedded_model) == 8192
    empty = tmp_path / "x.gguf"
    for content in (b"", b"GGUF", b"ZIP!", embedded_model.read_bytes()[:200]):
        empty.write_bytes(content)
        assert context_length(empty) is None
    assert model_name("/m/Qwen2.5-0.5B-Instruct-Q4_K_M.gguf") == "Qwen2.5-0.5B-Instruct"
    assert model_name("/m/tiny.f16.gguf") == "tiny"
    assert model_name("") == MODEL
    assert model_name(str(embedded_model)) == MODEL
    link, copy = tmp_path / "model.gguf", tmp_path / "copy-q4_0.gguf"
    link.symlink_to(embedded_model)
    assert model_name(str(link)) == MODEL
    head = embedded_model.read_bytes()[:4096]
    copy.write_bytes(head)
    assert model_name(str(copy)) == "Smollm2 135M 8k Lc100K Mix1 Ep2"
    copy.write_bytes(head.replace(b"general.name", b"general.nome"))
    os.utime(copy, ns=(1, 1))
    assert model_name(str(copy)) == "copy"
