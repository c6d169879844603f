"""Commands run quietly: one line while they run, the end of their output if they fail."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import quiet

Said = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _logs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Write the logs to the test's folder."""
    monkeypatch.setattr(quiet, "ROOT", tmp_path)
    monkeypatch.setattr(quiet, "LOGS", tmp_path / ".logs")


def script(text: str) -> list[str]:
    """A command that runs a piece of Python."""
    return [sys.executable, "-c", text]


def test_output_goes_to_the_log(tmp_path: Path, capfd: Said) -> None:
    """The command's output is in the log and not on the screen."""
    assert quiet.run("Many lines", script("for n in range(500): print('line', n)")) == 0
    assert len(capfd.readouterr().out.splitlines()) == 2
    assert (tmp_path / ".logs/many-lines.log").read_text().count("line") == 500


def test_a_failure_shows_its_end_and_names_the_log(capfd: Said) -> None:
    """The exit code is returned, and the end of the output is shown."""
    wrong = "import sys; [print('line', n) for n in range(500)]; sys.exit('no space left')"
    assert quiet.run("Goes wrong", script(wrong)) == 1
    said = capfd.readouterr().out
    assert "no space left" in said
    assert "line 499" in said
    assert "line 1\n" not in said
    assert ".logs/goes-wrong.log" in said


def test_a_missing_program_is_a_failure(capfd: Said) -> None:
    """The message names the program."""
    assert quiet.run("Missing", ["no-such-program"]) == 1
    assert "no-such-program" in capfd.readouterr().out


def test_colours_and_rewritten_lines_are_removed() -> None:
    """The text is what a terminal would show at the end."""
    assert quiet.plain("\x1b[32mdone\x1b[0m 10%\r\x1b[1mdone\x1b[0m 20%\n") == "done 20%"


def test_from_the_command_line(tmp_path: Path) -> None:
    """This is how the Makefile calls it."""
    copy = tmp_path / "scripts" / "quiet.py"
    copy.parent.mkdir()
    copy.write_text(Path(quiet.__file__).read_text())
    done = subprocess.run(
        [sys.executable, str(copy), "A title", *script("import sys; sys.exit(7)")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 7
    assert done.stdout.startswith("==> A title\n    FAILED after")
