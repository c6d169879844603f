"""What a rerun is judged by is known before it sends, and what it paid for is always reported."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from jupyterlab_turnbook.records.make import write
from jupyterlab_turnbook.rerun.reading import verify_results
from jupyterlab_turnbook.rerun.report import why_failed
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import Folder, payload_of, record_of, settle
from .test_rerun import says
from .test_rerun_results import stream


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fail-on", "changed"], "has no response to compare with"),
        (["--fail-on", "changed", "--against", "few.ipynb"], "compare with for 1 of 2 replies"),
        (["--fail-on", "check"], "Name it with --check"),
        (["--fail-on", "invalid"], "Name it with --schema"),
        (["--schema", "nowhere.json"], "#/$defs/no cannot be used"),
        (["--schema", "endless.json"], "cannot be used: RecursionError"),
        (["--json", "no/report.json"], "cannot be written"),
        (["--junit", "config"], "is a folder"),
        (["--check", "broken.py"], "SyntaxError"),
    ],
)
def test_what_cannot_be_judged_or_written_is_refused_before_anything_is_sent(
    folder: Folder,
    arguments: list[str],
    words: str,
    capsys: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder.home)
    record = folder.record("Hi")
    items = {"type": "array", "items": {"$ref": "#/$defs/no"}}
    Path("nowhere.json").write_text(json.dumps(items))
    Path("endless.json").write_text('{"$ref": "#"}')
    Path("broken.py").write_text("def check_a(reply:")
    assert folder.rerun(record, out=folder.home / "few.ipynb") == 0
    capsys.readouterr()
    assert folder.rerun(record, "--repeat", 2, *arguments) == 2
    assert words in capsys.readouterr().err
    assert len(folder.bodies()) == 1
    assert not folder.out.exists()


def test_a_schema_whose_references_can_be_followed_is_used(folder: Folder) -> None:
    folder.provider.script(says("[1, 2]"), says('[1, "a"]'))
    schema = folder.home / "schema.json"
    node = {"type": "integer"}
    parts = {"n": node, "list": {"type": "array", "items": {"$ref": "#/$defs/n"}}}
    schema.write_text(json.dumps({"$defs": parts, "$ref": "#/$defs/list"}))
    arguments = ("--repeat", 2, "--concurrency", 1, "--schema", schema, "--fail-on", "invalid")
    assert folder.rerun(folder.record("Hi"), *arguments) == 1
    assert [entry["valid"] for entry in folder.entries()] == [True, False]


def test_what_was_not_compared_is_a_failure() -> None:
    entry: dict[str, Any] = {"state": "done", "changed": None, "valid": None, "checks": []}
    assert why_failed(entry, ["changed"]) == [
        "not compared: there is no reply that it can be compared with"
    ]
    assert why_failed({**entry, "changed": False}, ["changed"]) == []


def test_the_same_payload_to_two_providers_is_two_requests(
    folder: Folder, make_scripted_provider: Callable[[], ThreadedScriptedProvider]
) -> None:
    other = make_scripted_provider()
    folder.configure(other={"base_url": other.url})
    payload = payload_of("Hi")
    names = [("a", "test", "You said: Hi"), ("c", "other", "Something else")]
    for name, provider, said in names:
        path = folder.home / f"{name}.replay.ipynb"
        write(record_of(payload, provider, stream(said)), path)
    write(record_of(payload_of("Ho"), "test", stream("Ho")), folder.home / "b.replay.ipynb")
    assert folder.rerun(folder.home) == 0
    found = [(entry["provider"], entry["changed"]) for entry in folder.entries()]
    assert found == [("test", False), ("other", True), ("test", True)]
    assert (len(folder.bodies()), len(other.completions())) == (2, 1)
    assert verify_results(folder.out).problems == []
    # A model that is named with its provider is asked once.
    assert folder.rerun(folder.home, "--model", "other/m", out=folder.home / "m.ipynb") == 0
    assert len(other.completions()) == 3


def test_a_store_that_fails_midway_still_leads_to_reports(
    folder: Folder, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    json_report, junit = folder.home / "report.json", folder.home / "junit.xml"
    arguments = ("--repeat", 3, "--concurrency", 1, "--json", json_report, "--junit", junit)
    record = folder.record("Hi")
    assert folder.rerun(record) == 0
    with sqlite3.connect(folder.home / "results.rerun.sqlite") as db:
        db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON attempts WHEN NEW.repeat = 3"
            " BEGIN SELECT abs(-9223372036854775808); END"
        )
    db.close()
    assert folder.rerun(record, *arguments) == 3
    assert "cannot be used: integer overflow" in capsys.readouterr().err
    told = json.loads(json_report.read_text())
    assert [reply["state"] for reply in told["replies"]] == ["done", "done", "missing"]
    assert ElementTree.parse(junit).getroot()[0].get("errors") == "1"
    # Before anything was sent, it is another code.
    assert folder.rerun(record, *arguments) == 2
