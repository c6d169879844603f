"""A server that is killed while it reruns records: the next one goes on, and nothing is doubled."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .ports import lasting_port
from .rerun_support import KEY, Folder, settle
from .test_reruns import wish

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

TOKEN = "token-of-the-test"


class Server:
    """A Jupyter server in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process = process
        self._root = f"http://127.0.0.1:{port}/turnbook/api"

    def call(self, method: str, route: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"token {TOKEN}", "Content-Type": "application/json"}
        request = Request(f"{self._root}/{route}", data, headers, method=method)
        with urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def only(self) -> dict[str, Any]:
        [found] = self.call("GET", "reruns")["reruns"]
        return dict(found)

    def over(self) -> dict[str, Any]:
        while (found := self.only())["state"] in ("running", "ending"):
            time.sleep(0.05)
        return found


@contextmanager
def serving(folder: Folder) -> Iterator[Server]:
    port = lasting_port()
    root = folder.home / "root"
    root.mkdir(exist_ok=True)
    environment = {**os.environ, **folder.environment, "TEST_KEY": KEY}
    del environment["JUPYTER_NO_CONFIG"]
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"]
    command += [f"--ServerApp.root_dir={root}", f"--ServerApp.port={port}"]
    command += ["--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}"]
    command += ['--ServerApp.jpserver_extensions={"jupyterlab_turnbook": True}']
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    server = Server(process, port)
    try:
        while process.poll() is None:
            try:
                server.call("GET", "reruns")
                break
            except URLError:
                time.sleep(0.1)
        assert process.poll() is None
        yield server
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


def test_the_next_server_goes_on_and_repeats_nothing(folder: Folder) -> None:
    (folder.home / "root").mkdir()
    record = folder.record("Hi").rename(folder.home / "root/a.replay.ipynb")
    said = {"steps": [{"delta": "One"}, {"finish": "stop"}, {"done": True}]}
    # Two are answered, the others of the first twenty never.
    folder.provider.script(said, said, *[{"steps": [{"delta": "One"}, {"stall": True}]}] * 20)
    wanted = wish(record.name, repeats=30)
    with serving(folder) as server:
        preview = server.call("POST", "reruns/preview", wanted)
        rerun = str(uuid.uuid4())
        body = {"wish": {**wanted, "out": preview["out"]}, "plan": preview["plan"]}
        server.call("PUT", f"reruns/{rerun}", body)
        assert len(asyncio.run(folder.provider.requested(22, 60))) == 22
        while server.only()["done"] < 2:
            time.sleep(0.05)
    with serving(folder) as server:
        found = server.only()
        assert (found["id"], found["state"], found["underWay"]) == (rerun, "interrupted", 0)
        # A page that had no answer starts it once more: it is the same.
        assert server.call("PUT", f"reruns/{rerun}", body)["state"] == "interrupted"
        assert len(folder.bodies()) == 22
        server.call("POST", f"reruns/{rerun}/run")
        found = server.over()
        assert (found["state"], found["done"], found["unknown"]) == ("incomplete", 10, 20)
        assert "unknown, not repeated" in found["notes"][0]
        assert len(folder.bodies()) == 30
        server.call("POST", f"reruns/{rerun}/run", {"again": True})
        assert server.over()["state"] == "done"
        assert len(folder.bodies()) == 50
