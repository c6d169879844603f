"""Any request to any route, any message: no 500, and no body in a log line.

They are the same in each run, so that none fails by chance; `TURNBOOK_SEED=7` sends others.
`TURNBOOK_FUZZ_TIMES=20` tries more examples.
"""

from __future__ import annotations

import json
import logging
import os
import random
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from jupyter_server.serverapp import ServerApp
from tornado.httpclient import AsyncHTTPClient, HTTPRequest

from jupyterlab_turnbook import contract, events
from jupyterlab_turnbook.app import API, TurnbookApp
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import SEED, Api, new_run

CANARY = "canary-in-a-body"
TIMES = int(os.environ.get("TURNBOOK_FUZZ_TIMES", "1"))
REQUESTS = 600 * TIMES
SOCKETS = 12 * TIMES
ODD = [
    "", "*", "..", "__proto__", "\x00", "\u2028", "\ud800", "💥", "a" * 5000, "local", "test",
    "../../etc", "%2e%2e", "1e999", CANARY,
]  # fmt: skip
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    float("inf"),
    float("nan"),
    [],
    {},
    [[]],
    {"a": {}},
]
RAW = [
    b"",
    b"{",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"9" * 10_000,
    b"null",
    b'"\\ud800"',
]


class Making:
    """Values that match a schema, and values that almost do."""

    def __init__(self, seed: int, provider_url: str) -> None:
        self.random = random.Random(seed)
        self.url = provider_url
        self.known: list[str] = [
            str(uuid.UUID(int=self.random.getrandbits(128), version=4)) for _ in range(3)
        ]

    def text(self, name: str = "") -> str:
        if name == "baseUrl":
            return self.random.choice([self.url, "http://127.0.0.1:9/v1", "nowhere", *ODD])
        if name == "provider" and self.random.random() < 0.7:
            return "test"
        if name == "body" and self.random.random() < 0.7:
            return json.dumps({"model": "m", "stream": True, "messages": [], "x": CANARY})
        kind = self.random.random()
        if kind < 0.5:
            return self.random.choice(self.known)
        return self.random.choice(ODD) if kind < 0.8 else f"{CANARY} {self.random.random()}"

    def value(self, schema: dict[str, Any], name: str = "", depth: int = 0) -> Any:
        if self.random.random() < 0.06 or depth > 6:
            return self.random.choice([*VALUES, *ODD])
        if "$ref" in schema:
            named = contract.document()["components"]["schemas"]
            return self.value(named[schema["$ref"].rpartition("/")[2]], name, depth)
        for several in ("oneOf", "anyOf", "allOf"):
            if several in schema:
                return self.value(self.random.choice(schema[several]), name, depth + 1)
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kind = schema.get("type", "object")
        if kind == "object":
            made = {
                key: self.value(inner, key, depth + 1)
                for key, inner in schema.get("properties", {}).items()
                if key in schema.get("required", []) or self.random.random() < 0.5
            }
            if self.random.random() < 0.1:
                made[self.random.choice(ODD)] = self.random.choice(VALUES)
            return made
        if kind == "array":
            return [self.value(schema.get("items", {}), name, depth + 1) for _ in range(2)]
        if kind in ("integer", "number"):
            return self.random.choice([0, 1, 7, -1, 10**12, 10**30])
        return self.random.random() < 0.5 if kind == "boolean" else self.text(name)

    def raw(self, schema: dict[str, Any]) -> bytes:
        if self.random.random() < 0.1:
            return self.random.choice(RAW)
        return json.dumps(self.value(schema)).encode()


@pytest.fixture
def seed() -> int:
    return int(SEED or 20261117)


@pytest.fixture
def logged(turnbook: TurnbookApp, jp_serverapp: Any) -> Iterator[list[str]]:
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler = Keep(logging.DEBUG)
    loggers = [logging.getLogger(), logging.getLogger("tornado"), turnbook.log, jp_serverapp.log]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
    yield lines
    for logger, level in zip(loggers, before, strict=True):
        logger.removeHandler(handler)
        logger.setLevel(level)


@pytest.fixture(autouse=True)
def no_fetch(turnbook: TurnbookApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither downloads nor starts the embedded model."""

    async def fetch() -> None:
        pass

    monkeypatch.setattr(turnbook.local.embedded, "fetch", fetch)
    monkeypatch.setattr(turnbook.local.embedded, "missing", lambda: "not here")


def assert_quiet(lines: list[str]) -> None:
    assert [line for line in lines if CANARY in line] == []


async def test_every_route(
    turnbook: TurnbookApp,
    jp_http_port: int,
    http_server: Any,
    jp_base_url: str,
    jp_auth_header: dict[str, str],
    provider: ThreadedScriptedProvider,
    logged: list[str],
    seed: int,
) -> None:
    make = Making(seed, provider.url)
    operations = [
        (path, method, each)
        for path, method, each in contract.operations().values()
        if path != "/stream"
    ]
    base = f"http://127.0.0.1:{jp_http_port}{jp_base_url.rstrip('/')}{API}"
    good: set[str] = set()
    for n in range(REQUESTS):
        path, method, operation = operations[n % len(operations)]

        def fill(found: re.Match[str]) -> str:
            text = make.text() or "x"
            # No canary in the URL, because the server logs URLs.
            text = "x" if CANARY in text else text
            return quote(text.encode("utf-8", "surrogatepass"), safe="")

        url = base + re.sub(r"{\w+}", fill, path)
        asked = {
            each["name"]: make.text().replace(CANARY, "x").encode("utf-8", "surrogatepass")
            for each in operation.get("parameters", [])
            if each.get("in") == "query" and make.random.random() < 0.6
        }
        if asked:
            url += "?" + "&".join(f"{name}={quote(value)}" for name, value in asked.items())
        body = None
        if method in ("put", "post"):
            wanted = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            body = make.raw(wanted.get("schema", {}))
            if operation["operationId"] == "createRun" and make.random.random() < 0.5:
                make.known.append(_id(body) or make.known[0])
        response = await AsyncHTTPClient().fetch(
            HTTPRequest(url, method=method.upper(), body=body, headers=jp_auth_header,
                        follow_redirects=False, request_timeout=30),
            raise_error=False,
        )  # fmt: skip
        why = f"{method} {url[:200]} {(body or b'')[:300]!r}"
        assert response.code in (503, *range(200, 500)), f"{response.code} {why}"
        # A path without a route is answered by Jupyter Server itself.
        if response.code < 300:
            good.add(operation["operationId"])
        if response.code >= 400 and "json" in response.headers.get("Content-Type", ""):
            assert "code" in json.loads(response.body), why
    # The test is meaningful only if some requests are accepted.
    assert {"listProviders", "getJournal", "listChats"} <= good
    assert_quiet(logged)


async def test_every_message_of_the_socket(
    page: Callable[[], Any],
    provider: ThreadedScriptedProvider,
    logged: list[str],
    seed: int,
) -> None:
    make = Making(seed, provider.url)
    schema = contract.document()["components"]["schemas"]["ClientMessage"]
    for _ in range(SOCKETS):
        async with page() as socket:
            for n in range(20):
                message = make.raw(schema)
                binary = make.random.random() < 0.1
                sent: str | bytes = message if binary else message.decode("utf-8", "replace")
                await socket.socket.write_message(sent, binary=binary)
                await socket.send({"ping": n})
                while (said := await socket.next()).get("pong") != n:
                    assert "internal" not in json.dumps(said), message
    assert_quiet(logged)


DEEP = [b"[" * 100_000, b'{"id": ' + b"[" * 900 + b"]" * 900 + b"}", b"[" * 900 + b"]" * 900]


@pytest.mark.parametrize("depth", range(len(DEEP)))
async def test_too_deep_nesting_is_reported(api: Api, page: Callable[[], Any], depth: int) -> None:
    told = await api("createRun", raw=DEEP[depth], valid=False)
    assert (told.status, told.body["code"]) in [(400, "bad-json"), (400, "bad-request")]
    async with page() as socket:
        await socket.send(DEEP[depth].decode())
        assert (await socket.next())["error"]["code"] == "bad-message"


async def test_an_event_that_cannot_be_emitted_is_logged_without_its_content(
    api: Api, logged: list[str], jp_serverapp: ServerApp
) -> None:
    async def listen(logger: Any, schema_id: str, data: dict[str, Any]) -> None:
        raise AssertionError(schema_id)

    assert jp_serverapp.event_logger is not None
    jp_serverapp.event_logger.add_listener(schema_id=events.schema_id("send"), listener=listen)
    pair = f"{CANARY} !"
    assert (await api("createRun", body=new_run(pair=pair))).status == 201
    assert any("could not be reported" in line for line in logged)
    assert_quiet(logged)


def _id(body: bytes) -> str | None:
    try:
        found = json.loads(body)["id"]
        return str(uuid.UUID(found))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
