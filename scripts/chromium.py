"""Finds or installs a Chromium for the UI tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import quiet

SHELL = "chromium-headless-shell"
"""Chromium without windows; tests in it take two thirds of the time."""

NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

ADVICE = (
    "No Chromium for the UI tests. Install one (Debian, Ubuntu: apt-get install chromium), "
    "or name one: TURNBOOK_CHROMIUM=/path/to/chrome make test"
)


class NoChromiumError(Exception):
    """There is no Chromium and none could be installed; the message says what to do."""


def on_this_machine() -> str | None:
    """The Chromium in TURNBOOK_CHROMIUM, else one on the PATH."""
    named = os.environ.get("TURNBOOK_CHROMIUM")
    if named:
        if not Path(named).exists():
            raise NoChromiumError(f"TURNBOOK_CHROMIUM is {named}, which does not exist.")
        return named
    return next((found for found in map(shutil.which, NAMES) if found), None)


def _can_install() -> bool:
    return bool(shutil.which("apt-get")) and hasattr(os, "geteuid") and os.geteuid() == 0


def _apt_install(package: str) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    steps = {
        "Lists of packages": ["update", "-q"],
        f"Installing {package}": ["install", "-y", "-q", "--no-install-recommends", package],
    }
    return all(
        quiet.run(title, ["apt-get", *arguments], env=environment) == 0
        for title, arguments in steps.items()
    )


def ensure(root: Path) -> str | None:
    """The path of a Chromium; None means the one that Playwright installed."""
    found = on_this_machine()
    if "TURNBOOK_CHROMIUM" in os.environ or (found and Path(found).name == SHELL):
        return found
    if _can_install() and (_apt_install(SHELL) or found or _apt_install("chromium")):
        found = on_this_machine()
    if found:
        return found
    print("==> Fetching Playwright's Chromium", flush=True)
    fetch = ["npx", "--no-install", "playwright", "install", "chromium"]
    if subprocess.run(fetch, cwd=root, check=False).returncode != 0:
        raise NoChromiumError(ADVICE)
    return None
