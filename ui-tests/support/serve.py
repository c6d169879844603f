"""Start a scripted provider and a Jupyter server for the UI tests, and stop both together.

A test that wants the Jupyter server to die sends SIGUSR1 to this process, and SIGUSR2 to have it back
on the same port and with the same files. The addresses go to a JSON file that `provider.ts` reads. Everything the server writes stays in a
temporary folder, so that a run neither sees nor changes the settings of whoever starts it.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

from jupyterlab_turnbook.scripted_provider.hub import Hub

HERE = Path(__file__).resolve().parent


def start_provider(*options: str) -> tuple[subprocess.Popen[str], dict[str, str]]:
    """The provider's process and the addresses that it tells."""
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab_turnbook.scripted_provider", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit("The scripted provider did not start; its output is above.")
    addresses: dict[str, str] = json.loads(line)
    return process, addresses


def server_environment(
    home: Path, provider_url: str, key: str, port: int, neighbour_url: str, hub: Hub
) -> dict[str, str]:
    """The environment of a server whose files all lie below `home`."""
    environment = dict(os.environ)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "JUPYTER_TOKEN"):
        environment.pop(name, None)
    for name in ("config", "data", "runtime", "root"):
        (home / name).mkdir()
    environment.update(
        JUPYTER_CONFIG_DIR=str(home / "config"),
        JUPYTER_DATA_DIR=str(home / "data"),
        JUPYTER_RUNTIME_DIR=str(home / "runtime"),
        JUPYTERLAB_GALATA_ROOT_DIR=str(home / "root"),
        TURNBOOK_UI_KEY=key,
        TURNBOOK_UI_PORT=str(port),
        TURNBOOK_UI_PROVIDER=provider_url,
        TURNBOOK_UI_NEIGHBOUR=str(urlsplit(neighbour_url).port),
        TURNBOOK_UI_HUB=hub.url,
        TURNBOOK_UI_HUB_SIZE=str(len(hub.data)),
    )
    return environment


def start_server(home: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A Jupyter server on its port."""
    return subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", f"--config={HERE.parent}/jupyter_server_config.py"],
        # jupyter-collaboration keeps its own store where it is started.
        cwd=home,
        env=environment,
    )


def main() -> int:
    """Serve until a signal, or until the Jupyter server ends by itself."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--state", type=Path, required=True, help="where to write the addresses")
    args = parser.parse_args()

    def stop(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    # A lock that the main thread holds cannot be taken in a signal handler.
    heard, wanted = os.pipe()
    killed: list[subprocess.Popen[bytes]] = []

    def kill(signum: int, frame: FrameType | None) -> None:
        killed.append(server)
        server.kill()

    def start_again(signum: int, frame: FrameType | None) -> None:
        os.write(wanted, b"+")

    signal.signal(signal.SIGTERM, stop)
    key = f"sk-ui-{secrets.token_hex(8)}"
    provider, addresses = start_provider("--key", key)
    # It is not configured: the model menu finds it.
    neighbour, found = start_provider()
    hub = Hub(bytes(range(256)) * 12_000)
    with tempfile.TemporaryDirectory(prefix="turnbook-ui-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        environment = server_environment(home, addresses["url"], key, args.port, found["url"], hub)
        server = start_server(home, environment)
        signal.signal(signal.SIGUSR1, kill)
        signal.signal(signal.SIGUSR2, start_again)
        args.state.parent.mkdir(parents=True, exist_ok=True)
        args.state.write_text(
            json.dumps(
                {
                    **addresses,
                    "key": key,
                    "hub": hub.url,
                    "port": args.port,
                    "root": str(home / "root"),
                    "pid": os.getpid(),
                }
            )
        )
        try:
            while True:
                code = server.wait()
                if server not in killed:
                    return code
                os.read(heard, 1)
                server = start_server(home, environment)
        except KeyboardInterrupt:
            return 0
        finally:
            server.terminate()
            for process in (provider, neighbour):
                assert process.stdin is not None
                process.stdin.close()
            for process in (server, provider, neighbour):
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()


if __name__ == "__main__":
    sys.exit(main())
