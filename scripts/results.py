"""Read what the test tools write about their runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree


@dataclass(frozen=True)
class Count:
    """How many tests of a suite did what."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
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
    )


def read_junit(file: Path) -> Count:
    """`pytest --junitxml`; an error in a fixture is a failure."""
    total = Count()
    for suite in ElementTree.parse(file).getroot().iter("testsuite"):
        tests, failures, errors, skipped = (
            int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")
        )
        failed = failures + errors
        total += Count(max(tests - failed - skipped, 0), failed, skipped)
    return total


def read_playwright(file: Path) -> Count:
    """Playwright's JSON report; an error outside of any test is a failure.

    A flaky test passed at its second try, which there is in CI alone.
    """
    report = json.loads(file.read_text())
    stats = report["stats"]
    return Count(
        passed=stats["expected"] + stats["flaky"],
        failed=stats["unexpected"] + len(report["errors"]),
        skipped=stats["skipped"],
    )


def read_checks(file: Path) -> Count:
    """The list of `[name, passed]` that `wheel_check.py` and `faults` write."""
    checks = json.loads(file.read_text())
    passed = sum(1 for _, good in checks if good)
    return Count(passed, len(checks) - passed)
