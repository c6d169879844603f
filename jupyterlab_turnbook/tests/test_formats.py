"""Replies in the formats of services: what the server reads in them, and that nothing is lost."""

from __future__ import annotations

import hashlib
import json

import httpx
import pytest

from jupyterlab_turnbook.runs.continuation import delta_of, partial_of, usage_of
from jupyterlab_turnbook.runs.reasoning import reasoning_text
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider
from jupyterlab_turnbook.scripted_provider.formats import FORMATS
from jupyterlab_turnbook.scripted_provider.script import BadScript

from .conftest import Api, ended, new_run


@pytest.mark.parametrize("name", FORMATS)
async def test_a_reply_is_read_in_every_format(
    api: Api, provider: ThreadedScriptedProvider, name: str
) -> None:
    wanted = FORMATS[name]
    provider.script(name)
    run = (await api("createRun", body=new_run())).body
    read = await ended(api, run["id"])
    assert (read["run"]["state"], read["run"]["end"]["code"]) == ("done", None)
    data = [event["data"] for event in read["events"] if "data" in event]
    partial = partial_of(data)
    assert partial.text == wanted.text
    assert (partial.thought, partial.tools) == (bool(wanted.reasoning), bool(wanted.calls))
    assert "".join(reasoning_text(delta_of(each)) for each in data) == wanted.reasoning
    assert read["run"]["end"]["finish"] == ("tool_calls" if wanted.calls else "stop")
    arguments = [
        call["function"].get("arguments", "")
        for each in data
        for call in delta_of(each).get("tool_calls", [])
    ]
    assert "".join(arguments) == "".join(call["arguments"] for call in wanted.calls)
    for image in wanted.images:
        assert any(image in each for each in data)
    response = (await api("getResponse", run["id"])).body
    raw = (await api("getResponseBytes", run["id"])).body
    assert response["exact"] and response["hash"] == hashlib.sha256(raw).hexdigest()
    if name not in ("llama.cpp-calls",):
        assert (usage_of(data) or {})["completion_tokens"] == 20


def test_formats_are_listed_with_what_they_mean(provider: ThreadedScriptedProvider) -> None:
    told = httpx.get(f"{provider.control}/formats", trust_env=False).json()
    assert set(told) == set(FORMATS)
    assert told["deepseek-calls"]["calls"][0]["name"] == "get_weather"
    queued = {"scripts": ["deepseek", "mistral"]}
    answer = httpx.post(f"{provider.control}/script", json=queued, trust_env=False)
    assert answer.status_code == 200 and provider.counts()["queued"] == 2
    with pytest.raises(BadScript, match="no format 'deepsek'; there are deepseek"):
        provider.script("deepsek")


def test_what_is_sent_back_is_valid_json() -> None:
    for made in FORMATS.values():
        for call in made.calls:
            json.loads(call["arguments"])
