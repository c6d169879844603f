"""What the user's own checks may do: start processes, print, read, loop, and say anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jupyterlab_turnbook.rerun.answer import Reply
from jupyterlab_turnbook.rerun.checks import run_checks


def entry(key: str, content: str) -> dict[str, Any]:
    more = {"provider": "p", "model": "m", "repeat": 1, "state": "done"}
    return {"key": key, "record": "r", "reply": Reply(content=content).json(), **more}


def checked(tmp_path: Path, text: str, seconds: float, *contents: str) -> list[list[Any]]:
    """The results of the checks in a file, for replies with these contents."""
    file = tmp_path / "checks.py"
    file.write_text(text)
    entries = [entry(str(place), content) for place, content in enumerate(contents)]
    found = run_checks(file, entries, {"r": "{}"}, seconds)
    return [found[each["key"]] for each in entries]


PROCESSES = """
import subprocess, sys

def run(code):
    return subprocess.run([sys.executable, "-S", "-c", code]).returncode

def check_prints(reply):
    print("printed by the check")
    assert run('print("[]"); print("not JSON")') == 0

def check_reads(reply):
    assert run("import sys; sys.exit(len(sys.stdin.read()))") == 0
    assert sys.stdin.read() == ""
"""


def test_processes_that_checks_start_neither_answer_nor_take_questions(
    tmp_path: Path, capfd: Any
) -> None:
    for found in checked(tmp_path, PROCESSES, 30, "one", "two"):
        assert [(each["name"], each["passed"]) for each in found] == [
            ("check_prints", True),
            ("check_reads", True),
        ]
    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.count("printed by the check") == said.err.count("not JSON") == 2


LOOPS = """
import subprocess, sys

def check_loops(reply):
    if reply["content"] == "itself":
        while True:
            pass
    if reply["content"] == "another":
        subprocess.run([sys.executable, "-S", "-c", "import time; time.sleep(6)"])
"""


def test_a_check_that_never_ends_fails_and_the_next_reply_is_checked(tmp_path: Path) -> None:
    found = checked(tmp_path, LOOPS, 3, "one", "itself", "two", "another", "three")
    assert [each[0]["passed"] for each in found] == [True, False, True, False, True]
    assert "took more than 3 seconds" in found[1][0]["message"]


HALF = """
globals()["check_\\ud83d"] = lambda reply: 1 / len(reply["content"][5:])

def check_says(reply):
    raise ValueError("half \\ud83d")
"""


def test_half_a_character_in_what_a_check_says_is_replaced(tmp_path: Path) -> None:
    [found] = checked(tmp_path, HALF, 30, "one")
    assert [each["name"] for each in found] == ["check_\ufffd", "check_says"]
    assert found[1]["message"] == "ValueError: half \ufffd"
