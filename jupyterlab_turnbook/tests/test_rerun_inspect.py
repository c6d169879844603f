"""Logs of Inspect: the shape that its documentation describes, read back by itself if it is there."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.rerun.reading import verify_results
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import Folder, settle
from .test_rerun import says

PYTHON = os.environ.get("TURNBOOK_INSPECT_PYTHON")
"""A Python with `inspect_ai`, if this one lacks it."""

READ = """
import json, sys
from inspect_ai.log import read_eval_log
found = []
for path in sys.argv[1:]:
    log = read_eval_log(path)
    found.append([log.eval.model, log.status, [
        [s.id, s.epoch, s.output.completion, s.output.usage.total_tokens if s.output.usage else None,
         [m.role for m in s.messages], [c.function for c in s.output.message.tool_calls or []],
         {name: score.value for name, score in (s.scores or {}).items()}]
        for s in log.samples]])
print(json.dumps(found))
"""


@pytest.fixture
def logs(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> list[Path]:
    folder = settle(Folder(tmp_path, provider), monkeypatch.setenv)
    checks = tmp_path / "checks.py"
    checks.write_text("def check_short(reply):\n    return len(reply['content']) < 3\n")
    call = [{"index": 0, "id": "c", "function": {"name": "look", "arguments": '{"a": 1}'}}]
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    provider.script(
        says("No", usage=usage),
        {"steps": [{"reasoning": "Hm"}, {"tool_calls": call}, {"finish": "tool_calls"}]},
        model="a",
    )
    provider.script({"steps": [{"cut": True}]}, model="b")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What?"}, picture]},
        {
            "role": "assistant",
            "tool_calls": [{"id": "t", "function": {"name": "f", "arguments": "{"}}],
        },
        {"role": "tool", "tool_call_id": "t", "content": "5"},
    ]
    record = folder.record("", messages=messages)
    more = ("--model", "a,b", "--repeat", 2, "--concurrency", 1, "--check", checks)
    assert folder.rerun(record, *more) == 3
    assert main(["inspect", str(folder.out), "--output", str(tmp_path / "logs")]) == 0
    return sorted((tmp_path / "logs").glob("*.json"))


def test_records_of_the_same_name_are_samples_and_cases_of_their_own(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = settle(Folder(tmp_path, provider), monkeypatch.setenv)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        folder.record(name).rename(tmp_path / name / "same.replay.ipynb")
    junit = tmp_path / "junit.xml"
    assert folder.rerun(tmp_path / "one", tmp_path / "other", "--junit", junit) == 0
    assert main(["inspect", str(folder.out), "--output", str(tmp_path / "logs")]) == 0
    [path] = (tmp_path / "logs").glob("*.json")
    log = json.loads(path.read_text())
    ids = [sample["id"] for sample in log["samples"]]
    assert len({*ids}) == 2 and log["eval"]["dataset"]["sample_ids"] == ids
    cases = [case.get("classname") for case in ElementTree.parse(junit).getroot().iter("testcase")]
    assert cases == [f"{each}.test/scripted" for each in ids]
    assert verify_results(folder.out).problems == []


def test_the_log_has_the_documented_shape(logs: list[Path]) -> None:
    by_model: dict[str, Any] = {}
    for path in logs:
        log = json.loads(path.read_text())
        by_model[log["eval"]["model"]] = log
        assert log["version"] == 2
        assert {"task", "created", "dataset", "config", "model"} <= set(log["eval"])
        for sample in log["samples"]:
            assert {"id", "epoch", "input", "target", "messages", "output"} <= set(sample)
    one, other = by_model["test/a"], by_model["test/b"]
    assert (one["status"], other["status"]) == ("success", "error")
    assert [sample["epoch"] for sample in one["samples"]] == [1, 2]
    assert one["samples"][0]["scores"] == {"check_short": {"value": "C", "explanation": None}}
    assert other["samples"][0]["error"]["message"]
    assert len(one["samples"][0]["metadata"]["request_sha256"]) == 64


def test_samples_have_the_messages_that_were_sent(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = settle(Folder(tmp_path, provider), monkeypatch.setenv)
    record = folder.record("Hi")
    brief = "messages.0.content=Be brief."
    odd = 'messages=["Hi", {"role": "user", "content": "Ho"}]'
    for name, change in (("brief", brief), ("odd", odd), ("none", "messages=Hm")):
        out = tmp_path / f"{name}.ipynb"
        assert folder.rerun(record, "--set", change, out=out) == 0
        assert main(["inspect", str(out), "--output", str(tmp_path / name)]) == 0
        [path] = (tmp_path / name).glob("*.json")
        [sample] = json.loads(path.read_text())["samples"]
        said = [(each["role"], each["content"]) for each in sample["input"]]
        texts = {"brief": ["Be brief."], "odd": ["Hi", "Ho"], "none": ["Hm"]}[name]
        assert said == [("user", text) for text in texts]
        assert sample["messages"][: len(said)] == sample["input"]


@pytest.mark.skipif(
    PYTHON is None and importlib.util.find_spec("inspect_ai") is None,
    reason="inspect_ai is not installed, and TURNBOOK_INSPECT_PYTHON names no Python that has it",
)
def test_inspect_reads_it_back(logs: list[Path]) -> None:
    python = PYTHON or "python"
    done = subprocess.run(
        [python, "-c", READ, *map(str, logs)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = {model: (status, samples) for model, status, samples in json.loads(done.stdout)}
    roles = ["system", "user", "assistant", "tool", "assistant"]
    name = found["test/a"][1][0][0]
    assert found["test/a"] == (
        "success",
        [
            [name, 1, "No", 5, roles, [], {"check_short": "C"}],
            [name, 2, "", 2, roles, ["look"], {"check_short": "C"}],
        ],
    )
    assert found["test/b"][0] == "error"
