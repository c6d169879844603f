"""A scripted provider and a Jupyter server with Turnbook, for as long as a measurement lasts."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from table import BenchError


@dataclass(frozen=True)
class Servers:
    """Where both answer."""

    provider: str
    control: str
    turnbook: str
    token: str
    pid: int
    """The Jupyter server's process."""


@contextmanager
def _running(command: list[str], **options: object) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, text=True, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        if process.stdin is not None:
            # The scripted provider ends with its input.
            process.stdin.close()
        else:
            process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait_for(process: subprocess.Popen[str], info: Path, log: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            base = str(json.loads(info.read_text())["url"])
            httpx.get(f"{base}api")
        except (OSError, ValueError, httpx.TransportError):
            # Not listening yet.
            time.sleep(0.1)
        else:
            return base
    raise BenchError(f"The Jupyter server did not start:\n{log.read_text()}")


@contextmanager
def keeping_provider(*certificate: Path) -> Iterator[int]:
    """The port of a provider that keeps connections open, with TLS if there is a certificate."""
    line = [sys.executable, str(Path(__file__).parent / "provider.py"), *map(str, certificate)]
    with _running(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield int(json.loads(process.stdout.readline())["port"])


@contextmanager
def servers(
    others: dict[str, str] | None = None, environment: dict[str, str] | None = None
) -> Iterator[Servers]:
    """Start both, with all files in a temporary folder; `others` are the URLs of more providers."""
    token = secrets.token_hex(16)
    say = [sys.executable, "-m", "jupyterlab_turnbook.scripted_provider"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (
        tempfile.TemporaryDirectory(prefix="turnbook-bench-") as folder,
        _running(say, **pipes) as p,
    ):
        assert p.stdout is not None
        addresses = json.loads(p.stdout.readline())
        home = Path(folder)
        for name in ("config", "data", "runtime", "root"):
            (home / name).mkdir()
        urls = {"scripted": addresses["url"], **(others or {})}
        providers = {name: {"base_url": url, "api_key": "bench"} for name, url in urls.items()}
        settings = {"TurnbookApp": {"providers": providers}}
        (home / "config/jupyter_server_config.json").write_text(json.dumps(settings))
        settled = {
            **os.environ,
            **(environment or {}),
            "JUPYTER_CONFIG_DIR": f"{home}/config",
            "JUPYTER_DATA_DIR": f"{home}/data",
            "JUPYTER_RUNTIME_DIR": f"{home}/runtime",
            "JUPYTER_TOKEN": token,
        }
        line = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"]
        line.append(f"--ServerApp.root_dir={home}/root")
        log = home / "log"
        with (
            log.open("w") as out,
            _running(line, env=settled, stdout=out, stderr=out) as server,
        ):
            base = _wait_for(server, home / f"runtime/jpserver-{server.pid}.json", log)
            yield Servers(
                provider=addresses["url"],
                control=addresses["control"],
                turnbook=f"{base}turnbook/api",
                token=token,
                pid=server.pid,
            )
