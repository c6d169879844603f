"""Read what the test tools write about their runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree


@dataclass(frozen=True)
class Count:
    """How many tests of a suite did what."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    named: tuple[str, ...] = ()
    """What failed, or passed at its second try alone."""

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.named + other.named,
        )

    @property
    def ran(self) -> int:
        """Tests that were really run."""
        return self.passed + self.failed


def read_jest(file: Path) -> Count:
    """`jest --json`; a file that could not be loaded is one failure."""
    report = json.loads(file.read_text())
    return Count(
        passed=report["numPassedTests"],
        failed=report["numFailedTests"] + report["numRuntimeErrorTestSuites"],
        skipped=report["numPendingTests"] + report["numTodoTests"],
        named=tuple(
            f"failed: {name}"
            for tested in report["testResults"]
            if tested["status"] == "failed"
            for name in _failed_in(tested)
        ),
    )


def _failed_in(file: dict[str, Any]) -> list[str]:
    """The tests of a file that failed; the file itself, if it could not be loaded."""
    failed = [test for test in file["assertionResults"] if test["status"] == "failed"]
    return [test["fullName"] for test in failed] or [file["name"]]


def read_junit(file: Path) -> Count:
    """`pytest --junitxml`; an error in a fixture is a failure."""
    total = Count()
    for suite in ElementTree.parse(file).getroot().iter("testsuite"):
        tests, failures, errors, skipped = (
            int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")
        )
        failed = failures + errors
        named = tuple(
            f"failed: {case.get('classname')}::{case.get('name')}"
            for case in suite.iter("testcase")
            if case.find("failure") is not None or case.find("error") is not None
        )
        total += Count(max(tests - failed - skipped, 0), failed, skipped, named)
    return total


def read_playwright(file: Path) -> Count:
    """Playwright's JSON report; an error outside of any test is a failure.

    A flaky test passed at its second try.
    """
    report = json.loads(file.read_text())
    stats = report["stats"]
    return Count(
        passed=stats["expected"] + stats["flaky"],
        failed=stats["unexpected"] + len(report["errors"]),
        skipped=stats["skipped"],
        named=tuple(_unexpected(report)),
    )


def _unexpected(suite: dict[str, Any]) -> Iterator[str]:
    for spec in suite.get("specs", []):
        for test in spec["tests"]:
            if test["status"] in ("unexpected", "flaky"):
                said = "failed" if test["status"] == "unexpected" else "flaky"
                yield f"{said}: {spec['file']}:{spec['line']} {spec['title']}"
    for inner in suite.get("suites", []):
        yield from _unexpected(inner)


def read_checks(file: Path) -> Count:
    """The list of `[name, passed]` that `wheel_check.py` and `faults` write."""
    checks = json.loads(file.read_text())
    failed = tuple(f"failed: {name}" for name, good in checks if not good)
    return Count(len(checks) - len(failed), len(failed), named=failed)
