"""From `jupyter lab` to a chat in which one can write, beside a notebook without Turnbook."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from browser import browse, wait_for
from chats import write_chat
from table import Row

# What a page may load of Turnbook before anything of it is used.
START_KB = 150


def measure(*, rounds: int) -> list[Row]:
    """Both by turns, each with a server and a browser of its own."""
    times: dict[bool, list[dict[str, float]]] = {True: [], False: []}
    for turn in range(rounds * 2):
        with_turnbook = turn % 2 == 0
        with tempfile.TemporaryDirectory(prefix="turnbook-bench-") as folder:
            times[with_turnbook].append(_once(Path(folder), with_turnbook=with_turnbook))
    ours, plain = times[True], times[False]
    rows = []
    for what, key in (
        ("start: page to a usable composer; plain notebook, nothing installed", "usable"),
        ("start: `jupyter lab` to a usable composer; the same", "total"),
    ):
        one, other = (median(t[key] for t in side) for side in (ours, plain))
        ratio = one / other
        met = ratio <= 1.1
        rows.append(
            Row(what, "10 pairs", f"{one:.2f} s", f"{other:.2f} s", ratio, "≤ 1.1", met=met)
        )
    start, later = ours[-1]["start"] / 1000, ours[-1]["later"] / 1000
    what = "start: files of Turnbook, compressed, before a chat is open"
    rows.append(Row(what, "", f"{start:.0f} kB", target=f"≤ {START_KB} kB", met=start <= START_KB))
    rows.append(Row("start: what comes with the first chat", "", f"{later:.0f} kB"))
    return rows


def _once(folder: Path, *, with_turnbook: bool) -> dict[str, float]:
    root = folder / "root"
    root.mkdir()
    chat = root / write_chat(root, 10)
    name = chat.name if with_turnbook else "plain.ipynb"
    chat.rename(root / name)
    began = time.monotonic()
    with _server(folder, root, with_turnbook=with_turnbook) as base:
        served = time.monotonic() - began
        job = {"base": base, "file": name, "turnbook": with_turnbook}
        page: dict[str, float] = browse("start.mjs", job)
    return {**page, "total": served + page["usable"]}


@contextmanager
def _server(folder: Path, root: Path, *, with_turnbook: bool) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    extensions = f"jupyterlab_turnbook={with_turnbook}"
    line = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    line += [f"--ServerApp.root_dir={root}", f"--ServerApp.port={port}"]
    line += ["--IdentityProvider.token=", f"--ServerApp.jpserver_extensions={extensions}"]
    # The page that is weighed is told what to open.
    line += ["--LabApp.expose_app_in_browser=True"]
    line += [f"--LabApp.labextensions_path={_extensions(folder, with_turnbook=with_turnbook)}"]
    homes = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "HOME")
    env = {**os.environ, **{home: str(folder / home.lower()) for home in homes}}
    log = folder / "log"
    with log.open("w") as out:
        server = subprocess.Popen(line, stdout=out, stderr=out, env=env)
        try:
            base = f"http://127.0.0.1:{port}"
            wait_for(server, f"{base}/api", log, pause=0.02)
            yield base
        finally:
            server.terminate()
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()


def _extensions(folder: Path, *, with_turnbook: bool) -> Path:
    """What JupyterLab loads into its pages: all that is installed, or all but Turnbook."""
    made = folder / "labextensions"
    made.mkdir()
    for installed in (Path(sys.prefix) / "share/jupyter/labextensions").iterdir():
        if with_turnbook or installed.name != "jupyterlab-turnbook":
            (made / installed.name).symlink_to(installed.resolve())
    return made
