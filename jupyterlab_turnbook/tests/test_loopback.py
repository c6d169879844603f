"""`/loopback`: model servers on this machine, found only where the configuration looks."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.providers.loopback import valid_ports
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api

Make = Callable[..., ThreadedScriptedProvider]


def port_of(provider: ThreadedScriptedProvider) -> int:
    port = urlsplit(provider.url).port
    assert port is not None
    return port


@pytest.fixture
def turnbook_config(turnbook_config: dict[str, Any]) -> dict[str, Any]:
    # None of these servers is late because this machine is slow.
    return {**turnbook_config, "loopback_timeout": 60}


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed() -> Iterator[int]:
    """A port where nothing listens, and that nothing else can take."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


async def servers(api: Api) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await api("listLoopback")).body["servers"]
    return found


async def test_finds_servers_that_list_models(
    api: Api, turnbook: TurnbookApp, make_scripted_provider: Make, closed: int
) -> None:
    one, other, empty = (make_scripted_provider() for _ in range(3))
    one.set_models([{"id": "embed-small"}, {"id": "chat-large"}])
    empty.set_models([])
    web = make_scripted_provider()
    web.script({"steps": [{"raw": "<html>a hub</html>"}]}, model="/v1/models")
    guarded = make_scripted_provider(key="sk-theirs")
    turnbook.loopback_ports = {
        "ollama": port_of(one),
        "closed": closed,
        "web": port_of(web),
        "guarded": port_of(guarded),
        "llama.cpp": port_of(other),
        "lmstudio": port_of(empty),
    }
    assert await servers(api) == [
        {
            "name": "ollama",
            "title": "Ollama",
            "baseUrl": f"http://127.0.0.1:{port_of(one)}/v1",
            "model": "chat-large",
            "count": 2,
        },
        {
            "name": "llama.cpp",
            "title": "llama.cpp",
            "baseUrl": f"http://127.0.0.1:{port_of(other)}/v1",
            "model": "scripted",
            "count": 2,
        },
        {
            "name": "lmstudio",
            "title": "LM Studio",
            "baseUrl": f"http://127.0.0.1:{port_of(empty)}/v1",
            "model": None,
            "count": 0,
        },
    ]
    for each in (one, other, guarded):
        (asked,) = each.requests
        assert (asked.method, asked.path) == ("GET", "/v1/models")
        assert "authorization" not in asked.headers


async def test_does_not_ask_where_a_provider_is_already(
    api: Api,
    turnbook: TurnbookApp,
    provider: ThreadedScriptedProvider,
    scripted_provider: ThreadedScriptedProvider,
) -> None:
    turnbook.loopback_ports = {"test": port_of(scripted_provider), "ollama": port_of(provider)}
    (found,) = await servers(api)
    assert found["name"] == "test-2"
    assert provider.requests == []
    added = await api("putProvider", found["name"], body={"baseUrl": found["baseUrl"]})
    assert added.status == 200
    assert await servers(api) == []
    # The same port by another name of this machine.
    url = found["baseUrl"].replace("127.0.0.1", "localhost")
    await api("putProvider", found["name"], body={"baseUrl": url})
    assert await servers(api) == []


async def test_gives_each_server_a_name_of_its_own(
    api: Api,
    turnbook: TurnbookApp,
    provider: ThreadedScriptedProvider,
    make_scripted_provider: Make,
) -> None:
    one, other = make_scripted_provider(), make_scripted_provider()
    turnbook.loopback_ports = {"test": port_of(one), "test-2": port_of(other)}
    found = await servers(api)
    assert [each["name"] for each in found] == ["test-2", "test-2-2"]
    for each in found:
        await api("putProvider", each["name"], body={"baseUrl": each["baseUrl"]})
    assert {"test", "test-2", "test-2-2"} <= turnbook.registry.names()


async def test_leaves_the_name_to_a_provider_that_is_not_allowed_any_more(
    api: Api, turnbook: TurnbookApp, scripted_provider: ThreadedScriptedProvider
) -> None:
    mine = {"baseUrl": "https://llm.example/v1", "key": "sk-mine-0123456789"}
    await api("putProvider", "ollama", body=mine)
    turnbook.registry._allowed.append("http://127.0.0.1:*")
    listed = (await api("listProviders")).body["providers"]
    assert "ollama" not in [each["name"] for each in listed]
    turnbook.loopback_ports = {"ollama": port_of(scripted_provider)}
    (found,) = await servers(api)
    assert found["name"] == "ollama-2"


class TestNames:
    """Names in the configuration that no provider may have."""

    @pytest.fixture
    def turnbook_config(self, turnbook_config: dict[str, Any]) -> dict[str, Any]:
        ports = {"my server": 1, "local": 2, "a/b": 3, "mine": 4}
        return {**turnbook_config, "loopback_ports": ports}

    def test_are_left_out(self, turnbook: TurnbookApp) -> None:
        assert turnbook.loopback_ports == {"mine": 4}

    def test_are_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        valid_ports({"my server": 1, "mine": 4}, logging.getLogger("turnbook.test"))
        (record,) = caplog.records
        assert record.levelname == "WARNING"
        assert "'my server' is left out of `loopback_ports`" in record.getMessage()


async def test_looks_nowhere_without_ports(api: Api) -> None:
    assert await servers(api) == []


async def test_does_not_wait_for_a_server_that_says_nothing(
    api: Api, turnbook: TurnbookApp, silent: int
) -> None:
    turnbook.loopback_ports = {"silent": silent}
    turnbook.loopback_timeout = 0.1
    assert await servers(api) == []


class TestAllowed:
    """What the administrator allows."""

    @pytest.fixture
    def turnbook_config(
        self, turnbook_config: dict[str, Any], allowed: list[str]
    ) -> dict[str, Any]:
        return {**turnbook_config, "providers": {}, "allowed_base_urls": allowed}

    @pytest.mark.parametrize(
        ("allowed", "host"),
        [
            (["https://llm.example/*"], None),
            (["http://localhost:*/v1"], "localhost"),
            (["http://127.0.0.1:*"], "127.0.0.1"),
        ],
    )
    async def test_asks_only_what_is_allowed(
        self,
        api: Api,
        turnbook: TurnbookApp,
        scripted_provider: ThreadedScriptedProvider,
        host: str | None,
    ) -> None:
        turnbook.loopback_ports = {"ollama": port_of(scripted_provider)}
        found = [urlsplit(each["baseUrl"]).hostname for each in await servers(api)]
        assert found == ([] if host is None else [host])
        assert len(scripted_provider.requests) == len(found)


async def test_asks_all_at_once(
    api: Api, turnbook: TurnbookApp, make_scripted_provider: Make
) -> None:
    waiting = [make_scripted_provider() for _ in range(3)]
    for each in waiting:
        listed = {"body": {"data": [{"id": "m"}]}}
        each.script({"steps": [{"wait": "all are asked"}, listed]}, model="/v1/models")
    turnbook.loopback_ports = {f"server-{n}": port_of(each) for n, each in enumerate(waiting)}
    finding = asyncio.ensure_future(servers(api))
    while not all(each.requests for each in waiting):
        assert not finding.done()
        await asyncio.sleep(0.01)
    for each in waiting:
        each.release("all are asked")
    assert [found["model"] for found in await finding] == ["m"] * 3
