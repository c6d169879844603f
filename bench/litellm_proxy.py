"""LiteLLM's proxy before a provider, if `make` could install it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from table import BenchError

BIN = Path(__file__).resolve().parent.parent / ".venv-litellm/bin"
MASTER = "sk-bench-master"


def is_there() -> bool:
    """Whether LiteLLM is installed."""
    return (BIN / "litellm").exists()


@contextmanager
def litellm(provider: str) -> Iterator[str]:
    """The base URL of a proxy to this provider; raises BenchError if it cannot be had."""
    if not is_there():
        raise BenchError("it is not installed")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    params = {"model": "openai/scripted", "api_base": provider, "api_key": "bench"}
    settings = {
        "model_list": [{"model_name": "scripted", "litellm_params": params}],
        "general_settings": {"master_key": MASTER},
        "litellm_settings": {"telemetry": False, "num_retries": 0},
    }
    with tempfile.TemporaryDirectory(prefix="turnbook-litellm-") as folder:
        config = Path(folder) / "config.yaml"
        config.write_text(json.dumps(settings))
        environment = {
            **os.environ,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "NO_PROXY": "*",
            "HOME": folder,
        }
        command = [f"{BIN}/litellm", "--config", str(config), "--host", "127.0.0.1"]
        with (Path(folder) / "log").open("wb") as log:
            process = subprocess.Popen(
                [*command, "--port", str(port)], env=environment, stdout=log, stderr=log
            )
            try:
                _wait_for(process, f"http://127.0.0.1:{port}/health/liveliness")
                yield f"http://127.0.0.1:{port}/v1"
            finally:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()


def _wait_for(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(url, trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            # Not listening yet.
            pass
        time.sleep(0.2)
    raise BenchError("it did not start")
