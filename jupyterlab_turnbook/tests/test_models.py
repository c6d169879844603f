"""`/models`: every model of every provider, quickly and whatever they return."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.providers import ask, catalog
from jupyterlab_turnbook.providers.ask import AskError, ModelInfo, parse_models, today
from jupyterlab_turnbook.providers.provider import Provider
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api

Make = Callable[..., ThreadedScriptedProvider]


@pytest.fixture
def turnbook_config(turnbook_config: dict[str, Any]) -> dict[str, Any]:
    return {**turnbook_config, "default_model": ""}


def ids(body: dict[str, Any]) -> list[str]:
    return [model["id"] for model in body["models"]]


async def test_lists_all_models_with_their_windows(api: Api) -> None:
    body = (await api("listModels")).body
    windows = {model["id"]: model["window"] for model in body["models"]}
    assert windows == {
        "local/SmolLM2-135M-Instruct": 8192,
        "test/scripted": 128_000,
        "test/scripted-mini": None,
    }
    assert body["errors"] == []
    assert body["default"] == "local/SmolLM2-135M-Instruct"


async def test_names_a_provider_that_lists_no_models(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.set_models([])
    body = (await api("listModels")).body
    assert ids(body) == ["local/SmolLM2-135M-Instruct"]
    assert (body["providers"], body["errors"]) == (["local", "test"], [])


async def test_asks_once_a_minute_unless_refreshed(
    api: Api,
    provider: ThreadedScriptedProvider,
    turnbook: TurnbookApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr(turnbook.catalog, "_clock", lambda: now)
    for _ in range(3):
        await api("listModels")
    assert len(provider.requests) == 1
    provider.set_models([{"id": "other"}])
    assert "test/other" in ids((await api("listModels", params={"refresh": "1"})).body)
    now += catalog.FRESH + 1
    await api("listModels")
    assert len(provider.requests) == 3


async def test_pages_that_load_together_ask_once(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    await asyncio.gather(*(api("listModels", params={"refresh": "1"}) for _ in range(5)))
    assert len(provider.requests) == 1


async def test_a_changed_provider_is_asked_again(api: Api, make_scripted_provider: Make) -> None:
    first, second = make_scripted_provider(), make_scripted_provider()
    second.set_models([{"id": "two"}])
    await api("putProvider", "mine", body={"baseUrl": first.url})
    assert "mine/scripted" in ids((await api("listModels")).body)
    await api("putProvider", "mine", body={"baseUrl": second.url})
    assert [i for i in ids((await api("listModels")).body) if "mine" in i] == ["mine/two"]
    await api("putProvider", "mine", body={"baseUrl": second.url, "models": ["a/b", "c"]})
    body = (await api("listModels")).body
    assert [i for i in ids(body) if "mine" in i] == ["mine/a/b", "mine/c"]
    assert len(second.requests) == 1


async def test_a_silent_provider_does_not_hold_up_the_others(
    api: Api,
    scripted_provider: ThreadedScriptedProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A short limit only for the silent one, so that no other times out on a busy machine.
    async def limited(provider: Provider) -> list[ModelInfo]:
        return await ask.list_models(provider, 0.2 if provider.name == "silent" else 60)

    monkeypatch.setattr(catalog, "list_models", limited)
    scripted_provider.script({"steps": [{"stall": True}]}, model="/v1/models")
    await api("putProvider", "silent", body={"baseUrl": scripted_provider.url})
    body = (await api("listModels")).body
    assert "test/scripted" in ids(body)
    (failed,) = body["errors"]
    assert (failed["provider"], failed["error"]["type"]) == ("silent", "network")
    while scripted_provider.counts()["open"]:
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("environment", "models", "default"),
    [
        (["text-embedding-3", "gpt-9", "gpt-4o-mini"], True, "openai/gpt-4o-mini"),
        (["text-embedding-3", "gpt-9"], True, "openai/gpt-9"),
        (["text-embedding-3"], True, "local/SmolLM2-135M-Instruct"),
    ],
)
async def test_the_environments_provider_gives_the_default(
    environment: list[str],
    models: bool,
    default: str,
    turnbook: TurnbookApp,
    api: Api,
    scripted_provider: ThreadedScriptedProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from jupyterlab_turnbook.providers.configured import from_environment

    scripted_provider.set_models([{"id": name} for name in environment])
    made = from_environment({"OPENAI_BASE_URL": scripted_provider.url}, [], turnbook.log)
    monkeypatch.setattr(turnbook.registry, "_fixed", made)
    assert (await api("listModels")).body["default"] == default


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"context_length": 4096}, 4096),
        ({"max_model_len": 32768}, 32768),
        ({"max_context_length": "8192"}, 8192),
        ({"context_window": 1e5}, 100_000),
        ({"meta": {"n_ctx_train": 2048, "n_ctx": 1024}}, 1024),
        ({"meta": {"n_ctx_train": 2048}}, 2048),
        ({"top_provider": {"context_length": 7}}, 7),
        ({"context_length": True}, None),
        ({"context_length": -1}, None),
        ({"context_length": None, "max_model_len": 5}, 5),
        ({"context_length": "many", "meta": []}, None),
    ],
)
def test_windows(entry: dict[str, Any], window: int | None) -> None:
    body = json.dumps({"data": [{"id": "m", **entry}]}).encode()
    assert parse_models(body) == [ModelInfo("m", window)]


def test_reads_no_more_than_can_be_chosen_from() -> None:
    listed = [{"id": "n" * 257}, "o" * 257, "p" * 256, *(f"m{n}" for n in range(200_000))]
    found = parse_models(json.dumps(listed).encode())
    assert [info.model for info in found] == ["p" * 256, *(f"m{n}" for n in range(4997))]


def test_other_shapes_of_the_list() -> None:
    assert parse_models(b'["a", "b", "a", "", 3, null]') == [
        ModelInfo("a", None),
        ModelInfo("b", None),
    ]
    assert parse_models(b'{"models": [{"name": "x"}]}') == [ModelInfo("x", None)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(
        ["data", "models", "id", "name", "meta", "n_ctx", "context_length", "x"]), inner),
    max_leaves=20,
)  # fmt: skip


@given(json_values)
def test_any_response_gives_a_list_or_a_reason(value: Any) -> None:
    try:
        models = parse_models(json.dumps(value).encode())
    except AskError as error:
        assert error.outcome.code == "malformed"
        return
    for info in models:
        assert info.model
        assert info.window is None or (type(info.window) is int and info.window > 0)


@pytest.mark.parametrize(
    ("pricing", "price"),
    [
        ({"prompt": "0.0000025", "completion": "0.00001"}, {"input": 2.5, "output": 10}),
        ({"prompt": "0", "completion": "0", "request": "1"}, {"input": 0, "output": 0}),
        ({"prompt": 1e-6, "completion": 2e-6}, {"input": 1, "output": 2}),
        (
            {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"},
            {"input": 3, "output": 15, "cached": 0.3},
        ),
        (
            {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "-1"},
            {"input": 3, "output": 15},
        ),
        ({"prompt": "-1", "completion": "-1"}, None),
        ({"prompt": "0.1"}, None),
        ({"prompt": "free", "completion": "1"}, None),
        ({"prompt": True, "completion": "nan"}, None),
        ({"prompt": "1e400", "completion": "1"}, None),
        ("cheap", None),
        (None, None),
    ],
)
async def test_lists_prices_only_where_the_provider_tells_them(
    api: Api, provider: ThreadedScriptedProvider, pricing: Any, price: Any
) -> None:
    provider.set_models([{"id": "m", "pricing": pricing}])
    (model,) = (each for each in (await api("listModels")).body["models"] if each["id"] == "test/m")
    told = price and {**price, "source": "provider", "asOf": today()}
    assert model["price"] == told


async def test_lists_models_for_chats_first(api: Api, provider: ThreadedScriptedProvider) -> None:
    provider.set_models([{"id": name} for name in ("text-embedding-3", "b", "whisper-1", "a")])
    body = (await api("listModels")).body
    assert ids(body)[1:] == ["test/b", "test/a", "test/text-embedding-3", "test/whisper-1"]
