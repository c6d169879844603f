"""What a rerun writes: the results notebook, its statistics and reports, and what checks them."""

from __future__ import annotations

import copy
import json
import sqlite3
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.rerun.answer import Reply
from jupyterlab_turnbook.rerun.notebook import table
from jupyterlab_turnbook.rerun.reading import verify_results
from jupyterlab_turnbook.rerun.stats import signature, stats_of
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider
from jupyterlab_turnbook.scripted_provider.formats import FORMATS

from .rerun_support import Folder, settle
from .test_records import leaves, other
from .test_rerun import says


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


def stream(text: str) -> bytes:
    chunk = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}
    return f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()


def call(name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    calls = [{"index": 0, "id": "c1", "type": "function", "function": function}]
    return {"steps": [{"tool_calls": calls}, {"finish": "tool_calls"}, {"done": True}]}


def report_of(folder: Folder, *arguments: object) -> Any:
    path = folder.home / "report.json"
    folder.rerun(*arguments, "--json", path)
    return json.loads(path.read_text())


def test_it_is_a_valid_notebook_that_verify_accepts(folder: Folder, capsys: Any) -> None:
    folder.rerun(folder.record("Hi"), "--repeat", 2, "--set", "temperature=0.5")
    assert main(["verify", str(folder.out)]) == 0
    assert "2 responses in results.rerun.sqlite were checked" in capsys.readouterr().out
    notebook = nbformat.read(folder.out, as_version=4)
    nbformat.validate(notebook)
    # As a server saves it: texts as lists of lines, keys sorted.
    nbformat.write(notebook, folder.out)
    assert verify_results(folder.out).problems == []


def test_every_changed_value_is_found(folder: Folder) -> None:
    folder.provider.script(says('{"a": 1}'), call("look", '{"b": 2, "a": 1}'))
    folder.rerun(folder.record("Hi", stream("no")), "--repeat", 2, "--set", "top_p=1")
    notebook = json.loads(folder.out.read_text())
    count = 0
    for path in leaves(notebook):
        if path[0] != "cells" and path[:2] != ("metadata", "turnbook"):
            continue
        if path[-1] == "format":
            continue
        changed = copy.deepcopy(notebook)
        owner = changed
        for key in path[:-1]:
            owner = owner[key]
        owner[path[-1]] = other(owner[path[-1]])
        folder.out.write_text(json.dumps(changed))
        assert verify_results(folder.out).problems, path
        count += 1
    assert count > 60


def test_a_byte_changed_in_the_store_or_a_lost_cell_is_found(folder: Folder) -> None:
    folder.rerun(folder.record("Hi"), "--repeat", 2)
    good = folder.out.read_text()
    notebook = json.loads(good)
    del notebook["cells"][-1]
    folder.out.write_text(json.dumps(notebook))
    assert verify_results(folder.out).problems
    folder.out.write_text(good)
    with sqlite3.connect(folder.home / "results.rerun.sqlite") as db:
        db.execute("UPDATE attempts SET body = (SELECT body FROM attempts WHERE repeat = 1)")
        assert verify_results(folder.out).problems == []
        db.execute("UPDATE attempts SET body = ? WHERE repeat = 2", (zlib.compress(stream("no")),))
    db.close()
    assert verify_results(folder.out).problems == ["Reply 2: the stored response has another hash."]


def test_statistics_count_outputs_tools_json_and_tokens(folder: Folder) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    folder.provider.script(
        says('{"n": 1}', usage=usage),
        says('{"n": 1}', usage=usage),
        says('{"n": "x"}', usage=usage),
        call("look", '{"b": 2, "a": 1}'),
        call("look", '{"a":1,"b":2}'),
    )
    schema = folder.home / "schema.json"
    schema.write_text(json.dumps({"type": "object", "properties": {"n": {"type": "number"}}}))
    record = folder.record("Hi")
    arguments = ("--repeat", 5, "--schema", schema, "--price", "scripted=1,2", "--concurrency", 1)
    group = report_of(folder, record, *arguments, "--fail-on", "invalid")["groups"][0]
    assert (group["done"], group["distinct"], group["agreement"]) == (5, 3, 0.4)
    assert group["tools"] == {'look({"a":1,"b":2})': 2}
    assert group["valid"] == 2
    assert group["length"] == [0, 8, 10]
    assert (group["input"], group["output"]) == (32, 15)
    assert group["cost"] == pytest.approx((32 * 1 + 15 * 2) / 1e6)
    assert folder.rerun(record, *arguments, "--fail-on", "invalid") == 1
    assert folder.rerun(record, *arguments) == 0
    # What is between two bare dollar signs would be a formula.
    assert r"| \$0.000062 |" in json.loads(folder.out.read_text())["cells"][1]["source"]


def test_statistics_have_the_medians_of_times_of_whole_replies(folder: Folder) -> None:
    folder.provider.script(*[says("Hi")] * 4, {"steps": [{"delta": "Hi"}, {"cut": True}]})
    folder.rerun(folder.record("Hi"), "--repeat", 5, "--concurrency", 1)
    entries = folder.entries()
    assert [entry["state"] for entry in entries] == [*["done"] * 4, "broken"]
    times = [(250, 900), (100, 400), (None, 500), (1240, 3000), (9000, 9000)]
    for entry, (first, ended) in zip(entries, times, strict=True):
        entry["response"] |= {"first": first, "ended": ended}
    stats = stats_of(entries)
    # Of three that have a first token, and of four that ended.
    assert (stats.first_ms, stats.took_ms) == (250, 700)
    results = json.loads(folder.out.read_text())["metadata"]["turnbook"]["results"]
    head, _, row = (
        [cell.strip() for cell in line.split("|")] for line in table(results, entries).splitlines()
    )
    shown = dict(zip(head, row, strict=True))
    assert (shown["First token"], shown["Time"]) == ("0.25 s", "0.70 s")
    none = stats_of(entries[4:])
    assert (none.first_ms, none.took_ms) == (None, None)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_replies_are_read_in_the_format_of_each_service(folder: Folder, name: str) -> None:
    folder.provider.script(name)
    folder.rerun(folder.record("Hi"))
    assert verify_results(folder.out).problems == []
    reply = Reply.of(folder.entries()[0]["reply"])
    wanted = FORMATS[name]
    assert reply.content == wanted.text
    assert bool(signature(reply)) == name.endswith("-calls")


def test_a_changed_reply_fails_where_that_is_asked_for(folder: Folder) -> None:
    same = folder.record("Hi", stream("You said: Hi"))
    changed = folder.record("Ho", stream("Something else"))
    assert folder.rerun(same, "--fail-on", "changed") == 0
    both = folder.home / "both.ipynb"
    assert folder.rerun(same, changed, out=both) == 0
    assert folder.rerun(same, changed, "--fail-on", "changed", out=both) == 1
    assert [entry["changed"] for entry in folder.entries(both)] == [False, True]


def test_results_are_compared_with_earlier_ones(folder: Folder, capsys: Any) -> None:
    record = folder.record("Hi")
    a, b = folder.home / "a.ipynb", folder.home / "b.ipynb"
    folder.rerun(record, "--repeat", 2, out=a)
    folder.provider.script(says("You said:\nHo"))
    assert (
        folder.rerun(
            record, "--repeat", 2, "--concurrency", 1, "--against", a, "--fail-on", "changed", out=b
        )
        == 1
    )
    assert [entry["changed"] for entry in folder.entries(b)] == [True, False]
    capsys.readouterr()
    assert main(["diff", str(a), str(b)]) == 1
    said = capsys.readouterr().out
    assert "-You said: Hi" in said and "+Ho" in said and "1 same, 1 changed" in said
    assert main(["diff", str(a), str(a)]) == 0
    capsys.readouterr()
    assert main(["diff", "--json", str(a), str(b)]) == 1
    assert [each["kind"] for each in json.loads(capsys.readouterr().out)] == ["changed", "same"]
    assert main(["diff", str(a), str(record)]) == 2


CHECKS = """
import os, signal

def check_short(reply):
    assert len(reply["content"]) < 20, "too long"

def check_polite(reply):
    print("looking at", reply["model"])
    return "please" in reply["content"]

def check_env(reply):
    assert "TEST_KEY" not in os.environ

def check_alive(reply):
    if "die" in reply["content"]:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_checks_of_the_user_run_in_their_own_process(folder: Folder) -> None:
    checks = folder.home / "checks.py"
    checks.write_text(CHECKS)
    folder.provider.script(says("please"), says("die now"), says("please say no more than this"))
    record = folder.record("Hi")
    junit = folder.home / "junit.xml"
    arguments = (record, "--repeat", 3, "--concurrency", 1, "--check", checks, "--junit", junit)
    assert folder.rerun(*arguments) == 0
    found = [[check["passed"] for check in entry["checks"]] for entry in folder.entries()]
    assert found == [[True] * 4, [False] * 4, [False, True, True, True]]
    assert verify_results(folder.out).problems == []
    assert folder.rerun(*arguments, "--fail-on", "check") == 1
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2", "0")
    assert "too long" in (suite[2][0].get("message") or "")


@pytest.mark.parametrize(
    ("text", "words"), [("x = 1", "no function"), ("1/0", "ZeroDivisionError")]
)
def test_a_file_without_checks_is_reported(
    folder: Folder, text: str, words: str, capsys: Any
) -> None:
    checks = folder.home / "checks.py"
    checks.write_text(text)
    assert folder.rerun(folder.record("Hi"), "--check", checks) == 2
    assert words in capsys.readouterr().err
    assert folder.bodies() == []
