"""What a provider may say and a disk may do: nothing hangs, is lost, or passes as whole."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.rerun.answer import nothing_known
from jupyterlab_turnbook.rerun.plan import Record, make_plan
from jupyterlab_turnbook.rerun.reading import verify_results
from jupyterlab_turnbook.rerun.store import Store, StoreError
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import Folder, payload_of, settle

HALF = "\ud83d"


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


def test_half_a_character_from_a_provider_is_replaced_and_nothing_hangs(folder: Folder) -> None:
    chunk = {
        "model": HALF,
        "choices": [{"index": 0, "delta": {"content": HALF}, "finish_reason": HALF}],
        "usage": {HALF: HALF, "completion_tokens": 1},
    }
    refusal = json.dumps({"error": {"message": f"cut {HALF}", "code": HALF}})
    folder.provider.script(
        {"steps": [{"raw": f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"}]},
        {"status": 400, "content_type": "application/json", "steps": [{"raw": refusal}]},
    )
    report, junit = folder.home / "report.json", folder.home / "junit.xml"
    arguments = (folder.record("Hi"), "--repeat", 2, "--json", report, "--junit", junit)
    assert folder.rerun(*arguments) == 3
    entries = {entry["state"]: entry for entry in folder.entries()}
    reply = entries["done"]["reply"]
    assert (reply["model"], reply["finish"], reply["content"]) == ("\ufffd",) * 3
    assert reply["usage"] == {"\ufffd": "\ufffd", "completion_tokens": 1}
    assert entries["refused"]["outcome"]["message"] == "cut \ufffd"
    assert verify_results(folder.out).problems == []
    assert "\ufffd" in report.read_text(encoding="utf-8")
    # The store has the reply: it is not asked for again.
    assert folder.rerun(*arguments) == 0
    assert len(folder.bodies()) == 3


def test_half_a_character_in_names_checks_and_schemas_loses_no_results(folder: Folder) -> None:
    # Bytes that are not UTF-8, as an archive of another system leaves them.
    record = folder.home / "caf\udce9.replay.ipynb"
    try:
        folder.record("Hi").rename(record)
    except OSError:
        pytest.skip("This disk takes no such names.")
    folder.out = folder.home / "r\udce9sultats.ipynb"
    checks, schema = folder.home / "checks.py", folder.home / "schema.json"
    checks.write_text('def check_it(reply):\n    raise ValueError("\\ud83d")\n')
    schema.write_text(json.dumps({"title": HALF}))
    report, junit = folder.home / "report.json", folder.home / "junit.xml"
    more = ("--check", checks, "--schema", schema, "--json", report, "--junit", junit)
    assert folder.rerun(record, *more) == 0
    assert json.loads(folder.out.read_text())["cells"][2]["source"] == "## caf\ufffd"
    assert folder.entries()[0]["checks"][0]["message"] == "ValueError: \ufffd"
    assert verify_results(folder.out).problems == []
    assert folder.rerun(record, *more, "--fail-on", "check") == 1
    assert len(folder.bodies()) == 1


async def test_a_write_that_fails_is_told_and_those_beside_it_are_kept(tmp_path: Path) -> None:
    record = Record("r", payload_of("Hi"), "0" * 64, "p", "m")
    good, bad = make_plan([record], [], [], 2, lambda name: False).wanted
    target = replace(bad.request.target, provider=HALF)
    bad = replace(bad, request=replace(bad.request, target=target))
    store = Store(tmp_path / "store.sqlite")
    await store.open()
    first = asyncio.ensure_future(store.started(bad, "a", 0))
    second = asyncio.ensure_future(store.started(good, "b", 0))
    with pytest.raises(StoreError):
        await asyncio.wait_for(first, 5)
    assert await asyncio.wait_for(second, 5) == 1
    await store.ended("b", nothing_known(HALF))
    assert list(await store.last([good.key, bad.key])) == [good.key]
    await store.close()


def flip(store: Path, at: int) -> None:
    raw = bytearray(store.read_bytes())
    raw[at] ^= 1
    store.write_bytes(raw)


def test_one_changed_byte_of_the_store_is_found(folder: Folder, capsys: Any) -> None:
    assert folder.rerun(folder.record("Hi"), "--repeat", 2) == 0
    store = folder.home / "results.rerun.sqlite"
    good = store.read_bytes()
    with sqlite3.connect(store) as db:
        query = "SELECT body, key FROM attempts WHERE repeat = 2"
        body, key = db.execute(query).fetchone()
    db.close()
    for place in range(0, len(body), 7):
        flip(store, good.index(body) + place)
        assert main(["verify", str(folder.out)]) == 1, place
        assert "Reply 2: the stored response" in capsys.readouterr().out
        store.write_bytes(good)
    # Of a key, of the file's header, and of a page's.
    flip(store, good.index(key.encode()))
    assert verify_results(folder.out).problems == ["Reply 2: the store does not have it."]
    for place in (0, 100):
        store.write_bytes(good)
        flip(store, place)
        assert main(["verify", str(folder.out)]) == 1
        assert "cannot be read" in capsys.readouterr().out
    store.write_bytes(good)
    assert main(["verify", str(folder.out)]) == 0


def test_a_store_that_somebody_uses_is_no_problem(folder: Folder, capsys: Any) -> None:
    assert folder.rerun(folder.record("Hi")) == 0
    db = sqlite3.connect(folder.home / "results.rerun.sqlite", isolation_level=None)
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    db.execute("BEGIN EXCLUSIVE")
    assert main(["verify", str(folder.out)]) == 0
    assert "no response was checked" in capsys.readouterr().out
    db.close()


def test_a_store_of_two_notebooks_has_the_replies_of_both(folder: Folder) -> None:
    record, store = folder.record("Hi"), folder.home / "both.rerun.sqlite"
    a, b = folder.home / "a.ipynb", folder.home / "b.ipynb"
    folder.provider.script({"steps": [{"delta": "Half"}, {"cut": True}]})
    assert folder.rerun(record, "--store", store, out=a) == 3
    assert folder.rerun(record, "--store", store, "--again", out=b) == 0
    assert [entry["state"] for entry in folder.entries(a)] == ["broken"]
    for path in (a, b):
        found = verify_results(path)
        assert found.problems == []
        assert "1 responses in both.rerun.sqlite were checked" in found.notes[-1]
