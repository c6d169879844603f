"""JupyterLab as the browser tests have it, and a browser that is told what to do there."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from table import BenchError

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "scripts"))
import chromium as chromium  # noqa: E402 - other modules take it from here


@dataclass(frozen=True)
class Lab:
    """Where it answers, where its files are, and how its scripted provider is told what to say."""

    base: str
    root: Path
    control: str


@contextmanager
def lab() -> Iterator[Lab]:
    """Start one on a free port, with all its files in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="turnbook-bench-") as folder:
        yield from _serve(Path(folder))


def browse(script: str, job: dict[str, Any]) -> Any:
    """What a script beside this file measures in a browser."""
    told = json.dumps({"chromium": chromium.ensure(ROOT), **job})
    line = ["node", str(ROOT / "bench" / script), told]
    done = subprocess.run(line, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=900)
    if done.returncode != 0:
        raise BenchError("The browser's part of the bench failed; its words are above.")
    return json.loads(done.stdout)


def _serve(folder: Path) -> Iterator[Lab]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    state = folder / "state.json"
    log = folder / "log"
    serve = ROOT / "ui-tests/support/serve.py"
    line = [sys.executable, str(serve), f"--port={port}", f"--state={state}"]
    with log.open("w") as out:
        server = subprocess.Popen(line, stdout=out, stderr=out)
        try:
            base = f"http://127.0.0.1:{port}"
            wait_for(server, f"{base}/api", log)
            known = json.loads(state.read_text())
            yield Lab(base, Path(known["root"]), known["control"])
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()


def wait_for(server: subprocess.Popen[bytes], url: str, log: Path, *, pause: float = 0.2) -> None:
    """Wait until a server answers, asking again after each pause of so many seconds."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            httpx.get(url).raise_for_status()
        except httpx.HTTPError:
            # Not listening yet.
            time.sleep(pause)
        else:
            return
    raise BenchError(f"JupyterLab did not start:\n{log.read_text()}")
