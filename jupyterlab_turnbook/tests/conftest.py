"""Fixtures of the server's tests: a server with Turnbook, and a client that checks the contract."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import core, settings
from jupyter_server.serverapp import ServerApp
from tornado.httpclient import HTTPClientError, HTTPResponse
from tornado.websocket import WebSocketClientConnection

from jupyterlab_turnbook import contract
from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.local.library import Library
from jupyterlab_turnbook.local.manager import LocalModel
from jupyterlab_turnbook.local.models import LocalModels
from jupyterlab_turnbook.routes import stream
from jupyterlab_turnbook.routes.stream import StreamHandler
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

pytest_plugins = ["pytest_jupyter.jupyter_server", "jupyterlab_turnbook.pytest_plugin"]

CHAT = "c4a7c4a7-0000-4000-8000-000000000001"
"""The default chat of runs."""

# The same examples in each run, so that none fails by chance. `TURNBOOK_SEED` chooses others.
SEED = os.environ.get("TURNBOOK_SEED")
if SEED:
    core.global_force_seed = int(SEED)  # type: ignore[assignment]
settings.register_profile("turnbook", derandomize=not SEED, print_blob=True, deadline=None)
settings.load_profile("turnbook")

KEY = "sk-canary-0123456789abcdef"


@pytest.fixture
def provider() -> Iterator[ThreadedScriptedProvider]:
    """The scripted provider that the server knows as `test`."""
    made = ThreadedScriptedProvider(key=KEY)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def provider_settings() -> dict[str, Any]:
    """Further settings of the provider `test`."""
    return {}


@pytest.fixture
def journal_dir(tmp_path: Path) -> Path:
    """The folder of the server's journal."""
    return tmp_path / "journal"


@pytest.fixture
def turnbook_config(
    provider: ThreadedScriptedProvider, provider_settings: dict[str, Any], journal_dir: Path
) -> dict[str, Any]:
    """The `c.TurnbookApp` of the server under test."""
    return {
        "providers": {"test": {"base_url": provider.url, "api_key": KEY, **provider_settings}},
        "default_model": "test/scripted",
        "loopback_ports": {},
        "local_hub": "",
        "journal_dir": str(journal_dir),
    }


@pytest.fixture
def jp_server_config(turnbook_config: dict[str, Any]) -> dict[str, Any]:
    """A server with Turnbook."""
    return {
        "ServerApp": {
            "jpserver_extensions": {"jupyterlab_turnbook": True, "jupyter_server_terminals": False},
            "reraise_server_extension_failures": True,
        },
        "TurnbookApp": turnbook_config,
    }


@pytest.fixture
def turnbook(jp_serverapp: ServerApp) -> TurnbookApp:
    """The extension in the server under test."""
    apps = jp_serverapp.extension_manager.extension_apps["jupyterlab_turnbook"]
    app = next(iter(apps))
    assert isinstance(app, TurnbookApp)
    return app


@dataclass
class Answer:
    """A response of the API that matches the contract."""

    status: int
    body: Any
    headers: dict[str, str]


class Api:
    """Calls operations by id and checks requests and responses against `openapi.yaml`."""

    def __init__(self, fetch: Callable[..., Any]) -> None:
        self._fetch = fetch

    async def __call__(
        self,
        operation_id: str,
        *parts: str,
        body: Any = None,
        raw: str | bytes | None = None,
        params: dict[str, Any] | None = None,
        valid: bool = True,
    ) -> Answer:
        """Call an operation; `parts` fill the path. Without `valid`, the request may be invalid."""
        path, method, operation = contract.operations()[operation_id]
        filled = iter(parts)
        url = re.sub(r"{\w+}", lambda _: next(filled), path)
        if body is not None and valid:
            contract.check(operation_id, body)
        sent: str | bytes | None = raw if raw is not None else None
        if sent is None and body is not None:
            sent = json.dumps(body)
        if sent is None and method in ("put", "post"):
            sent = ""
        response = await self._respond(url, method, sent, params)
        return self._checked(operation, response)

    async def _respond(
        self, url: str, method: str, body: str | bytes | None, params: dict[str, Any] | None
    ) -> HTTPResponse:
        try:
            return await self._fetch(
                "turnbook",
                "api",
                *url.split("/")[1:],
                method=method.upper(),
                body=body,
                params=params,
            )
        except HTTPClientError as error:
            assert error.response is not None
            return error.response

    def _checked(self, operation: dict[str, Any], response: HTTPResponse) -> Answer:
        answers = operation["responses"]
        described = answers.get(str(response.code), answers["default"])
        if "$ref" in described:
            described = contract.document()["components"]["responses"]["Error"]
            assert response.code >= 400, f"{response.code} is not in the contract"
        headers = dict(response.headers.get_all())
        content = described.get("content", {})
        if not content:
            assert response.body == b""
            return Answer(response.code, None, headers)
        kind = headers["Content-Type"].partition(";")[0]
        if kind == "application/octet-stream":
            assert kind in content
            return Answer(response.code, response.body, headers)
        body = json.loads(response.body)
        contract.schema_validator(content[kind]["schema"]).validate(body)
        return Answer(response.code, body, headers)


@pytest.fixture
def api(jp_fetch: Callable[..., Any]) -> Api:
    """A client of the API that fails on anything outside the contract."""
    return Api(jp_fetch)


class Clock:
    """The time of streams, which passes only when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(stream, "time", self)
        monkeypatch.setattr(StreamHandler, "ping_seconds", 0.05)

    def monotonic(self) -> float:
        return self.now


class Page:
    """A page's socket; checks every message from the server against the contract."""

    def __init__(self, socket: WebSocketClientConnection) -> None:
        self.socket = socket

    async def send(self, message: Any) -> None:
        """Send a message, valid or not."""
        await self.socket.write_message(
            message if isinstance(message, str) else json.dumps(message)
        )

    async def next(self, timeout: float = 10) -> dict[str, Any]:
        """The next message."""
        text = await asyncio.wait_for(self.socket.read_message(), timeout)
        assert text is not None, "the server closed the stream"
        message: dict[str, Any] = json.loads(text)
        contract.check("ServerMessage", message)
        return message

    async def events(self, run: str) -> list[dict[str, Any]]:
        """The events of a run up to its end; other messages are skipped."""
        events: list[dict[str, Any]] = []
        while not events or "end" not in events[-1]:
            message = await self.next()
            assert "error" not in message, message
            if message.get("run") == run:
                events.append(message["event"])
        return events


@pytest.fixture
def page(jp_ws_fetch: Callable[..., Any]) -> Callable[[], Any]:
    """Opens sockets: `async with page() as p`."""

    @asynccontextmanager
    async def open_page() -> AsyncIterator[Page]:
        socket = await jp_ws_fetch("turnbook", "api", "stream")
        opened = Page(socket)
        try:
            # The server pings at once.
            assert "ping" in await opened.next()
            yield opened
        finally:
            socket.close()

    return open_page


def only(embedded: LocalModel) -> LocalModels:
    """The models of a provider `local` that has just this one."""
    return LocalModels(embedded, Library("", [], Path(), logging.getLogger("turnbook-test")))


def new_run(text: str = "Hello", **changes: Any) -> dict[str, Any]:
    """The body of `POST runs` for a message."""
    request = {
        "model": "scripted",
        "stream": True,
        "messages": [{"role": "user", "content": text}],
    }
    pair = str(uuid.uuid4())
    return {
        "id": str(uuid.uuid4()),
        "chat": CHAT,
        "pair": pair,
        "cell": {"id": pair, "cell_type": "code", "source": text, "metadata": {}, "outputs": []},
        "after": None,
        "provider": "test",
        "body": json.dumps(request),
        **changes,
    }


def chat_named(name: str) -> str:
    """The id of the chat that a test calls by this name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def of(run: dict[str, Any]) -> dict[str, Any]:
    """The query parameters that name a run's own chat."""
    return {"chat": run["chat"]}


def text_of(events: list[dict[str, Any]]) -> str:
    """The reply in a list of events."""
    return "".join(
        choice["delta"].get("content") or ""
        for event in events
        if "data" in event
        for choice in json.loads(event["data"])["choices"]
    )


async def ended(api: Api, run: str, timeout: float = 10) -> dict[str, Any]:
    """The run and its events once it has ended."""

    async def wait() -> dict[str, Any]:
        while True:
            body = (await api("getRun", run)).body
            if body["run"]["end"] is not None:
                return body
            await asyncio.sleep(0.01)

    return await asyncio.wait_for(wait(), timeout)
