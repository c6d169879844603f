"""`/files/reading`: when a page may read a notebook as text, and whether it is trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_server.auth import Authorizer
from jupyter_server.serverapp import ServerApp
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.httpclient import HTTPClientError

from .conftest import Api

PATH = "a.chat.ipynb"
UNKNOWN = {"hash": None, "trusted": False}
TEXT = ["# Ü\n", "<b>b</b>\n", "c"]


class Paired(AsyncLargeFileManager):
    """Makes a notebook of two files."""

    async def get(self, path: str, *args: Any, **kwargs: Any) -> Any:
        """The file, with what the other one has."""
        return await super().get(path, *args, **kwargs)  # type: ignore[no-untyped-call]


class Checked(AsyncLargeFileManager):
    """Has another idea of trust."""

    def mark_trusted_cells(self, nb: Any, path: str = "") -> None:
        """Trust none."""


class Guarded(AsyncLargeFileManager):
    """Reads as always."""

    async def delete_file(self, path: str) -> None:
        """Delete none."""


class Secretive(AsyncLargeFileManager):
    """Has another idea of what is hidden."""

    async def is_hidden(self, path: str) -> bool:
        """Whether it is the chat."""
        return path.strip("/") == PATH


class NoContents(Authorizer):
    """Allows everything except files."""

    def is_authorized(self, handler: Any, user: Any, action: str, resource: str) -> bool:
        return resource != "contents"


@pytest.fixture(params=["default", "synchronous", Paired, Checked, Guarded])
def jp_server_config(
    request: pytest.FixtureRequest, jp_server_config: dict[str, Any]
) -> dict[str, Any]:
    """The server with each kind of contents manager."""
    kind = request.param
    if kind == "synchronous":
        kind = "jupyter_server.services.contents.largefilemanager.LargeFileManager"
    if kind != "default":
        jp_server_config["ServerApp"]["contents_manager_class"] = kind
    return jp_server_config


OWN = pytest.mark.parametrize("jp_server_config", ["default", "synchronous"], indirect=True)
DEFAULT = pytest.mark.parametrize("jp_server_config", ["default"], indirect=True)


def chat(trusted: bool | None = None) -> Any:
    """A chat with a reply, as the contents API takes it."""
    marks = {} if trusted is None else {"trusted": trusted}
    data = {"text/markdown": TEXT, "application/json": ["a", 1.0, None, {"b": True}]}
    output = {"output_type": "display_data", "metadata": {}, "data": data}
    cell = {
        "cell_type": "code",
        "id": "pair",
        "execution_count": None,
        "metadata": {**marks, "turnbook": {"star": 2}},
        "source": ["a\n", "b"],
        "outputs": [output],
    }
    return {
        "cells": [cell],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


async def save(jp_fetch: Callable[..., Any], content: Any) -> None:
    body = json.dumps({"type": "notebook", "content": content})
    await jp_fetch("api", "contents", PATH, method="PUT", body=body)


async def contents(jp_fetch: Callable[..., Any]) -> Any:
    """The notebook as the server reads it."""
    params = {"type": "notebook", "hash": "1"}
    return json.loads((await jp_fetch("api", "contents", PATH, params=params)).body)


async def reading(api: Api) -> Any:
    answer = await api("getReading", params={"path": PATH})
    assert answer.status == 200
    return answer.body


@OWN
@pytest.mark.parametrize("trusted", [True, False])
async def test_says_what_the_contents_api_says(
    api: Api, jp_fetch: Callable[..., Any], jp_root_dir: Path, trusted: bool
) -> None:
    await save(jp_fetch, chat(trusted))
    read = await contents(jp_fetch)
    assert read["content"]["cells"][0]["metadata"]["trusted"] is trusted
    assert await reading(api) == {"hash": read["hash"], "trusted": trusted}
    # Neither how it is written, nor what the file says of itself, makes a difference.
    notebook = chat(not trusted)
    notebook["metadata"] = {"orig_nbformat": 4, "signature": "x"}
    (jp_root_dir / PATH).write_text(json.dumps(notebook))
    read = await contents(jp_fetch)
    assert read["content"]["cells"][0]["metadata"]["trusted"] is trusted
    assert await reading(api) == {"hash": read["hash"], "trusted": trusted}


@DEFAULT
async def test_what_was_changed_is_not_trusted(
    api: Api, jp_fetch: Callable[..., Any], jp_root_dir: Path
) -> None:
    await save(jp_fetch, chat(True))
    file = jp_root_dir / PATH
    file.write_text(file.read_text("utf-8").replace("<b>", "<i>"), "utf-8")
    assert (await reading(api))["trusted"] is False


@DEFAULT
async def test_a_chat_that_was_trusted_by_command(
    api: Api, jp_root_dir: Path, jp_serverapp: ServerApp
) -> None:
    (jp_root_dir / PATH).write_text(json.dumps(chat()))
    assert (await reading(api))["trusted"] is False
    notebook = nbformat.read(jp_root_dir / PATH, as_version=4)  # type: ignore[no-untyped-call]
    jp_serverapp.contents_manager.notary.sign(notebook)  # type: ignore[no-untyped-call]
    assert (await reading(api))["trusted"] is True


@pytest.mark.parametrize(
    ("jp_server_config", "is_own"),
    [(Paired, False), (Checked, False), (Guarded, True)],
    indirect=["jp_server_config"],
)
async def test_another_manager(api: Api, jp_fetch: Callable[..., Any], is_own: bool) -> None:
    await save(jp_fetch, chat())
    assert (await reading(api) != UNKNOWN) is is_own


@DEFAULT
async def test_a_manager_that_was_changed(
    api: Api,
    jp_fetch: Callable[..., Any],
    jp_serverapp: ServerApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await save(jp_fetch, chat())
    assert await reading(api) != UNKNOWN
    usual: Callable[..., Any] = jp_serverapp.contents_manager.get

    async def get(*args: Any, **kwargs: Any) -> Any:
        return await usual(*args, **kwargs)

    monkeypatch.setattr(jp_serverapp.contents_manager, "get", get)
    assert await reading(api) == UNKNOWN


@DEFAULT
@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        '{"cells": [], "metadata": []}',
        '{"cells": [1], "metadata": {}}',
        '{"metadata": {}}',
        json.dumps(chat()).replace('"c"', '"\\ud800"'),
        json.dumps(chat()).replace('"c"', "[" * 2000 + "]" * 2000),
        "[" * 200_000,
    ],
)
async def test_what_only_the_server_can_read(api: Api, jp_root_dir: Path, text: str) -> None:
    (jp_root_dir / PATH).write_text(text)
    assert await reading(api) == UNKNOWN


@DEFAULT
async def test_fails_as_the_contents_api_does(api: Api, jp_root_dir: Path) -> None:
    assert (await api("getReading", params={"path": PATH})).status == 404
    (jp_root_dir / PATH).write_bytes(b"\xff\xfe\x00")
    assert (await api("getReading", params={"path": PATH})).status == 400
    (jp_root_dir / ".a.ipynb").write_text(json.dumps(chat()))
    for path in ("../a.chat.ipynb", ".a.ipynb"):
        assert (await api("getReading", params={"path": path})).status == 404


@pytest.mark.parametrize("jp_server_config", [Secretive], indirect=True)
async def test_what_the_contents_api_hides_is_hidden(
    api: Api, jp_fetch: Callable[..., Any], jp_root_dir: Path, jp_serverapp: ServerApp
) -> None:
    (jp_root_dir / PATH).write_text(json.dumps(chat()))
    with pytest.raises(HTTPClientError, match="404"):
        await contents(jp_fetch)
    assert (await api("getReading", params={"path": PATH})).status == 404
    jp_serverapp.contents_manager.allow_hidden = True
    assert await reading(api) == {"hash": (await contents(jp_fetch))["hash"], "trusted": False}


@DEFAULT
async def test_it_needs_the_right_to_read_files(
    api: Api, jp_fetch: Callable[..., Any], jp_root_dir: Path, jp_serverapp: ServerApp
) -> None:
    (jp_root_dir / PATH).write_text(json.dumps(chat()))
    jp_serverapp.web_app.settings["authorizer"] = NoContents()
    with pytest.raises(HTTPClientError, match="403"):
        await contents(jp_fetch)
    answer = await api("getReading", params={"path": PATH})
    assert (answer.status, answer.body["code"]) == (403, "forbidden")
