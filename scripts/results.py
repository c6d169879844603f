"""Reads the reports of the test tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree


@dataclass(frozen=True)
class Failure:
    """A test that failed, and its output."""

    name: str
    details: str = ""


@dataclass(frozen=True)
class Count:
    """How many tests of a suite passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[Failure, ...] = ()

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.failures + other.failures,
        )

    @property
    def ran(self) -> int:
        """Tests that were not skipped."""
        return self.passed + self.failed


def read_jest(file: Path) -> Count:
    """Read `jest --json`; a file that could not be loaded is one failure."""
    report = json.loads(file.read_text())
    return Count(
        passed=report["numPassedTests"],
        failed=report["numFailedTests"] + report["numRuntimeErrorTestSuites"],
        skipped=report["numPendingTests"] + report["numTodoTests"],
        failures=tuple(
            failure
            for tested in report["testResults"]
            if tested["status"] == "failed"
            for failure in _failed_in(tested)
        ),
    )


def _failed_in(file: dict[str, Any]) -> list[Failure]:
    """The tests of a file that failed; the file itself, if it could not be loaded."""
    return [
        Failure(test["fullName"], "\n".join(test["failureMessages"]))
        for test in file["assertionResults"]
        if test["status"] == "failed"
    ] or [Failure(file["name"], file["message"])]


def read_junit(file: Path) -> Count:
    """Read `pytest --junitxml`; an error in a fixture is a failure."""
    total = Count()
    for suite in ElementTree.parse(file).getroot().iter("testsuite"):
        tests, *bad, skipped = (
            int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")
        )
        failed = sum(bad)
        failures = tuple(
            Failure(f"{case.get('classname')}::{case.get('name')}", verdict.text or "")
            for case in suite.iter("testcase")
            for verdict in case
            if verdict.tag in ("failure", "error")
        )
        total += Count(max(tests - failed - skipped, 0), failed, skipped, failures)
    return total


def read_playwright(file: Path) -> Count:
    """Read Playwright's JSON report; an error outside any test is a failure.

    No test is retried; one that was retried counts as failed.
    """
    report = json.loads(file.read_text())
    stats = report["stats"]
    outside = [
        Failure("outside of any test", error.get("message", "")) for error in report["errors"]
    ]
    return Count(
        passed=stats["expected"],
        failed=stats["unexpected"] + stats["flaky"] + len(outside),
        skipped=stats["skipped"],
        failures=(*_unexpected(report), *outside),
    )


def _unexpected(suite: dict[str, Any]) -> Iterator[Failure]:
    for spec in suite.get("specs", []):
        for test in spec["tests"]:
            if test["status"] in ("unexpected", "flaky"):
                said = [e.get("message", "") for r in test["results"] for e in r.get("errors", [])]
                yield Failure(f"{spec['file']}:{spec['line']} {spec['title']}", "\n".join(said))
    for inner in suite.get("suites", []):
        yield from _unexpected(inner)


def read_checks(file: Path) -> Count:
    """Read the list of `[name, passed, output?]` from `lint.py`, `wheel_check.py` and `faults`."""
    checks = json.loads(file.read_text())
    failed = tuple(Failure(name, *said) for name, good, *said in checks if not good)
    return Count(len(checks) - len(failed), len(failed), failures=failed)
