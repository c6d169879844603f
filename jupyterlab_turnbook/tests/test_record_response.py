"""Records with their response: ``jupyter turnbook record``, and what ``verify`` says of them."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.records.verify import digest_of, verify
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider
from jupyterlab_turnbook.scripted_provider.script import Script

from .conftest import CHAT, KEY, Api
from .test_response import FINISH, run_of, written

HOSTILE = "</script><img src=x onerror=alert(1)>`*_ \u202e\U0001f30d"


async def chat_of(api: Api, provider: ThreadedScriptedProvider, script: Script, to: Path) -> Path:
    """A chat with a pair that was answered by this script."""
    run = (await api("getRun", await run_of(api, provider, script))).body["run"]
    cell = {
        **run["cell"],
        "execution_count": None,
        "metadata": {"turnbook_run": {"runId": run["id"], "requestHash": run["hash"]}},
    }
    chat = to / "plan.chat.ipynb"
    metadata = {"turnbook": {"format": 1, "chatId": CHAT}}
    notebook = {"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    chat.write_text(json.dumps(notebook))
    return chat


def made(chat: Path) -> tuple[Path, Any]:
    """The one record beside a chat."""
    (path,) = chat.parent.glob("*.replay.ipynb")
    return path, json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "script",
    [
        {"steps": [{"delta": HOSTILE}, {"delta": "two"}, *FINISH]},
        {"status": 400, "steps": [{"body": {"error": {"message": "no"}}}]},
        {"steps": [{"delta": "cut"}, {"raw": 'data: {"choi'}]},
        {"status": 500, "steps": [{"raw_base64": base64.b64encode(b"\xff\x00\xfe").decode()}]},
        {"status": 500, "steps": []},
    ],
    ids=["a stream", "an error", "cut off", "no UTF-8", "empty"],
)
async def test_a_record_has_the_bytes_that_came_back(
    api: Api,
    provider: ThreadedScriptedProvider,
    journal_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    script: Script,
) -> None:
    chat = await chat_of(api, provider, script, tmp_path)
    before = chat.read_bytes()
    arguments = ["record", str(chat), "--journal", str(journal_dir), "--with-response"]
    assert main(arguments) == 0, capsys.readouterr().out
    path, notebook = made(chat)
    record = notebook["metadata"]["turnbook"]["record"]
    response = record["response"]
    raw = response["body"].encode()
    if "encoding" in response:
        raw = base64.b64decode(raw)
    assert raw == written(script)
    assert response["hash"] == hashlib.sha256(raw).hexdigest()
    assert response["status"] == script.get("status", 200)
    assert 0 <= response["answered"] <= response["ended"]
    assert record["payload"].encode() == provider.requests[-1].body
    assert chat.read_bytes() == before
    out = capsys.readouterr().out
    assert f"response: sha256 {response['hash']}" in out and "note:" not in out
    assert response["hash"] in notebook["cells"][0]["source"]

    assert main(["verify", "--with-response", str(path)]) == 0
    # It is never written over.
    assert main(arguments) == 1
    assert "exists" in capsys.readouterr().out


async def test_without_the_option_there_is_no_response(
    api: Api,
    provider: ThreadedScriptedProvider,
    journal_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    chat = await chat_of(api, provider, {"steps": [{"delta": "a"}, *FINISH]}, tmp_path)
    pair = json.loads(chat.read_text())["cells"][0]["id"]
    to = tmp_path / "other.replay.ipynb"
    options = ["--journal", str(journal_dir), "--pair", pair, "--output", str(to)]
    assert main(["record", str(chat), *options]) == 0
    assert "response" not in json.loads(to.read_text())["metadata"]["turnbook"]["record"]
    assert "Response" not in to.read_text()
    assert main(["verify", str(to)]) == 0
    capsys.readouterr()
    assert main(["verify", "--with-response", str(to)]) == 1
    assert "does not have the response" in capsys.readouterr().out


def forge(notebook: Any, **change: Any) -> Any:
    """A record whose response was changed by somebody who knows the format."""
    forged = copy.deepcopy(notebook)
    entry = forged["metadata"]["turnbook"]
    entry["record"]["response"].update(change)
    entry["record"]["digest"] = digest_of(entry["record"], entry["lineage"])
    return forged


async def test_one_changed_byte_fails(
    api: Api,
    provider: ThreadedScriptedProvider,
    journal_dir: Path,
    tmp_path: Path,
) -> None:
    chat = await chat_of(api, provider, {"steps": [{"delta": "word"}, *FINISH]}, tmp_path)
    assert main(["record", str(chat), "--journal", str(journal_dir), "--with-response"]) == 0
    path, notebook = made(chat)
    response = notebook["metadata"]["turnbook"]["record"]["response"]

    def problems(changed: Any) -> list[str]:
        path.write_text(json.dumps(changed))
        return verify(path).problems

    assert problems(notebook) == []
    body = response["body"]
    for at in range(0, len(body), 7):
        other = "x" if body[at] != "x" else "y"
        changed = copy.deepcopy(notebook)
        changed["metadata"]["turnbook"]["record"]["response"]["body"] = (
            body[:at] + other + body[at + 1 :]
        )
        said = problems(changed)
        assert any("response does not match its hash" in line for line in said)
        assert any("digest does not match" in line for line in said)
    for key in ("status", "sentAt", "answered", "ended", "size"):
        changed = copy.deepcopy(notebook)
        changed["metadata"]["turnbook"]["record"]["response"][key] += 1
        assert problems(changed), key

    # With a new digest, it is found all the same.
    assert any("does not match its hash" in line for line in problems(forge(notebook, body="x")))
    assert any("bytes, the record says" in line for line in problems(forge(notebook, size=1)))
    assert "cannot be read" in problems(forge(notebook, encoding="base64"))[0]
    text = base64.b64encode(body.encode()).decode()
    assert problems(forge(notebook, encoding="base64", body=text)) == []
    assert "cannot be read" in problems(forge(notebook, encoding="base64", body=text + "\n"))[0]
    # The cells say another hash.
    shown = forge(notebook, body="", size=0, hash=hashlib.sha256(b"").hexdigest())
    assert problems(shown) == ["Cell 1 does not show what the payload says."]
    for odd in ({"encoding": "gzip"}, {"status": "200"}, {"body": None}, {"hash": 7}):
        assert problems(forge(notebook, **odd)) == [
            "The record is damaged: record.response is not a response."
        ]


async def test_what_stands_in_the_way_is_named(
    api: Api,
    provider: ThreadedScriptedProvider,
    journal_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    redacted = {"steps": [{"raw": f": {KEY}\n\n"}, {"delta": "a"}, *FINISH]}
    chat = await chat_of(api, provider, redacted, tmp_path)
    journal = ["--journal", str(journal_dir)]

    def failure(*arguments: str) -> str:
        assert main(["record", *arguments]) == 1
        assert not list(tmp_path.glob("*.replay.ipynb"))
        return capsys.readouterr().out

    assert "contained a key" in failure(str(chat), *journal, "--with-response")
    assert "No pair nowhere" in failure(str(chat), *journal, "--pair", "nowhere")
    assert "no journal" in failure(str(chat), "--journal", str(tmp_path))
    notebook = json.loads(chat.read_text())
    run = notebook["cells"][0]["metadata"]["turnbook_run"]
    for change, said in (
        ({"requestHash": "0" * 64}, "another request than the chat says"),
        ({"runId": "00000000-0000-4000-8000-000000000000"}, "does not have this request"),
        ({"runId": None}, "Nothing in this chat was sent"),
    ):
        notebook["cells"][0]["metadata"]["turnbook_run"] = {**run, **change}
        chat.write_text(json.dumps(notebook))
        assert said in failure(str(chat), *journal)
    for text in ("{", "[]", '{"cells": []}', '{"cells": [], "metadata": {}}'):
        chat.write_text(text)
        assert "plan.chat.ipynb" in failure(str(chat), *journal)
