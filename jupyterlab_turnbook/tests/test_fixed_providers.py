"""`user_providers = False`: only the administrator sets providers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, ended, new_run


@pytest.fixture
def turnbook_config(
    turnbook_config: dict[str, Any], journal_dir: Path, scripted_provider: ThreadedScriptedProvider
) -> dict[str, Any]:
    # One that was added when that was allowed, or that a user wrote into the file.
    journal_dir.mkdir(parents=True, exist_ok=True)
    mine = {"mine": {"baseUrl": scripted_provider.url}, "test": {"baseUrl": scripted_provider.url}}
    (journal_dir / "providers.json").write_text(json.dumps(mine))
    return {**turnbook_config, "user_providers": False}


async def test_only_those_of_the_server_are_listed_and_used(
    api: Api, provider: ThreadedScriptedProvider, scripted_provider: ThreadedScriptedProvider
) -> None:
    listed = (await api("listProviders")).body
    assert [each["name"] for each in listed["providers"]] == ["local", "test"]
    assert listed["canAdd"] is False
    assert not any(each["editable"] for each in listed["providers"])
    refused = await api("createRun", body=new_run(provider="mine"))
    assert (refused.status, refused.body["code"]) == (404, "unknown-provider")
    run = (await api("createRun", body=new_run(provider="test"))).body
    assert (await ended(api, run["id"]))["run"]["state"] == "done"
    assert len(provider.completions()) == 1
    assert scripted_provider.requests == []


async def test_none_can_be_added_changed_deleted_or_tested(
    api: Api, scripted_provider: ThreadedScriptedProvider, journal_dir: Path
) -> None:
    given = {"baseUrl": scripted_provider.url}
    check = {**given, "model": "scripted", "check": "streaming"}
    before = (journal_dir / "providers.json").read_bytes()
    for name in ("mine", "new", "test"):
        for operation, body in (
            ("putProvider", given),
            ("testProvider", given),
            ("checkProvider", check),
            ("deleteProvider", None),
        ):
            answer = await api(operation, name, body=body)
            assert (answer.status, answer.body["code"]) == (403, "forbidden"), operation
            assert "administrator" in answer.body["message"]
    assert scripted_provider.requests == []
    assert (journal_dir / "providers.json").read_bytes() == before


async def test_loopback_is_not_searched(
    api: Api, turnbook: TurnbookApp, scripted_provider: ThreadedScriptedProvider
) -> None:
    turnbook.loopback_ports = {"ollama": urlsplit(scripted_provider.url).port or 0}
    assert (await api("listLoopback")).body == {"servers": []}
    assert scripted_provider.requests == []
