"""Environments with Turnbook's wheel in another JupyterLab than that of .venv.

`oldest` has the oldest JupyterLab that pyproject.toml allows. `newest` is there when scripts/lock.py
found a newer one than that of .venv; otherwise the ordinary suites run in the newest.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import rtc_env

ROOT = Path(__file__).resolve().parent.parent


def requirements(name: str) -> Path:
    """What is installed, by version and hash."""
    return ROOT / "requirements" / f"{name}.txt"


def ensure(name: str) -> Path:
    """The Python of an environment with the current wheel; reuses what is up to date."""
    python = packages(name)
    venv = python.parent.parent
    pip = partial(_pip, venv)
    wheel, mark = rtc_env.wheel(), venv / "turnbook-wheel"
    if not _is_marked(mark, wheel):
        pip("install", "--quiet", "--no-deps", "--force-reinstall", str(wheel))
        # The wheel accepts this JupyterLab, and has all that it depends on.
        pip("check")
        mark.write_text(_digest(wheel))
    return python


def packages(name: str) -> Path:
    """The Python of an environment with what requirements/ names, and without Turnbook."""
    venv = ROOT / f".venv-{name}"
    pip = partial(_pip, venv)
    file, mark = requirements(name), venv / "turnbook-packages"
    if not _is_marked(mark, file):
        print(f"==> New environment in {venv.name}", flush=True)
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        pip("install", "--quiet", "--require-hashes", f"--requirement={file}")
        mark.write_text(_digest(file))
    return venv / "bin" / "python"


def _pip(venv: Path, *arguments: str) -> None:
    environment = rtc_env.bare_environment(venv)
    command = [str(venv / "bin" / "python"), "-m", "pip", *arguments]
    subprocess.run(command, env=environment, check=True)


def _is_marked(mark: Path, file: Path) -> bool:
    return mark.exists() and mark.read_text() == _digest(file)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
