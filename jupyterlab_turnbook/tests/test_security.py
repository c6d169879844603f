"""Every route is authenticated, authorized and, where it writes, XSRF-checked."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jupyter_server.auth import Authorizer
from jupyter_server.serverapp import ServerApp
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest, HTTPResponse
from tornado.websocket import WebSocketHandler, websocket_connect

from jupyterlab_turnbook import contract
from jupyterlab_turnbook.app import API, TurnbookApp
from jupyterlab_turnbook.routes.base import TurnbookHandler
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import KEY, Api, ended, new_run

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


class Nobody(Authorizer):
    """Denies everything."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        assert resource in ("turnbook", "turnbook-providers")
        return False


class NoProviders(Authorizer):
    """Allows everything except changing providers, as a hub's administrator may want."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return not (resource == "turnbook-providers" and action != "read")


class OnlyProviders(Authorizer):
    """The reverse, to show that each route needs only one of the two resources."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return bool(resource == "turnbook-providers")


def implemented(handler: type[Any]) -> list[str]:
    """The methods that a handler has."""
    return [
        method
        for method in METHODS
        if getattr(handler, method.lower()) is not handler._unimplemented_method
    ]


def registered(turnbook: TurnbookApp) -> Iterator[tuple[str, str, type[Any]]]:
    """Every registered path (with sample values), method and handler."""
    for pattern, handler, _ in turnbook.handlers:
        path = re.sub(r"\([^)]*\)", lambda _: str(uuid.uuid4()), pattern)
        for method in implemented(handler):
            yield path, method, handler


def sample_body(path: str) -> str:
    """A body that the route accepts, so that only the guard can refuse it."""
    below = path.removeprefix(API)
    if below == "/runs":
        return json.dumps(new_run())
    if below.startswith("/chats/"):
        return json.dumps({"path": "x.chat.ipynb"})
    if below.startswith("/providers/"):
        return json.dumps({"baseUrl": "http://127.0.0.1:9/v1"})
    return json.dumps({})


@pytest.fixture
def raw(jp_serverapp: ServerApp, http_server: Any, jp_http_port: int, jp_base_url: str) -> Any:
    """Requests without the credentials that other fixtures add."""

    async def fetch(path: str, method: str, **headers: str) -> HTTPResponse:
        request = HTTPRequest(
            f"http://127.0.0.1:{jp_http_port}{jp_base_url.rstrip('/')}{path}",
            method=method,
            headers=headers,
            body=sample_body(path) if method in ("POST", "PUT", "PATCH") else None,
            follow_redirects=False,
        )
        return await AsyncHTTPClient().fetch(request, raise_error=False)

    return fetch


def test_the_routes_are_those_of_the_contract(turnbook: TurnbookApp) -> None:
    found = {
        (re.sub(r"\([^)]*\)", "{}", pattern).removeprefix(API), method.lower())
        for pattern, handler, _ in turnbook.handlers
        for method in implemented(handler)
    }
    written = {
        (re.sub(r"{\w+}", "{}", path), method) for path, method, _ in contract.operations().values()
    }
    assert found == written


def test_every_handler_is_guarded_by_its_class(turnbook: TurnbookApp) -> None:
    for _, handler, _ in turnbook.handlers:
        assert issubclass(handler, TurnbookHandler | WebSocketHandler)
    unguarded = type("Forgetful", (TurnbookHandler,), {"get": lambda self: self.finish("in")})
    assert hasattr(unguarded.__dict__["get"], "__wrapped__")


async def test_nobody_gets_in_without_a_token(
    turnbook: TurnbookApp, raw: Any, provider: ThreadedScriptedProvider
) -> None:
    tried = 0
    for path, method, _ in registered(turnbook):
        response = await raw(path, method)
        assert response.code == 403, (path, method, response.code)
        wrong = await raw(path, method, Authorization="token wrong")
        assert wrong.code == 403, (path, method, wrong.code)
        tried += 1
    assert tried == len(contract.operations())
    assert provider.requests == []


async def test_nobody_gets_in_without_authorization(
    jp_serverapp: ServerApp,
    turnbook: TurnbookApp,
    raw: Any,
    jp_auth_header: dict[str, str],
    provider: ThreadedScriptedProvider,
) -> None:
    jp_serverapp.web_app.settings["authorizer"] = Nobody()
    for path, method, _ in registered(turnbook):
        response = await raw(path, method, **jp_auth_header)
        assert response.code == 403, (path, method, response.code)
    assert provider.requests == []


async def test_changing_providers_can_be_denied_separately(
    jp_serverapp: ServerApp, api: Api, provider: ThreadedScriptedProvider
) -> None:
    settings = {"baseUrl": provider.url, "key": KEY}
    assert (await api("putProvider", "mine", body=settings)).status == 200
    before = (await api("listProviders")).body
    jp_serverapp.web_app.settings["authorizer"] = NoProviders()
    denied = [
        await api("putProvider", "mine", body={"baseUrl": "http://127.0.0.1:9/v1"}),
        await api("putProvider", "new", body=settings),
        await api("deleteProvider", "mine"),
        # Testing sends a request to any given address.
        await api("testProvider", "new", body=settings),
    ]
    assert [answer.status for answer in denied] == [403] * 4
    for answer in denied:
        assert answer.body["code"] == "forbidden"
        assert "administrator" in answer.body["message"]
    listed = [{**each, "editable": False} for each in before["providers"]]
    after = (await api("listProviders")).body
    assert after == {**before, "providers": listed, "canAdd": False}
    assert (await api("listModels")).status == 200
    assert len([r for r in provider.requests if r.path.endswith("/models")]) == 2
    # Messages still work, also to a provider that was added before.
    for name in ("test", "mine"):
        asked = new_run(chat=str(uuid.uuid4()), provider=name)
        assert (await api("createRun", body=asked)).status == 201
        assert (await ended(api, asked["id"]))["run"]["state"] == "done"


async def test_only_routes_that_change_providers_need_that_resource(
    jp_serverapp: ServerApp, turnbook: TurnbookApp, raw: Any, jp_auth_header: dict[str, str]
) -> None:
    jp_serverapp.web_app.settings["authorizer"] = OnlyProviders()
    allowed = set()
    for path, method, _ in registered(turnbook):
        if (await raw(path, method, **jp_auth_header)).code != 403:
            allowed.add((method, re.sub(r"/providers/[^/]+", "/providers/{}", path)))
    below = f"{API}/providers/{{}}"
    assert allowed == {
        ("PUT", below),
        ("DELETE", below),
        ("POST", f"{below}/test"),
        ("POST", f"{below}/check"),
        ("GET", f"{API}/loopback"),
    }


async def test_writes_with_a_cookie_need_the_xsrf_token(
    jp_serverapp: ServerApp,
    turnbook: TurnbookApp,
    raw: Any,
    jp_base_url: str,
    jp_http_port: int,
    provider: ThreadedScriptedProvider,
) -> None:
    cookie = _cookie(await _log_in(jp_serverapp, jp_base_url, jp_http_port))
    assert (await raw(f"{API}/runs", "GET", Cookie=cookie)).code == 200
    tried = 0
    for path, method, _ in registered(turnbook):
        if method in ("GET", "HEAD"):
            continue
        tried += 1
        response = await raw(path, method, Cookie=cookie)
        assert response.code == 403, (path, method, response.code)
        assert "_xsrf" in json.loads(response.body)["message"]
    assert tried
    assert provider.requests == []
    twice = {"Cookie": f"{cookie}; _xsrf=0123abcd", "X-XSRFToken": "0123abcd"}
    good = await raw(f"{API}/runs", "POST", **twice)
    assert good.code == 201


def _cookie(cookies: dict[str, str]) -> str:
    return "; ".join(f"{name}={value}" for name, value in cookies.items())


async def _log_in(app: ServerApp, base_url: str, port: int) -> dict[str, str]:
    """The cookies of a browser that logged in with the token."""
    request = HTTPRequest(
        f"http://127.0.0.1:{port}{base_url}login?token={app.identity_provider.token}",
        follow_redirects=False,
    )
    response = await AsyncHTTPClient().fetch(request, raise_error=False)
    pairs = (
        line.partition(";")[0].partition("=") for line in response.headers.get_list("Set-Cookie")
    )
    return {name: value for name, _, value in pairs}


@pytest.fixture
def connect(jp_serverapp: ServerApp, http_server: Any, jp_http_port: int, jp_base_url: str) -> Any:
    """Opens the socket with only these headers."""

    def opened(**headers: str) -> Any:
        url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url.rstrip('/')}{API}/stream"
        return websocket_connect(HTTPRequest(url, headers=headers))

    return opened


async def refused(attempt: Any) -> int:
    """The status that a connection was refused with."""
    with pytest.raises(HTTPClientError) as caught:
        await attempt
    return int(caught.value.code)


async def test_the_socket_checks_user_and_origin(
    jp_serverapp: ServerApp, connect: Callable[..., Any], jp_base_url: str, jp_http_port: int
) -> None:
    cookie = _cookie(await _log_in(jp_serverapp, jp_base_url, jp_http_port))
    here = f"http://127.0.0.1:{jp_http_port}"
    assert await refused(connect()) == 403
    assert await refused(connect(Origin=here)) == 403
    assert await refused(connect(Authorization="token wrong")) == 403
    for origin in ("http://evil.example", f"http://127.0.0.1:{jp_http_port + 1}", "null"):
        assert await refused(connect(Origin=origin, Cookie=cookie)) == 403
    (await connect(Origin=here, Cookie=cookie)).close()


async def test_the_socket_asks_the_authorizer(
    jp_serverapp: ServerApp, connect: Callable[..., Any], jp_auth_header: dict[str, str]
) -> None:
    jp_serverapp.web_app.settings["authorizer"] = Nobody()
    assert await refused(connect(**jp_auth_header)) == 403


async def test_errors_of_the_server_itself_match_the_contract(
    raw: Any, jp_auth_header: dict[str, str]
) -> None:
    for path, method, code in (
        (f"{API}/runs", "DELETE", "method-not-allowed"),
        (f"{API}/runs", "GET", "forbidden"),
    ):
        headers = jp_auth_header if code != "forbidden" else {}
        response = await raw(path, method, **headers)
        body = json.loads(response.body)
        contract.check("Error", body)
        assert body["code"] == code


async def test_an_unexpected_error_reveals_nothing(
    turnbook: TurnbookApp, raw: Any, jp_auth_header: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(work: Any) -> Any:
        raise RuntimeError("secret detail")

    with monkeypatch.context() as patch:
        patch.setattr(turnbook.engine.journal, "read", broken)
        response = await raw(f"{API}/runs", "GET", **jp_auth_header)
    assert response.code == 500
    assert json.loads(response.body)["code"] == "internal"
    assert b"secret" not in response.body
