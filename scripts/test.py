"""Runs the test suites and adds up their results.

    python scripts/test.py [lint|docs|jest|pytest|faults|hub|wheel|ui]

The output of a suite goes to a log in .logs/. Failures are printed in full above the last line,
`N passed, N failed`. A suite that did not run, ran no test, or failed without naming a failed test
counts as one failure. No test is retried. Suites that use one core, or hardly any, run beside others;
those that use two take turns.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import chromium
import lab_env
import quiet
import results
import rtc_env
from results import Count

from jupyterlab_turnbook.local.fetch import default_data_dir
from jupyterlab_turnbook.local.files import find_model

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(__file__).resolve().parent
DETAILS = 60
"""How many lines of a failed test are shown: half from its beginning, half from its end, where
the error is."""

CORES = 2
"""How many cores are used at once. More suites at the same time would only wait for each other."""


@dataclass(frozen=True)
class Suite:
    """A command that writes a report, and how to read it."""

    name: str
    group: str
    command: Callable[[Path], list[str]]
    read: Callable[[Path], Count]
    progress: str
    """A regular expression for the lines that show progress."""
    prepare: Callable[[], dict[str, str]] = field(default=dict)
    cores: int = CORES
    """How many cores it keeps busy."""


def model_path() -> str:
    """The embedded model's file."""
    found = find_model("", default_data_dir())
    if found is None:
        raise FileNotFoundError("the embedded model is missing. Run: make model")
    return str(found)


def prepare_ui() -> dict[str, str]:
    """A browser and the model; two tests at once, since tests spend much of their time waiting."""
    found = chromium.ensure(ROOT)
    environment = {
        "TURNBOOK_PYTHON": sys.executable,
        "TURNBOOK_LOCAL_MODEL": model_path(),
        "TURNBOOK_UI_WORKERS": os.environ.get("TURNBOOK_UI_WORKERS", "2"),
    }
    return {**environment, "TURNBOOK_CHROMIUM": found} if found else environment


def prepare_one() -> dict[str, str]:
    """The same, one test at a time: there are few."""
    return {**prepare_ui(), "TURNBOOK_UI_WORKERS": "1"}


def prepare_collaboration() -> dict[str, str]:
    """The same, and the environment with jupyter-collaboration."""
    rtc_env.add_collaboration()
    return {
        **prepare_ui(),
        "TURNBOOK_RTC_PYTHON": str(rtc_env.PYTHON),
        "TURNBOOK_UI_WORKERS": "1",
    }


def prepare_lab(name: str) -> dict[str, str]:
    """The same, and the environment with another JupyterLab."""
    python = lab_env.ensure(name)
    return {
        **prepare_ui(),
        f"TURNBOOK_{name.upper()}_PYTHON": str(python),
        "TURNBOOK_UI_WORKERS": "1",
    }


INSPECT_TEST = "jupyterlab_turnbook/tests/test_rerun_inspect.py::test_inspect_reads_it_back"


def prepare_inspect() -> dict[str, str]:
    """An environment with Inspect, which asks for too much to be in .venv."""
    return {"TURNBOOK_INSPECT_PYTHON": str(lab_env.packages("others"))}


def faults_suite(part: str) -> Suite:
    """A part of the faults, each at a few places. It waits most of the time, for time-outs and for what comes after a fault."""
    return Suite(
        f"faults, a sample, {part}",
        "faults",
        lambda report: [
            *(sys.executable, "-m", "faults", "--sample"),
            *(f"--part={part}", f"--report={report}"),
        ],
        results.read_checks,
        r"\w",
        cores=0,
    )


def lab_suite(name: str) -> Suite:
    """The smoke of the browser suite in another JupyterLab."""
    return Suite(
        f"UI in the {name} JupyterLab",
        "ui",
        lambda _: playwright(name),
        results.read_playwright,
        PLAYWRIGHT_LINE,
        lambda: prepare_lab(name),
        cores=1,
    )


def playwright(project: str) -> list[str]:
    """Playwright on one project."""
    config = str(ROOT / "ui-tests" / "playwright.config.ts")
    return ["jlpm", "playwright", "test", f"--config={config}", f"--project={project}"]


PLAYWRIGHT_LINE = r"^\S+\s+\d+ "

SUITES = [
    Suite(
        "lint",
        "lint",
        lambda report: [sys.executable, str(SCRIPTS / "lint.py"), f"--report={report}"],
        results.read_checks,
        r"^==> ",
        cores=1,
    ),
    *(faults_suite(part) for part in ("1/2", "2/2")),
    Suite(
        "JupyterHub",
        "hub",
        lambda report: [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n=0",
            "hubs",
            f"--junitxml={report}",
        ],
        results.read_junit,
        r"\[ *\d+%\]$",
        cores=1,
    ),
    Suite(
        "docs",
        "docs",
        lambda report: [sys.executable, str(SCRIPTS / "docs_site.py"), f"--report={report}"],
        results.read_checks,
        r"^==> ",
        cores=1,
    ),
    Suite(
        "wheel in a clean environment",
        "wheel",
        lambda report: [sys.executable, str(SCRIPTS / "wheel_check.py"), str(report)],
        results.read_checks,
        r"\w",
        cores=1,
    ),
    Suite(
        "reruns, read by Inspect",
        "pytest",
        lambda report: [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", INSPECT_TEST],
        results.read_junit,
        r"\[ *\d+%\]$",
        prepare_inspect,
        cores=1,
    ),
    Suite(
        "jest",
        "jest",
        lambda report: ["jlpm", "jest", "--ci", "-w=100%", "--json", f"--outputFile={report}"],
        results.read_jest,
        r"^(PASS|FAIL) ",
    ),
    Suite(
        "pytest",
        "pytest",
        lambda report: [
            *(sys.executable, "-m", "pytest", "-q", "-n=auto", f"--junitxml={report}"),
            f"--deselect={INSPECT_TEST}",
        ],
        results.read_junit,
        r"\[ *\d+%\]$",
    ),
    Suite(
        "UI",
        "ui",
        lambda _: playwright("lab"),
        results.read_playwright,
        PLAYWRIGHT_LINE,
        prepare_ui,
    ),
    Suite(
        "UI in Jupyter Notebook 7",
        "ui",
        lambda _: playwright("notebook"),
        results.read_playwright,
        PLAYWRIGHT_LINE,
        prepare_one,
        cores=1,
    ),
    Suite(
        "UI with jupyter-collaboration",
        "ui",
        lambda _: playwright("collaboration"),
        results.read_playwright,
        PLAYWRIGHT_LINE,
        prepare_collaboration,
        cores=1,
    ),
    # Without requirements of its own, the newest JupyterLab is that of .venv.
    *(lab_suite(name) for name in ("oldest", "newest") if lab_env.requirements(name).exists()),
]


def run(suite: Suite, report: Path) -> tuple[Count, str]:
    """The suite's count, and a remark if it failed as a whole."""
    try:
        environment = {**os.environ, **suite.prepare(), "TURNBOOK_UI_RESULTS": str(report)}
    except (chromium.NoChromiumError, OSError, subprocess.SubprocessError) as error:
        # Replace a log from an earlier run.
        quiet.write_log(suite.name, f"{error}\n")
        return Count(failed=1), f"did not run: {error}"
    wanted = re.compile(suite.progress)
    code = quiet.run(
        suite.name,
        suite.command(report),
        env=environment,
        progress=lambda line: line if wanted.search(line) else None,
        show_end=False,
    )
    try:
        count = suite.read(report)
    except (OSError, ValueError, KeyError, SyntaxError) as error:
        return Count(failed=1), f"left no report that can be read: {error}"
    if count.ran == 0:
        return count + Count(failed=1), "ran no test"
    if code != 0 and count.failed == 0:
        return count + Count(failed=1), f"ended with exit code {code}"
    return count, ""


SAYING = threading.Lock()
"""Held while the failures of a suite are printed."""


def shortened(lines: list[str]) -> list[str]:
    """Leave out the middle of many lines, and say so."""
    left_out = len(lines) - DETAILS
    if left_out <= 0:
        return lines
    half = DETAILS // 2
    return [*lines[:half], f"… {left_out} lines are in the log …", *lines[-half:]]


def show_failures(suite: Suite, count: Count) -> None:
    """Print the output of each failed test, shortened."""
    for failure in count.failures:
        print(f"\n    FAILED {failure.name}")
        for line in shortened(failure.details.splitlines()):
            print(f"    | {quiet.plain(line)}")
    if count.failures:
        print(f"    The whole output: {quiet.log_path(suite.name).relative_to(ROOT)}", flush=True)


def in_turn(suites: list[Suite], work: Callable[[Suite], None]) -> None:
    """Work on each suite, in their order, as many at once as there are cores for."""
    free = CORES
    change = threading.Condition()

    def one(suite: Suite) -> None:
        nonlocal free
        try:
            work(suite)
        finally:
            with change:
                free += suite.cores
                change.notify()

    with ThreadPoolExecutor(max_workers=len(suites)) as pool:
        begun = []
        for suite in suites:
            with change:
                while free < suite.cores:
                    change.wait()
                free -= suite.cores
            begun.append(pool.submit(one, suite))
        for suite_run in begun:
            suite_run.result()


def main() -> int:
    """Run the suites that were asked for, all by default."""
    parser = argparse.ArgumentParser()
    groups = list(dict.fromkeys(suite.group for suite in SUITES))
    parser.add_argument("suite", nargs="?", choices=groups)
    wanted = parser.parse_args().suite
    chosen = [suite for suite in SUITES if wanted in (None, suite.group)]
    rows: dict[str, tuple[Count, float, str]] = {}
    with tempfile.TemporaryDirectory(prefix="turnbook-test-") as folder:

        def timed(suite: Suite) -> None:
            began = time.monotonic()
            report = Path(folder) / f"report-{chosen.index(suite)}"
            count, remark = run(suite, report)
            rows[suite.name] = (count, time.monotonic() - began, remark)
            with SAYING:
                show_failures(suite, count)
                if remark:
                    quiet.print_end(suite.name)

        in_turn(chosen, timed)
    total = sum((rows[suite.name][0] for suite in chosen), Count())
    print()
    for suite in chosen:
        count, seconds, remark = rows[suite.name]
        line = f"{suite.name:32}{count.passed:5} passed {count.failed:4} failed {count.skipped:4} skipped"
        print(f"{line} {seconds:6.0f} s  {remark}".rstrip())
        for failure in count.failures:
            print(f"    failed: {failure.name}")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
