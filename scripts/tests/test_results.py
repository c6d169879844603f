"""The reports of the test tools are read completely."""

from __future__ import annotations

import json
from pathlib import Path

import results


def test_a_retried_test_counts_as_failed(tmp_path: Path) -> None:
    """Playwright calls a test flaky if it passed on a retry."""
    report = tmp_path / "report"
    tried = {"status": "flaky", "results": [{"errors": [{"message": "too late"}]}]}
    spec = {"file": "a.spec.ts", "line": 3, "title": "works", "tests": [tried]}
    report.write_text(
        json.dumps(
            {
                "stats": {"expected": 1, "unexpected": 0, "flaky": 1, "skipped": 0},
                "errors": [],
                "suites": [{"specs": [spec]}],
            }
        )
    )
    count = results.read_playwright(report)
    assert (count.passed, count.failed) == (1, 1)
    assert count.failures == (results.Failure("a.spec.ts:3 works", "too late"),)


def test_a_spec_that_cannot_be_loaded_is_a_failure(tmp_path: Path) -> None:
    """jest counts no tests in it."""
    report = tmp_path / "report"
    broken = {"status": "failed", "name": "a.spec.ts", "message": "no", "assertionResults": []}
    counts = dict.fromkeys(
        ("numPassedTests", "numFailedTests", "numPendingTests", "numTodoTests"), 0
    )
    report.write_text(
        json.dumps({**counts, "numRuntimeErrorTestSuites": 1, "testResults": [broken]})
    )
    count = results.read_jest(report)
    assert count.failed == 1
    assert count.failures == (results.Failure("a.spec.ts", "no"),)


def test_an_error_in_a_fixture_is_a_failure(tmp_path: Path) -> None:
    """pytest counts errors separately; here they are failures."""
    report = tmp_path / "report"
    report.write_text(
        '<testsuites><testsuite tests="2" failures="0" errors="1" skipped="0">'
        '<testcase classname="a" name="good"/>'
        '<testcase classname="a" name="bad"><error message="m">why</error></testcase>'
        "</testsuite></testsuites>"
    )
    count = results.read_junit(report)
    assert (count.passed, count.failed) == (1, 1)
    assert count.failures == (results.Failure("a::bad", "why"),)
