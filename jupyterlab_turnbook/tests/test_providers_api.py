"""`/providers`: what the browser can do with providers, and what it never sees."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.providers.registry import Provider, ProviderRegistry
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import KEY, Api, ended, new_run

SECRET = "sk-user-0123456789abcdef"


@pytest.fixture
def turnbook_config(turnbook_config: dict[str, Any]) -> dict[str, Any]:
    return {**turnbook_config, "allowed_base_urls": ["http://127.0.0.1:*/v1"]}


def named(body: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (each for each in body["providers"] if each["name"] == name)
    return found


async def test_lists_providers_presets_and_where_keys_are(api: Api, journal_dir: Path) -> None:
    body = (await api("listProviders")).body
    assert [(each["name"], each["source"]) for each in body["providers"]] == [
        ("local", "local"),
        ("test", "config"),
    ]
    test = named(body, "test")
    assert (test["key"], test["editable"]) == ("set", False)
    assert test["timeouts"] == {"connect": 10, "first_byte": 300, "between_bytes": 30}
    assert named(body, "local")["continuation"] == "prefill"
    assert {each["reasoning"] for each in body["providers"]} == {"rounds"}
    titles = [preset["title"] for preset in body["presets"]]
    assert titles == ["OpenAI", "Ollama", "LM Studio", "vLLM", "OpenRouter", "LiteLLM"]
    assert str(journal_dir / "keys.json") in body["keyStore"]


async def test_a_provider_is_added_used_changed_and_deleted(
    api: Api, scripted_provider: ThreadedScriptedProvider
) -> None:
    url = scripted_provider.url
    added = await api("putProvider", "mine", body={"baseUrl": f"{url}/", "key": SECRET})
    assert (added.status, added.body["baseUrl"], added.body["key"]) == (200, url, "set")
    run = (await api("createRun", body=new_run(provider="mine"))).body
    assert (await ended(api, run["id"]))["run"]["state"] == "done"
    (sent,) = scripted_provider.completions()
    assert sent.headers["authorization"] == f"Bearer {SECRET}"

    changed = {"baseUrl": url, "models": ["m"], "timeouts": {"connect": 3}}
    kept = (await api("putProvider", "mine", body=changed)).body
    assert (kept["key"], kept["models"], kept["timeouts"]["connect"]) == ("set", ["m"], 3)
    elsewhere = {"baseUrl": "http://127.0.0.1:9/v1"}
    moved = (await api("putProvider", "mine", body=elsewhere)).body
    assert moved["key"] == "unset" and "Enter the key" in moved["message"]
    assert named((await api("listProviders")).body, "mine")["key"] == "unset"

    assert (await api("deleteProvider", "mine")).status == 204
    assert (await api("deleteProvider", "mine")).body["code"] == "unknown-provider"


@pytest.mark.parametrize("what", ["corrected", "deleted"])
async def test_a_provider_that_is_corrected_while_a_message_is_written_is_not_used_as_it_was(
    api: Api,
    turnbook: TurnbookApp,
    scripted_provider: ThreadedScriptedProvider,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
) -> None:
    looked_up, go_on = threading.Event(), threading.Event()
    steps: list[str] = []
    with_key = ProviderRegistry.with_key

    async def told(self: ProviderRegistry, provider: Provider) -> Provider:
        found = await with_key(self, provider)
        looked_up.set()
        return found

    def hold(statement: str) -> None:
        if statement.startswith("INSERT INTO runs") and not steps:
            steps.append("claim")
        elif statement == "COMMIT" and steps == ["claim"]:
            # A disk that syncs slowly.
            steps.append("sync")
            go_on.wait(30)

    await api("putProvider", "mine", body={"baseUrl": scripted_provider.url, "key": "sk-mistaken"})
    monkeypatch.setattr(ProviderRegistry, "with_key", told)
    await turnbook.engine.journal.write(lambda tx: tx.db.set_trace_callback(hold))
    try:
        run = new_run(provider="mine")
        creating = asyncio.create_task(api("createRun", body=run))
        assert await asyncio.to_thread(looked_up.wait, 30)
        if what == "corrected":
            corrected = {"baseUrl": scripted_provider.url, "key": SECRET}
            await api("putProvider", "mine", body=corrected)
        else:
            await api("deleteProvider", "mine")
    finally:
        go_on.set()
    await creating
    last = (await ended(api, run["id"]))["run"]
    assert steps == ["claim", "sync"]
    keys = [sent.headers["authorization"] for sent in scripted_provider.completions()]
    if what == "corrected":
        assert (last["state"], keys) == ("done", [f"Bearer {SECRET}"])
    else:
        assert (last["state"], last["end"]["code"], keys) == ("failed", "unknown-provider", [])


async def test_of_which_turns_reasoning_is_sent_back_is_stored_and_listed(
    api: Api, scripted_provider: ThreadedScriptedProvider
) -> None:
    settings = {"baseUrl": scripted_provider.url, "reasoning": "never"}
    assert (await api("putProvider", "mine", body=settings)).body["reasoning"] == "never"
    assert named((await api("listProviders")).body, "mine")["reasoning"] == "never"
    listed = (await api("listModels")).body["reasoning"]
    assert listed == {"local": "rounds", "test": "rounds", "mine": "never"}
    odd = {**settings, "reasoning": "sometimes"}
    refused = await api("putProvider", "mine", body=odd, valid=False)
    assert refused.status == 400 and "$.reasoning" in refused.body["message"]


async def test_testing_lists_models_and_stores_nothing(
    api: Api, scripted_provider: ThreadedScriptedProvider
) -> None:
    settings = {"baseUrl": scripted_provider.url, "key": SECRET}
    body = (await api("testProvider", "new", body=settings)).body
    assert body == {
        "ok": True,
        "models": ["scripted", "scripted-mini"],
        "error": None,
    }
    assert scripted_provider.requests[0].headers["authorization"] == f"Bearer {SECRET}"
    assert len((await api("listProviders")).body["providers"]) == 2


async def test_testing_uses_a_stored_key_for_its_own_base_url_only(
    api: Api, provider: ThreadedScriptedProvider, scripted_provider: ThreadedScriptedProvider
) -> None:
    await api("putProvider", "mine", body={"baseUrl": provider.url, "key": KEY})
    assert (await api("testProvider", "mine", body={"baseUrl": provider.url})).body["ok"]
    assert (await api("testProvider", "test", body={"baseUrl": provider.url})).body["ok"]
    for name in ("mine", "test"):
        await api("testProvider", name, body={"baseUrl": scripted_provider.url})
    assert all("authorization" not in r.headers for r in scripted_provider.requests)
    assert len(scripted_provider.requests) == 2


@pytest.mark.parametrize(
    ("script", "type_", "code", "status"),
    [
        ({"status": 401, "steps": [{"body": {"error": {"message": "bad"}}}]}, "auth", "auth", 401),
        ({"status": 404, "steps": [{"body": {}}]}, "unknown", "404", 404),
        ({"status": 503, "steps": [{"raw": "<html>"}]}, "server", "503", 503),
        ({"steps": [{"raw": "<html>not an API"}]}, "server", "malformed", 200),
        ({"steps": [{"body": {"data": "x"}}]}, "server", "malformed", 200),
        ({"status": 302, "headers": {"Location": "http://evil/"}, "steps": [{"headers": True}]},
         "unknown", "redirect", 302),
        ({"steps": [{"cut": True}]}, "network", "network", None),
    ],
)  # fmt: skip
async def test_testing_says_why_there_are_no_models(
    api: Api,
    scripted_provider: ThreadedScriptedProvider,
    script: dict[str, Any],
    type_: str,
    code: str,
    status: int | None,
) -> None:
    scripted_provider.script(script, model="/v1/models")
    body = (await api("testProvider", "new", body={"baseUrl": scripted_provider.url})).body
    error = body["error"]
    assert (body["ok"], body["models"]) == (False, [])
    assert (error["type"], error["code"], error["status"]) == (type_, code, status)
    assert error["message"]
    assert len(scripted_provider.requests) == 1


@pytest.mark.parametrize(
    ("name", "body", "status", "code"),
    [
        ("test", {"baseUrl": "http://127.0.0.1:1/v1"}, 409, "not-editable"),
        ("local", {"baseUrl": "http://127.0.0.1:1/v1"}, 400, "bad-provider"),
        ("-x", {"baseUrl": "http://127.0.0.1:1/v1"}, 400, "bad-provider"),
        ("x", {"baseUrl": "https://evil.example.com/v1"}, 400, "bad-provider"),
        ("x", {"baseUrl": "nonsense"}, 400, "bad-provider"),
        ("x", {"key": SECRET}, 400, "bad-request"),
        ("x", {"baseUrl": "http://127.0.0.1:1/v1", "key": [SECRET]}, 400, "bad-request"),
        ("x", {"baseUrl": "http://127.0.0.1:1/v1", "key": f"{SECRET}\nX: y"}, 400, "bad-provider"),
        ("x", {"baseUrl": [SECRET]}, 400, "bad-request"),
        ("x", SECRET, 400, "bad-request"),
    ],
)
async def test_bad_settings_are_refused_without_quoting_them(
    api: Api, name: str, body: Any, status: int, code: str
) -> None:
    answer = await api("putProvider", name, body=body, valid=False)
    assert (answer.status, answer.body["code"]) == (status, code)
    assert SECRET not in json.dumps(answer.body)
    assert len((await api("listProviders")).body["providers"]) == 2


async def test_a_broken_file_is_reported_and_not_overwritten(api: Api, journal_dir: Path) -> None:
    journal_dir.mkdir(exist_ok=True)
    (journal_dir / "providers.json").write_text("{oops")
    answer = await api("putProvider", "x", body={"baseUrl": "http://127.0.0.1:1/v1"})
    assert (answer.status, answer.body["code"]) == (500, "key-store")
    assert "Repair it" in answer.body["message"]
    assert (journal_dir / "providers.json").read_text() == "{oops"
