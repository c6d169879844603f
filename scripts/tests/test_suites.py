"""What `make test` reports for a suite that does not run."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import quiet
import results


@pytest.fixture
def suites(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """`scripts/test.py`, loaded under another name because Python has a package `test`."""
    spec = importlib.util.spec_from_file_location(
        "suites", Path(quiet.__file__).with_name("test.py")
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "suites", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(quiet, "ROOT", tmp_path)
    monkeypatch.setattr(quiet, "LOGS", tmp_path / ".logs")
    monkeypatch.setattr(sys, "argv", ["test.py"])
    return module


@pytest.mark.parametrize("before", ["of the last run\n", None])
def test_a_suite_that_cannot_be_prepared_shows_no_old_log(
    suites: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    before: str | None,
) -> None:
    if before is not None:
        quiet.LOGS.mkdir()
        quiet.log_path("UI").write_text(before)

    def prepare() -> dict[str, str]:
        raise FileNotFoundError("the model is missing")

    suite = suites.Suite("UI", "ui", lambda report: ["false"], results.read_junit, "x", prepare)
    monkeypatch.setattr(suites, "SUITES", [suite])
    assert suites.main() == 1
    said = capsys.readouterr().out
    assert "of the last run" not in said
    assert "did not run: the model is missing" in said and "| the model is missing" in said


def test_lint_comes_first_and_counts_as_many_tests_as_there_are_linters(
    suites: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = suites.SUITES[0]
    assert suite.group == "lint"
    # The real suite, with linters that need nothing installed.
    script = "import lint, sys; lint.LINTERS = {'one': ['true'], 'two': ['false']}; sys.exit(lint.main())"
    command = suite.command

    def shortened(report: Path) -> list[str]:
        python, program, *rest = command(report)
        folder = str(Path(program).parent)
        return [python, "-c", f"import sys; sys.path.insert(0, {folder!r}); {script}", *rest]

    monkeypatch.setattr(suites, "SUITES", [dataclasses.replace(suite, command=shortened)])
    assert suites.main() == 1
    said = capsys.readouterr().out
    assert "FAILED two" in said
    assert said.endswith("1 passed, 1 failed\n")


def test_suites_of_one_core_run_beside_each_other_and_those_of_two_alone(
    suites: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: list[str] = []
    beside: dict[str, set[str]] = {}
    together = threading.Barrier(2)

    def work(suite: Any) -> None:
        running.append(suite.name)
        if suite.cores == 1:
            # Goes on only when the other one runs too.
            together.wait(timeout=60)
        beside[suite.name] = set(running)
        if suite.cores == 1:
            together.wait(timeout=60)
        running.remove(suite.name)

    def suite(name: str, cores: int) -> Any:
        return suites.Suite(name, name, lambda _: ["true"], results.read_checks, "x", cores=cores)

    suites.in_turn([suite("a", 1), suite("b", 1), suite("c", 2), suite("d", 2)], work)
    assert beside == {"a": {"a", "b"}, "b": {"a", "b"}, "c": {"c"}, "d": {"d"}}


def test_an_error_in_one_suite_is_not_lost(suites: ModuleType) -> None:
    def work(suite: Any) -> None:
        raise RuntimeError("broken")

    one = suites.Suite("a", "a", lambda _: ["true"], results.read_checks, "x")
    with pytest.raises(RuntimeError, match="broken"):
        suites.in_turn([one], work)


def test_of_a_long_failure_the_end_is_shown_too(
    suites: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = suites.SUITES[0]
    details = "\n".join(f"line {n}" for n in range(1, 101))
    count = results.Count(failed=1, failures=(results.Failure("one", details),))
    suites.show_failures(suite, count)
    said = capsys.readouterr().out
    shown = [line.removeprefix("    | ") for line in said.splitlines() if line.startswith("    | ")]
    kept = [f"line {n}" for n in (*range(1, 31), *range(71, 101))]
    assert shown == [*kept[:30], "… 40 lines are in the log …", *kept[30:]]
