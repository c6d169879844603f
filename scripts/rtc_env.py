"""The second environment: Turnbook from its wheel, alone, then with jupyter-collaboration."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-rtc"
PYTHON = VENV / "bin" / "python"
_WHEEL_MARK = VENV / "turnbook-wheel"
_COLLABORATION_MARK = VENV / "turnbook-collaboration"


def wheel() -> Path:
    """The wheel in dist/."""
    found = sorted((ROOT / "dist").glob("jupyterlab_turnbook-*.whl"))
    if len(found) != 1:
        raise SystemExit(f"Expected one wheel in dist/, found {len(found)}. Run: make dist")
    return found[0]


def bare_environment(venv: Path = VENV) -> dict[str, str]:
    """Environment variables with only the venv on the PATH, so that Node cannot be found."""
    kept = (
        "HOME",
        "LANG",
        "LC_ALL",
        "TMPDIR",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
    )
    proxies = [
        name for name in os.environ if name.lower().endswith("_proxy") or name.startswith("PIP_")
    ]
    environment = {name: os.environ[name] for name in (*kept, *proxies) if name in os.environ}
    return {**environment, "PATH": str(venv / "bin"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def _digest() -> str:
    return hashlib.sha256(wheel().read_bytes()).hexdigest()


def _pip(*arguments: str) -> None:
    subprocess.run([str(PYTHON), "-m", "pip", *arguments], env=bare_environment(), check=True)


def _pip_install(name: str) -> None:
    """Install the packages in a file of requirements/, by version and hash."""
    file = ROOT / "requirements" / f"{name}.txt"
    _pip("install", "--quiet", "--require-hashes", f"--requirement={file}")


def create() -> None:
    """A new environment holds only the wheel and its dependencies."""
    print(f"==> New environment in {VENV.name} with {wheel().name}, no Node in reach", flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    _pip_install("run")
    _pip("install", "--quiet", "--no-deps", str(wheel()))
    # Checks that run.txt has all dependencies of the wheel, in versions that it accepts.
    _pip("check")
    _WHEEL_MARK.write_text(_digest())


@contextlib.contextmanager
def without(package: str) -> Iterator[None]:
    """The environment without one of its packages, which comes back afterwards."""
    # If this is ended in between, the environment is made again.
    _WHEEL_MARK.unlink()
    _pip("uninstall", "--quiet", "--yes", package)
    yield
    _pip_install("run")
    _WHEEL_MARK.write_text(_digest())


def add_collaboration() -> None:
    """Add jupyter-collaboration to an environment with the current wheel."""
    if not _WHEEL_MARK.exists() or _WHEEL_MARK.read_text() != _digest():
        create()
    if not _COLLABORATION_MARK.exists():
        print(f"==> Adding jupyter-collaboration to {VENV.name}", flush=True)
        _pip_install("collaboration")
        _COLLABORATION_MARK.touch()
