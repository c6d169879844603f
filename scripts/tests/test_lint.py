"""Each linter counts as one test of `make test`."""

from __future__ import annotations

import sys
from pathlib import Path

import lint
import pytest
import results

CONTENT = [sys.executable, "-c", "print('nothing to say')"]
COMPLAINS = [sys.executable, "-c", "print('line 3: unused'); raise SystemExit(1)"]


def run(
    monkeypatch: pytest.MonkeyPatch, report: Path, linters: dict[str, list[str]]
) -> tuple[int, results.Count]:
    monkeypatch.setattr(lint, "LINTERS", linters)
    monkeypatch.setattr(sys, "argv", ["lint.py", f"--report={report}"])
    return lint.main(), results.read_checks(report)


def test_each_linter_is_a_test_and_the_rest_run_after_one_complains(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    linters = {"first": COMPLAINS, "second": CONTENT, "missing": ["no-such-linter"]}
    code, count = run(monkeypatch, tmp_path / "report", linters)
    assert code == 1
    assert (count.passed, count.failed) == (1, 2)
    first, missing = count.failures
    assert (first.name, first.details) == ("first", "line 3: unused\n")
    assert missing.name == "missing" and "no-such-linter" in missing.details
    said = capsys.readouterr().out
    assert said.index("==> first") < said.index("line 3: unused") < said.index("==> second")
    assert "Not clean: first, missing." in said


def test_all_content(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code, count = run(monkeypatch, tmp_path / "report", {"first": CONTENT, "second": CONTENT})
    assert code == 0
    assert count == results.Count(passed=2)
