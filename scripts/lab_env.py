"""Environments with Turnbook's wheel in another JupyterLab than that of .venv.

`oldest` has the oldest JupyterLab that pyproject.toml allows. `newest` is there when scripts/lock.py
found a newer one than that of .venv; otherwise the ordinary suites run in the newest.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import rtc_env

ROOT = Path(__file__).resolve().parent.parent


def requirements(name: str) -> Path:
    """What is installed, by version and hash."""
    return ROOT / "requirements" / f"{name}.txt"


def ensure(name: str) -> Path:
    """The Python of an environment with the current wheel; reuses what is up to date."""
    venv = ROOT / f".venv-{name}"
    python = venv / "bin" / "python"
    packages, wheel = requirements(name), rtc_env.wheel()
    packages_mark, wheel_mark = venv / "turnbook-packages", venv / "turnbook-wheel"

    def pip(*arguments: str) -> None:
        environment = rtc_env.bare_environment(venv)
        subprocess.run([str(python), "-m", "pip", *arguments], env=environment, check=True)

    if not _is_marked(packages_mark, packages):
        print(f"==> New environment in {venv.name}", flush=True)
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        pip("install", "--quiet", "--require-hashes", f"--requirement={packages}")
        packages_mark.write_text(_digest(packages))
    if not _is_marked(wheel_mark, wheel):
        pip("install", "--quiet", "--no-deps", "--force-reinstall", str(wheel))
        # The wheel accepts this JupyterLab, and has all that it depends on.
        pip("check")
        wheel_mark.write_text(_digest(wheel))
    return python


def _is_marked(mark: Path, file: Path) -> bool:
    return mark.exists() and mark.read_text() == _digest(file)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
