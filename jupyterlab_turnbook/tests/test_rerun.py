"""``jupyter turnbook rerun``: what is sent, what is kept, and what is never sent twice."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import Folder, payload_of, record_of, settle

DONE: list[dict[str, Any]] = [{"finish": "stop"}, {"done": True}]


def says(text: str, **finish: Any) -> dict[str, Any]:
    return {"steps": [{"tokens": text}, {"finish": "stop", **finish}, {"done": True}]}


def fails(status: int, code: str = "", **headers: str) -> dict[str, Any]:
    error = {"error": {"message": f"It says {status}.", "code": code}}
    return {"status": status, "headers": headers, "steps": [{"body": error}]}


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


def test_the_bytes_are_the_records_with_only_the_model_replaced(folder: Folder) -> None:
    record = folder.record('Grüße \u2028 {"model": "x"}')
    assert folder.rerun(record, "--model", "scripted-mini,test/other", "--repeat", 2) == 0
    text = payload_of('Grüße \u2028 {"model": "x"}')
    wanted = Counter(
        text.replace('"model": "scripted"', f'"model": "{name}"').encode()
        for name in ("scripted-mini", "other")
        for _ in range(2)
    )
    assert Counter(folder.bodies()) == wanted
    assert {one.sha256 for one in folder.provider.completions()} == {
        entry["request"] for entry in folder.entries()
    }


def test_what_set_names_is_replaced_or_added(folder: Folder) -> None:
    record = folder.record("Hi", temperature=1)
    changes = (
        "--set",
        "temperature=0",
        "--set",
        "metadata.team=a b",
        "--set",
        "messages.0.content=Ho",
    )
    assert folder.rerun(record, *changes) == 0
    wanted = payload_of("Hi", temperature=1).replace('"temperature": 1', '"temperature": 0')
    wanted = wanted.replace('"Hi"', '"Ho"').removesuffix("}") + ',"metadata":{"team":"a b"}}'
    assert folder.bodies() == [wanted.encode()]


def test_the_same_command_repeats_nothing_and_finishes_what_is_missing(folder: Folder) -> None:
    record = folder.record("Hi")
    assert folder.rerun(record, "--repeat", 3) == 0
    first = folder.out.read_bytes()
    assert folder.rerun(record, "--repeat", 3) == 0
    assert len(folder.bodies()) == 3
    assert folder.out.read_bytes() == first
    assert folder.rerun(record, "--repeat", 5) == 0
    assert len(folder.bodies()) == 5
    # Another option is another key.
    assert folder.rerun(record, "--repeat", 5, "--set", "temperature=0") == 0
    assert len(folder.bodies()) == 10


def test_two_reruns_at_once_do_not_share_a_store(folder: Folder, capsys: Any) -> None:
    record = folder.record("Hi")
    assert folder.rerun(record) == 0
    db = sqlite3.connect(folder.home / "results.rerun.sqlite", isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    assert folder.rerun(record, "--repeat", 2) == 2
    assert "Another rerun is using" in capsys.readouterr().err
    db.close()
    assert len(folder.bodies()) == 1


def test_a_damaged_record_and_a_foreign_file_are_refused(folder: Folder, capsys: Any) -> None:
    record = folder.record("Hi")
    good = record.read_text()
    record.write_text(good.replace("Hi", "Ho", 1))
    assert folder.rerun(record) == 2
    assert "cannot be used" in capsys.readouterr().err
    record.write_text(good)
    folder.out.write_text(json.dumps({"cells": [], "metadata": {}, "nbformat": 4}))
    assert folder.rerun(record) == 2
    assert "is not a results notebook" in capsys.readouterr().err
    assert folder.rerun(record, "--model", "test/a", out=folder.home / "no/x.ipynb") == 2
    assert folder.rerun(record, "--set", "messages.7.content=x", out=folder.home / "x.ipynb") == 2
    assert folder.bodies() == []


def test_a_lost_reply_is_unknown_and_not_repeated_unless_asked(folder: Folder) -> None:
    record = folder.record("Hi")
    folder.provider.script({"steps": [{"cut": True}]})
    assert folder.rerun(record) == 3
    assert [entry["state"] for entry in folder.entries()] == ["unknown"]
    assert folder.rerun(record) == 3
    assert len(folder.bodies()) == 1
    assert folder.rerun(record, "--again") == 0
    assert len(folder.bodies()) == 2
    assert folder.rerun(record, "--again") == 0
    assert len(folder.bodies()) == 2


def test_a_broken_reply_is_kept_and_not_repeated_unless_asked(folder: Folder) -> None:
    record = folder.record("Hi")
    folder.provider.script({"steps": [{"delta": "Half"}, {"cut": True}]})
    assert folder.rerun(record) == 3
    assert folder.contents() == ["Half"]
    assert folder.entries()[0]["state"] == "broken"
    assert folder.rerun(record) == 3
    assert folder.rerun(record, "--again") == 0
    assert folder.contents() == ["You said: Hi"]
    assert folder.entries()[0]["attempts"] == 2


def test_429_waits_as_asked_and_sends_again(folder: Folder) -> None:
    folder.provider.script(fails(429, **{"Retry-After": "0.05"}))
    assert folder.rerun(folder.record("Hi"), "--repeat", 3) == 0
    assert len(folder.bodies()) == 4
    assert sorted(entry["attempts"] for entry in folder.entries()) == [1, 1, 2]


def test_a_model_that_is_always_limited_neither_holds_up_nor_stops_another(
    folder: Folder, capsys: Any
) -> None:
    folder.provider.script(*[fails(429, **{"Retry-After": "0.01"})] * 300, model="a")
    arguments = [str(folder.record("Hi")), "--model", "a,b", "--repeat", "40"]
    assert main(["rerun", *arguments, "--out", str(folder.out)]) == 3
    states = Counter((entry["model"], entry["state"]) for entry in folder.entries())
    assert states["b", "done"] == 40
    assert states["a", "refused"] + states["a", "missing"] == 40
    sent = [one.model for one in folder.provider.completions()]
    # All of the first wave were to it, and no more until the others have gone.
    assert Counter(sent[:40])["a"] == 20
    said = capsys.readouterr().err
    assert "test/a: no more is sent. It still refuses after 6 pauses." in said


def test_quota_stops_its_provider_and_no_other(
    folder: Folder, capsys: Any, make_scripted_provider: Any
) -> None:
    other = make_scripted_provider()
    folder.configure(other={"base_url": other.url})
    folder.provider.script(*[fails(429, "insufficient_quota")] * 5)
    record = folder.record("Hi")
    code = folder.rerun(record, "--model", "test/a,other/b", "--repeat", 5, "--concurrency", 1)
    assert code == 3
    assert len(folder.bodies()) == 1
    assert len(other.completions()) == 5
    states = Counter((entry["provider"], entry["state"]) for entry in folder.entries())
    assert states == {("test", "refused"): 1, ("test", "missing"): 4, ("other", "done"): 5}


@pytest.mark.parametrize(("given", "name"), [("nobody", "nobody"), ("\ud800", "\ufffd")])
def test_a_record_of_an_unknown_provider_does_not_keep_back_others(
    folder: Folder, capsys: Any, given: str, name: str
) -> None:
    lost = folder.home / "lost.replay.ipynb"
    lost.write_text(json.dumps(record_of(payload_of("Hi"), given)))
    records = (lost, folder.record("Ho"))
    assert folder.rerun(*records, "--dry-run") == 0
    assert f"{name}/scripted: 1 requests" in capsys.readouterr().out
    # Its price is not known, so no limit can be kept.
    assert folder.rerun(*records, "--max-cost", 1, "--price", "test/scripted=1,1") == 2
    assert f"price of {name}/scripted is not known" in capsys.readouterr().err
    assert folder.rerun(*records, "--repeat", 2, "--concurrency", 1) == 3
    assert f"no provider named {name}" in folder.entries()[0]["outcome"]["message"]
    states = Counter((entry["provider"], entry["state"]) for entry in folder.entries())
    assert states == {(name, "refused"): 1, (name, "missing"): 1, ("test", "done"): 2}


def test_a_model_that_refuses_everything_is_stopped(folder: Folder) -> None:
    folder.provider.script(*[fails(404, "model_not_found")] * 40, model="none")
    record = folder.record("Hi")
    code = folder.rerun(record, "--model", "none,some", "--repeat", 30, "--concurrency", 2)
    assert code == 3
    sent = Counter(one.model for one in folder.provider.completions())
    assert sent["some"] == 30
    assert 10 <= sent["none"] <= 12


def test_a_model_that_is_forbidden_does_not_stop_its_provider(folder: Folder) -> None:
    folder.provider.script(*[fails(403, "model_not_allowed")] * 40, model="a")
    record = folder.record("Hi")
    assert folder.rerun(record, "--model", "a,b", "--repeat", 15, "--concurrency", 2) == 3
    sent = Counter(one.model for one in folder.provider.completions())
    assert sent["b"] == 15
    assert 10 <= sent["a"] <= 12


def test_limits_of_requests_and_cost_are_kept(folder: Folder) -> None:
    record = folder.record("Hi", max_tokens=100)
    assert folder.rerun(record, "--repeat", 9, "--max-requests", 4) == 3
    assert len(folder.bodies()) == 4
    # Each may cost 100 tokens at a dollar for a million, and costs 3.
    price = ("--price", "test/m=0,1", "--model", "m")
    usage = {"prompt_tokens": 1, "completion_tokens": 3}
    folder.provider.script(*[says("a b c", usage=usage)] * 60, model="m")
    assert folder.rerun(record, "--repeat", 60, *price, "--max-cost", 0.0002) == 3
    sent = [one for one in folder.provider.completions() if one.model == "m"]
    # One more goes as long as its limit fits: until 34 have cost $0.000102.
    assert len(sent) == 34
    assert sum(entry["cost"] or 0 for entry in folder.entries()) <= 0.0002


@pytest.mark.parametrize("limit", ["nan", "-1", "inf", "much"])
def test_a_limit_that_is_no_amount_is_refused(folder: Folder, limit: str) -> None:
    record = folder.record("Hi")
    price = ("--price", "scripted=1,1")
    with pytest.raises(SystemExit):
        folder.rerun(record, *price, "--max-cost", limit)
    assert folder.rerun(record, "--price", f"scripted={limit},1", "--max-cost", 1) == 2
    assert folder.bodies() == []


def test_what_a_provider_says_does_not_control_the_terminal(folder: Folder, capsys: Any) -> None:
    error = {"error": {"message": "no\x1b[2J\x1b]0;all is well\x07"}}
    folder.provider.script({"status": 401, "steps": [{"body": error}]})
    record = folder.record("Hi")
    assert main(["rerun", str(record), "--out", str(folder.out)]) == 3
    said = "".join(capsys.readouterr())
    assert "all is well" in said
    assert "\x1b" not in said and "\x07" not in said


def test_a_cost_that_cannot_be_known_is_refused(folder: Folder, capsys: Any) -> None:
    assert folder.rerun(folder.record("Hi"), "--max-cost", 1) == 2
    assert "--price test/scripted=INPUT,OUTPUT" in capsys.readouterr().err
    assert folder.bodies() == []


def test_a_dry_run_sends_nothing_and_says_what_it_would(folder: Folder, capsys: Any) -> None:
    record = folder.record("Hi", max_tokens=10)
    assert folder.rerun(record) == 0
    capsys.readouterr()
    arguments = ["rerun", str(record), "--out", str(folder.out), "--repeat", "3", "--dry-run"]
    assert main([*arguments, "--price", "scripted=1,2"]) == 0
    said = capsys.readouterr().out
    assert "2 requests to send, 1 are in the store" in said
    assert "~20 tokens out, ~$0.000" in said
    assert len(folder.bodies()) == 1


def test_the_wrong_key_stops_the_provider_and_the_right_one_goes_on(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = folder.record("Hi")
    monkeypatch.setenv("TEST_KEY", "sk-wrong-0123456789")
    assert folder.rerun(record, "--repeat", 3, "--concurrency", 1) == 3
    assert len(folder.bodies()) == 1
    monkeypatch.setenv("TEST_KEY", "sk-canary-0123456789abcdef")
    assert folder.rerun(record, "--repeat", 3) == 0
    for file in folder.home.iterdir():
        assert not file.is_file() or b"sk-canary" not in file.read_bytes()


def test_progress_for_programs_is_json_lines(folder: Folder, capsys: Any) -> None:
    record = folder.record("Hi")
    assert main(["rerun", str(record), "--out", str(folder.out), "--progress", "json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["event"] for line in lines if line["event"] != "progress"] == ["result", "end"]
    assert lines[-1]["states"] == {"done": 1}
    last = [line for line in lines if line["event"] == "progress"][-1]
    assert (last["done"], last["total"], last["secondsLeft"]) == (1, 1, 0)
