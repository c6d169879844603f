"""`/chats`: new, known, renamed and copied files."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from .conftest import Api, chat_named, ended, new_run


def write(root: Path, path: str, chat: str | None) -> None:
    """Write a chat's file."""
    notebook = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
    if chat is not None:
        notebook.metadata["turnbook"] = {"format": 1, "chatId": chat}
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(nbformat.writes(notebook))  # type: ignore[no-untyped-call]


async def opened(api: Api, chat: str, path: str) -> dict[str, Any]:
    answer = await api("openChat", chat, body={"path": path})
    assert answer.status == 200
    return answer.body


@pytest.fixture(params=["default", "synchronous"])
def jp_server_config(
    request: pytest.FixtureRequest, jp_server_config: dict[str, Any]
) -> dict[str, Any]:
    """The server with each kind of contents manager."""
    if request.param == "synchronous":
        jp_server_config["ServerApp"]["contents_manager_class"] = (
            "jupyter_server.services.contents.largefilemanager.LargeFileManager"
        )
    return jp_server_config


async def test_new_known_and_renamed(api: Api, jp_root_dir: Path) -> None:
    write(jp_root_dir, "a.chat.ipynb", chat_named("1"))
    first = await opened(api, chat_named("1"), "a.chat.ipynb")
    assert first == {
        "chatId": chat_named("1"),
        "path": "a.chat.ipynb",
        "status": "new",
        "copiedFrom": None,
        "unlanded": 0,
    }
    assert (await opened(api, chat_named("1"), "/a.chat.ipynb"))["status"] == "known"
    (jp_root_dir / "deep").mkdir()
    shutil.move(jp_root_dir / "a.chat.ipynb", jp_root_dir / "deep/ü b.chat.ipynb")
    moved = await opened(api, chat_named("1"), "deep/ü b.chat.ipynb")
    assert (moved["status"], moved["chatId"]) == ("renamed", chat_named("1"))
    assert (await opened(api, chat_named("1"), "deep/ü b.chat.ipynb"))["status"] == "known"


async def test_a_copy_gets_an_id_of_its_own_and_no_runs(api: Api, jp_root_dir: Path) -> None:
    write(jp_root_dir, "a.chat.ipynb", chat_named("1"))
    await opened(api, chat_named("1"), "a.chat.ipynb")
    asked = new_run(chat=chat_named("1"))
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    shutil.copy(jp_root_dir / "a.chat.ipynb", jp_root_dir / "a.chat-Copy1.ipynb")
    copies = await asyncio.gather(
        *(opened(api, chat_named("1"), "a.chat-Copy1.ipynb") for _ in range(3))
    )
    # Tabs that open the same copy agree on its new id.
    assert len({copy["chatId"] for copy in copies}) == 1
    copy = copies[0]
    assert copy["chatId"] != chat_named("1")
    assert (copy["status"], copy["copiedFrom"]) == ("copy", chat_named("1"))
    assert (await api("listRuns", params={"chat": copy["chatId"]})).body["runs"] == []
    assert (await opened(api, chat_named("1"), "a.chat.ipynb"))["status"] == "known"
    write(jp_root_dir, "a.chat-Copy1.ipynb", copy["chatId"])
    assert (await opened(api, copy["chatId"], "a.chat-Copy1.ipynb"))["status"] == "known"


async def test_a_second_copy_at_the_same_path_gets_another_id(api: Api, jp_root_dir: Path) -> None:
    write(jp_root_dir, "a.chat.ipynb", chat_named("1"))
    await opened(api, chat_named("1"), "a.chat.ipynb")
    write(jp_root_dir, "b.chat.ipynb", chat_named("1"))
    first = await opened(api, chat_named("1"), "b.chat.ipynb")
    asked = new_run(chat=first["chatId"])
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    second = await opened(api, chat_named("1"), "b.chat.ipynb")
    assert second["status"] == "copy"
    assert second["chatId"] != first["chatId"]


@pytest.mark.parametrize("old", ["other id", "no id", "broken", "folder"])
async def test_the_old_path_holds_something_else(api: Api, jp_root_dir: Path, old: str) -> None:
    await opened(api, chat_named("1"), "a.chat.ipynb")
    if old == "other id":
        write(jp_root_dir, "a.chat.ipynb", chat_named("2"))
    elif old == "no id":
        write(jp_root_dir, "a.chat.ipynb", None)
    elif old == "broken":
        (jp_root_dir / "a.chat.ipynb").write_text("{")
    else:
        (jp_root_dir / "a.chat.ipynb").mkdir()
    assert (await opened(api, chat_named("1"), "b.chat.ipynb"))["status"] == "renamed"


async def test_a_file_that_is_being_written_is_there_and_is_left_alone(
    api: Api, jp_root_dir: Path
) -> None:
    write(jp_root_dir, "a.chat.ipynb", chat_named("1"))
    await opened(api, chat_named("1"), "a.chat.ipynb")
    file = jp_root_dir / "a.chat.ipynb"
    whole = file.read_text()
    # The way Jupyter writes it: in place, with the older version beside it.
    shutil.copy(file, jp_root_dir / ".~a.chat.ipynb")
    file.write_text(whole[:20])

    async def write_on() -> None:
        await asyncio.sleep(0.1)
        file.write_text(whole)
        (jp_root_dir / ".~a.chat.ipynb").unlink()

    write(jp_root_dir, "b.chat.ipynb", chat_named("1"))
    answer, _ = await asyncio.gather(opened(api, chat_named("1"), "b.chat.ipynb"), write_on())
    assert answer["status"] == "copy"
    assert not (jp_root_dir / "a.chat.ipynb.invalid").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="may read all files")
async def test_a_file_that_cannot_be_read_is_not_gone(api: Api, jp_root_dir: Path) -> None:
    write(jp_root_dir, "a.chat.ipynb", chat_named("1"))
    await opened(api, chat_named("1"), "a.chat.ipynb")
    (jp_root_dir / "a.chat.ipynb").chmod(0)
    answer = await api("openChat", chat_named("1"), body={"path": "b.chat.ipynb"})
    assert (answer.status, answer.body["code"]) == (503, "file-unreadable")
    (jp_root_dir / "a.chat.ipynb").chmod(0o600)
    assert (await opened(api, chat_named("1"), "b.chat.ipynb"))["status"] == "copy"


async def test_bad_requests(api: Api) -> None:
    for body in ({}, {"path": 7}, {"path": "x", "more": 1}):
        answer = await api("openChat", chat_named("1"), body=body, valid=False)
        assert (answer.status, answer.body["code"]) == (400, "bad-request")
    assert (await api("openChat", chat_named("1"), raw=json.dumps([]))).status == 400


async def test_known_chats_are_listed_with_whether_their_files_exist(
    api: Api, jp_root_dir: Path
) -> None:
    write(jp_root_dir, "here.chat.ipynb", chat_named("here"))
    write(jp_root_dir, "gone.chat.ipynb", chat_named("gone"))
    await opened(api, chat_named("here"), "here.chat.ipynb")
    await opened(api, chat_named("gone"), "gone.chat.ipynb")
    (jp_root_dir / "gone.chat.ipynb").unlink()
    untold = new_run(chat=chat_named("untold"))
    await api("createRun", body=untold)
    await ended(api, untold["id"])
    listed = (await api("listChats")).body["chats"]
    assert sorted(listed, key=lambda chat: str(chat["chatId"])) == [
        {"chatId": chat_named("gone"), "path": "gone.chat.ipynb", "exists": False},
        {"chatId": chat_named("here"), "path": "here.chat.ipynb", "exists": True},
        {"chatId": chat_named("untold"), "path": None, "exists": False},
    ]
