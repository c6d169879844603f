"""`make lab` starts what users of the wheel start: `jupyter lab`, on its own first screen."""

from __future__ import annotations

import sys

import lab


def test_the_first_screen_is_jupyterlabs_own() -> None:
    line = lab.command([])
    assert line[:3] == [sys.executable, "-m", "jupyterlab"]
    more = {argument.partition("=")[0] for argument in line[3:]}
    # A folder, and how it is started and stopped; nothing that opens a file or a workspace.
    assert more <= {"--allow-root", "--ServerApp.root_dir", "-y", "--no-browser"}
