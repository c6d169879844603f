"""A chat's id is a UUID, and a run belongs to its chat."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import CHAT, Answer, Api, chat_named, ended, new_run, of
from .test_chats import opened, write

NO_IDS = [
    "*",
    "all chats",
    "7",
    "work%2Fa.chat.ipynb",
    "null",
    "__proto__",
    "none",
    CHAT[:-1],
    CHAT + "0",
    CHAT + "\n",
    " " + CHAT,
    "{" + CHAT + "}",
    CHAT.replace("-", ""),
    "urn:uuid:" + CHAT,
    CHAT.replace("0", "_", 1),
    CHAT.replace("0", "\u0660", 1),
]
OTHER = chat_named("other")

Call = Callable[[Api, str, dict[str, Any]], Awaitable[Answer]]

CHANGES: dict[str, Call] = {
    "stop": lambda api, chat, run: api("stopRun", run["id"], params={"chat": chat}),
    "land": lambda api, chat, run: api("landRun", run["id"], params={"chat": chat}),
    "drop": lambda api, chat, run: api("dropRun", run["id"], params={"chat": chat}),
    "bring back": lambda api, chat, run: api(
        "dropRun", run["id"], params={"chat": chat}, body={"dropped": False}
    ),
    "retry": lambda api, chat, run: api("retryTurn", chat, run["pair"], body={"now": True}),
    "auto": lambda api, chat, run: api("retryTurn", chat, run["pair"], body={"auto": False}),
}


async def waiting_run(api: Api, provider: ThreadedScriptedProvider) -> dict[str, Any]:
    """A run that failed and is waiting for its next attempt."""
    provider.script({"status": 503, "headers": {"Retry-After": "600"}, "steps": []})
    asked = new_run()
    await api("createRun", body=asked)
    return (await ended(api, asked["id"]))["run"]


async def test_a_chat_id_must_be_a_uuid(
    api: Api, page: Any, provider: ThreadedScriptedProvider, jp_root_dir: Path
) -> None:
    run = await waiting_run(api, provider)
    for chat in NO_IDS:
        await _names_no_chat(api, page, jp_root_dir, run, chat)
    assert len(await provider.requested(1)) == 1


async def _names_no_chat(
    api: Api, page: Any, jp_root_dir: Path, run: dict[str, Any], chat: str
) -> None:
    write(jp_root_dir, "a.chat.ipynb", chat)
    known = (await api("listChats")).body
    answers = [
        await api("createRun", body=new_run(chat=chat), valid=False),
        await api("listRuns", params={"chat": chat}),
        await api("openChat", chat, body={"path": "a.chat.ipynb"}),
        await api("getTurn", chat, run["pair"]),
        *[await change(api, chat, run) for change in CHANGES.values()],
    ]
    refused = {(answer.status, answer.body["code"]) for answer in answers}
    assert refused == {(400, "bad-request")}, chat
    async with page() as p:
        for message in ({"watch": chat}, {"unwatch": chat}):
            await p.send(message)
            assert (await p.next())["error"]["code"] == "bad-message"
    assert (await api("getRun", run["id"])).body["run"] == run
    assert (await api("listChats")).body == known


async def test_a_change_that_names_no_chat_is_refused(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    run = await waiting_run(api, provider)
    for operation in ("stopRun", "landRun", "dropRun"):
        answer = await api(operation, run["id"])
        assert (answer.status, answer.body["code"]) == (400, "bad-request")
    assert (await api("getRun", run["id"])).body["run"] == run


async def test_another_chat_cannot_change_a_run(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    run = await waiting_run(api, provider)
    own = new_run(chat=OTHER)
    await api("createRun", body=own)
    await ended(api, own["id"])
    for change in CHANGES.values():
        answer = await change(api, OTHER, run)
        assert (answer.status, answer.body["code"]) == (404, "no-such-run")
        assert (await api("getRun", run["id"])).body["run"] == run
    assert len(await provider.requested(2)) == 2


async def test_another_chat_cannot_change_a_live_run(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"finish": "stop"}, {"done": True}]})
    asked = new_run()
    await api("createRun", body=asked)
    for change in CHANGES.values():
        assert (await change(api, OTHER, asked)).status == 404
    provider.release("go")
    run = (await ended(api, asked["id"]))["run"]
    assert (run["state"], run["landed"], run["dropped"]) == ("done", False, False)


async def test_a_live_run_cannot_land(api: Api, provider: ThreadedScriptedProvider) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"finish": "stop"}, {"done": True}]})
    asked = new_run()
    await api("createRun", body=asked)
    while not (await api("getRun", asked["id"])).body["events"]:
        pass
    refused = await api("landRun", asked["id"], params=of(asked))
    assert (refused.status, refused.body["code"]) == (409, "still-alive")
    listed = (await api("listRuns", params={"chat": CHAT, "open": "1"})).body["runs"]
    assert [(run["id"], run["landed"]) for run in listed] == [(asked["id"], False)]
    provider.release("go")
    await ended(api, asked["id"])
    assert (await api("landRun", asked["id"], params=of(asked))).body["landed"] is True


NO_PATHS = [
    "",
    "/",
    ".",
    "..",
    "../a.ipynb",
    "a/../../b.ipynb",
    "a//b.ipynb",
    "a/./b.ipynb",
    "a\0b.ipynb",
    "a\nb.ipynb",
    "\ud800.ipynb",
    "x" * 5000,
    "//etc/passwd",
]


async def test_an_invalid_path_is_refused(api: Api, jp_root_dir: Path) -> None:
    write(jp_root_dir, "a.chat.ipynb", CHAT)
    await opened(api, CHAT, "a.chat.ipynb")
    known = (await api("listChats")).body
    for key in ("path", "from"):
        for path in NO_PATHS:
            body = json.dumps({"path": "b.chat.ipynb", key: path})
            answer = await api("openChat", CHAT, raw=body)
            assert answer.status == 400, (key, path)
            assert answer.body["code"] in ("bad-path", "bad-request", "bad-json")
    assert (await api("listChats")).body == known


async def unlanded(api: Api, root: Path) -> dict[str, Any]:
    """A chat whose file is gone and whose reply is in no notebook."""
    write(root, "a.chat.ipynb", CHAT)
    await opened(api, CHAT, "a.chat.ipynb")
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    shutil.move(root / "a.chat.ipynb", root / "b.chat.ipynb")
    return asked


async def test_a_file_does_not_take_unlanded_replies_automatically(
    api: Api, jp_root_dir: Path
) -> None:
    await unlanded(api, jp_root_dir)
    for _ in range(2):
        said = await opened(api, CHAT, "b.chat.ipynb")
        assert (said["status"], said["unlanded"], said["chatId"]) == ("unclaimed", 1, CHAT)
    assert (await api("listChats")).body["chats"] == [
        {"chatId": CHAT, "path": "a.chat.ipynb", "exists": False}
    ]


async def test_the_user_may_take_unlanded_replies(api: Api, jp_root_dir: Path) -> None:
    asked = await unlanded(api, jp_root_dir)
    answer = await api("openChat", CHAT, body={"path": "b.chat.ipynb", "claim": "take"})
    assert (answer.body["status"], answer.body["chatId"]) == ("renamed", CHAT)
    assert (await opened(api, CHAT, "b.chat.ipynb"))["status"] == "known"
    listed = (await api("listRuns", params={"chat": CHAT, "open": "1"})).body["runs"]
    assert [run["id"] for run in listed] == [asked["id"]]


async def test_the_user_may_keep_the_file_as_a_copy(api: Api, jp_root_dir: Path) -> None:
    await unlanded(api, jp_root_dir)
    answer = await api("openChat", CHAT, body={"path": "b.chat.ipynb", "claim": "copy"})
    assert (answer.body["status"], answer.body["copiedFrom"]) == ("copy", CHAT)
    assert answer.body["chatId"] != CHAT
    assert (await api("listRuns", params={"chat": answer.body["chatId"]})).body["runs"] == []
    # The replies still wait for the original file.
    shutil.move(jp_root_dir / "b.chat.ipynb", jp_root_dir / "a.chat.ipynb")
    assert (await opened(api, CHAT, "a.chat.ipynb"))["status"] == "known"


async def test_a_page_that_saw_the_file_move_need_not_ask(api: Api, jp_root_dir: Path) -> None:
    await unlanded(api, jp_root_dir)
    elsewhere = {"path": "b.chat.ipynb", "from": "c.chat.ipynb"}
    assert (await api("openChat", CHAT, body=elsewhere)).body["status"] == "unclaimed"
    moved = {"path": "b.chat.ipynb", "from": "a.chat.ipynb"}
    assert (await api("openChat", CHAT, body=moved)).body["status"] == "renamed"


async def test_a_claim_takes_nothing_from_a_file_that_exists(api: Api, jp_root_dir: Path) -> None:
    await unlanded(api, jp_root_dir)
    shutil.copy(jp_root_dir / "b.chat.ipynb", jp_root_dir / "a.chat.ipynb")
    for claim in ({"claim": "take"}, {"from": "a.chat.ipynb"}):
        said = (await api("openChat", CHAT, body={"path": "b.chat.ipynb", **claim})).body
        assert said["status"] == "copy"


async def test_a_waiting_turn_is_not_taken_either(
    api: Api, provider: ThreadedScriptedProvider, jp_root_dir: Path
) -> None:
    write(jp_root_dir, "a.chat.ipynb", CHAT)
    await opened(api, CHAT, "a.chat.ipynb")
    run = await waiting_run(api, provider)
    await api("landRun", run["id"], params=of(run))
    shutil.move(jp_root_dir / "a.chat.ipynb", jp_root_dir / "b.chat.ipynb")
    assert (await opened(api, CHAT, "b.chat.ipynb"))["status"] == "unclaimed"
    await api("stopRun", run["id"], params=of(run))
    assert (await opened(api, CHAT, "b.chat.ipynb"))["status"] == "renamed"


async def test_upper_case_uuids_are_ids(api: Api) -> None:
    asked = new_run(chat=str(uuid.uuid4()).upper())
    assert (await api("createRun", body=asked)).status == 201
