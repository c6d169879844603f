"""Reruns of pairs of chats: what becomes a record, and what is sent."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.records.verify import verify
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import CHAT, Api, ended, new_run
from .test_rerun import says
from .test_reruns import begin, over, wish


def cell_of(run: dict[str, Any]) -> dict[str, Any]:
    """The cell of a pair whose reply a run brought."""
    told = {"turnbook_run": {"runId": run["id"], "requestHash": run["hash"]}}
    return {**run["cell"], "metadata": told, "execution_count": None}


def put_chat(folder: Path, cells: list[dict[str, Any]]) -> Path:
    """A chat with these cells."""
    chat: dict[str, Any] = {"cells": cells, "nbformat": 4, "nbformat_minor": 5}
    chat["metadata"] = {"turnbook": {"format": 1, "chatId": CHAT}}
    path = folder / "plan.chat.ipynb"
    path.write_text(json.dumps(chat))
    return path


async def test_pairs_of_a_chat_become_records_first(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider, journal_dir: Path
) -> None:
    runs = [new_run("One"), new_run("Two", chat=str(uuid.uuid4()))]
    for run in runs:
        await api("createRun", body=run)
    cells = [cell_of((await ended(api, run["id"]))["run"]) for run in runs]
    cells.append({**cells[0], "id": "never", "metadata": {}})
    (jp_root_dir / "sub").mkdir()
    put_chat(jp_root_dir / "sub", cells)
    pairs = [cell["id"] for cell in cells]
    wanted = wish({"chat": "sub/plan.chat.ipynb", "pairs": pairs}, repeats=2)
    preview = (await api("previewRerun", body=wanted)).body
    assert [each["name"] for each in preview["records"]] == ["plan · turn 1", "plan · turn 2"]
    assert [each["name"] for each in preview["refused"]] == ["never"]
    assert (preview["folder"], preview["out"]) == ("sub/plan-rerun", "sub/plan-rerun/results.ipynb")
    assert not (jp_root_dir / "sub/plan-rerun").exists()
    found = await over(api, (await begin(api, wanted))["id"])
    assert (found["state"], found["done"], found["folder"]) == ("done", 4, "sub/plan-rerun")
    records = sorted((jp_root_dir / "sub/plan-rerun").glob("*.replay.ipynb"))
    assert [verify(record).problems for record in records] == [[], []]
    sent = Counter(one.body for one in provider.completions())
    assert sent == {run["body"].encode(): 3 for run in runs}
    # The same again uses the same records.
    await over(api, (await begin(api, wanted))["id"])
    assert sorted((jp_root_dir / "sub/plan-rerun").glob("*.replay.ipynb")) == records


@pytest.mark.parametrize(
    "provider_settings", [{"continuation": "prefill"}, {"continuation": "instruct"}]
)
async def test_a_reply_that_was_continued_is_asked_for_as_a_whole(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider, journal_dir: Path
) -> None:
    cut = {"steps": [{"delta": "One"}, {"cut": True}]}
    provider.script(cut, cut, says(" three"))
    run = new_run("Count")
    await api("createRun", body=run)
    await ended(api, run["id"])
    for _ in range(2):
        again = (await api("retryTurn", CHAT, run["pair"], body={"now": True})).body["run"]
        last = (await ended(api, again["id"]))["run"]
    whole, *_, rest = [one.body for one in provider.completions()]
    assert whole == run["body"].encode() and rest != whole
    chat = put_chat(jp_root_dir, [cell_of(last)])
    wanted = wish({"chat": chat.name, "pairs": [run["pair"]]})
    found = await over(api, (await begin(api, wanted))["id"])
    assert (found["state"], found["done"]) == ("done", 1)
    assert provider.completions()[-1].body == whole
    [path] = (jp_root_dir / "plan-rerun").glob("*.replay.ipynb")
    assert verify(path, chat).problems == []
    record = json.loads(path.read_text())["metadata"]["turnbook"]["record"]
    assert (record["requestId"], record["loggedHash"]) == (run["id"], record["hash"])
    # A record that is made by hand is of what was sent last.
    assert main(["record", str(chat), "--journal", str(journal_dir)]) == 0
    [path] = jp_root_dir.glob("*.replay.ipynb")
    record = json.loads(path.read_text())["metadata"]["turnbook"]["record"]
    assert (record["requestId"], record["payload"].encode()) == (last["id"], rest)
