"""Starts Jupyter servers quickly: a process that has loaded the modules, and forks.

`python -m faults.nursery` reads one JSON object a line, `{arguments, environment, log, control,
limits, hooks, disk, broken}`, and answers with the pid of a new server. Each server connects to the Unix socket
`control`, takes hooks from it line by line, answers each with their state, and ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import asdict
from typing import Any

# A grammar that takes seconds to compile, for a string format that nothing here checks.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

import jupyter_server.serverapp
import jupyterlab.labapp
from jupyter_core import paths

import jupyterlab_turnbook.app  # noqa: F401  (loaded once, for all servers)

from . import broken
from .hooks import Hooks, install, install_disk


def _listen(hooks: Hooks, lines: Any) -> None:
    for line in lines:
        hooks.update(json.loads(line))
        lines.write(json.dumps(asdict(hooks)) + "\n")
        lines.flush()
    # Whoever started this server has gone.
    os._exit(1)


def _serve(job: dict[str, Any]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.environ.update(job["environment"])
    time.tzset()
    log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for stream, file in ((0, nothing), (1, log), (2, log)):
        os.dup2(file, stream)
    control = socket.socket(socket.AF_UNIX)
    control.connect(job["control"])
    hooks = Hooks(**job["hooks"])
    install(hooks, **job["limits"])
    if job["disk"] is not None:
        install_disk(hooks, **job["disk"])
    if job["broken"]:
        broken.BREAKAGES[job["broken"]]()
    lines = control.makefile("rw")
    threading.Thread(target=_listen, args=(hooks, lines), daemon=True).start()
    app = jupyterlab.labapp.LabApp if job["lab"] else jupyter_server.serverapp.ServerApp
    sys.argv = ["jupyter"]
    app.launch_instance(job["arguments"])


def main() -> None:
    """Fork a server for each line of stdin."""
    # Ended servers need nobody who waits for them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # Ctrl+C is for the one who counts; everything here ends with its pipes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    paths.jupyter_data_dir()
    print("{}", flush=True)
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            code = 1
            with contextlib.suppress(SystemExit):
                _serve(json.loads(line))
                code = 0
            os._exit(code)
        print(json.dumps({"pid": pid}), flush=True)


if __name__ == "__main__":
    main()
