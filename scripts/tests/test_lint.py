"""Each linter counts as one test of `make test`."""

from __future__ import annotations

import sys
from pathlib import Path

import lint
import pytest
import results

PASSES = [sys.executable, "-c", "print('no problems')"]
FAILS = [sys.executable, "-c", "print('line 3: unused'); raise SystemExit(1)"]


def run(
    monkeypatch: pytest.MonkeyPatch, report: Path, linters: dict[str, list[str]]
) -> tuple[int, results.Count]:
    monkeypatch.setattr(lint, "LINTERS", linters)
    monkeypatch.setattr(sys, "argv", ["lint.py", f"--report={report}"])
    return lint.main(), results.read_checks(report)


def test_each_linter_is_a_test_and_the_rest_run_after_one_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    linters = {"first": FAILS, "second": PASSES, "missing": ["no-such-linter"]}
    code, count = run(monkeypatch, tmp_path / "report", linters)
    assert code == 1
    assert (count.passed, count.failed) == (1, 2)
    first, missing = count.failures
    assert (first.name, first.details) == ("first", "line 3: unused\n")
    assert missing.name == "missing" and "no-such-linter" in missing.details
    said = capsys.readouterr().out
    assert said.index("==> first") < said.index("line 3: unused") < said.index("==> second")
    assert "Not clean: first, missing." in said


def test_all_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code, count = run(monkeypatch, tmp_path / "report", {"first": PASSES, "second": PASSES})
    assert code == 0
    assert count == results.Count(passed=2)
