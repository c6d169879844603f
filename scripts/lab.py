"""Opens JupyterLab in a folder of its own, or runs `jupyter lab` with the given arguments."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import FrameType

from jupyter_core.paths import jupyter_runtime_dir
from jupyterlab.commands import get_app_dir

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".lab"
# JupyterLab's question whether it may fetch news would cover the Request panel.
OVERRIDES = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}


def disable_news() -> None:
    """Turn off JupyterLab's news question, only in the environment of `make lab`."""
    settings = Path(get_app_dir()) / "settings" / "overrides.json"
    if settings.is_relative_to(ROOT) and not settings.exists():
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps(OVERRIDES, indent=2), encoding="utf-8")


def has_display() -> bool:
    """Whether a browser can be shown here."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def has_location(arguments: list[str]) -> bool:
    """Whether the arguments already say what to serve."""
    places = ("root_dir", "root-dir", "notebook_dir", "notebook-dir", "--config")
    return any(place in argument for argument in arguments for place in places)


def command(arguments: list[str]) -> list[str]:
    """The command line of `jupyter lab`."""
    line = [sys.executable, "-m", "jupyterlab"]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in arguments:
        line.append("--allow-root")
    if not has_location(arguments):
        line.append(f"--ServerApp.root_dir={WORK}")
    if not arguments:
        # With -y, Ctrl-C stops it without asking.
        line.append("-y")
        if not has_display():
            line.append("--no-browser")
    return line + arguments


def address(process: subprocess.Popen[bytes]) -> str | None:
    """The server's URL with its token, once it responds; None if it exits before that."""
    info_file = Path(jupyter_runtime_dir()) / f"jpserver-{process.pid}.json"
    while process.poll() is None:
        try:
            info = json.loads(info_file.read_text())
            with urllib.request.urlopen(f"{info['url']}api", timeout=5):
                break
        except (OSError, ValueError):
            # Not written yet, half written, or not listening yet.
            time.sleep(0.2)
    else:
        return None
    query = f"?token={info['token']}" if info["token"] else ""
    return f"{info['url']}lab{query}"


def main() -> int:
    """Run until JupyterLab ends."""
    arguments = sys.argv[1:]
    WORK.mkdir(exist_ok=True)
    disable_news()
    line = command(arguments)
    print("==> Starting JupyterLab; Ctrl-C stops it", flush=True)
    process = subprocess.Popen(line)

    def forward(signum: int, frame: FrameType | None) -> None:
        process.send_signal(signum)

    # Ctrl-C also reaches the server; only wait for its exit here.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, forward)
    where = address(process)
    if where is not None:
        opened = "" if arguments or not has_display() else " (it opens in your browser)"
        print(f"\n    Turnbook is ready: {where}{opened}\n", flush=True)
    return process.wait()


if __name__ == "__main__":
    sys.exit(main())
