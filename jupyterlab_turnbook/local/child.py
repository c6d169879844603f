"""The process that runs llama.cpp, separate so that a crash in native code ends only this process.

The first line of stdin is its settings as JSON, including the key (other users can read a command
line). It writes one JSON line with its port when it is ready, and exits when stdin closes, which
also happens when its parent dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
import threading
import time
from typing import Any


def parameters(settings: dict[str, Any]) -> Any:
    """llama.cpp's parameters for these settings."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["alias"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [settings["key"]]
    # Each slot gets its share of the context.
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["window"] * settings["slots"]
    params.cpuparams.n_threads = settings["threads"]
    params.cpuparams_batch.n_threads = settings["threads"]
    # The longest reply, if the request sets no limit.
    params.n_predict = settings.get("most", -1)
    params.prefill_assistant = True
    params.verbosity = 1
    params.ui = False
    params.endpoint_slots = False
    params.offline = True
    params.cache_ram_mib = 256
    # The default allows every origin; no web page should have access.
    params.cors_origins = ""
    params.cors_origins_explicit = True
    params.cors_credentials = False
    for name, value in settings.get("sampling", {}).items():
        setattr(params.sampling, name, value)
    return params


def main() -> None:
    """Serve until stdin closes."""
    settings = json.loads(sys.stdin.buffer.readline())
    # llama.cpp may print to stdout; only our own line may reach the parent's pipe.
    ready = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    threading.Thread(target=_end_with_stdin, daemon=True).start()

    import xllamacpp

    try:
        server = xllamacpp.Server(parameters(settings))
    except BaseException:
        _write_log(xllamacpp)
        raise
    port = int(server.listening_address.rsplit(":", 1)[1])
    ready.write(json.dumps({"port": port}) + "\n")
    ready.flush()
    threading.Event().wait()


def _write_log(engine: Any) -> None:
    """Let llama.cpp's logging thread finish; otherwise its output is lost with the process."""
    try:
        library = ctypes.CDLL(engine.xllamacpp.__file__)
        main, pause = library._Z15common_log_mainv, library._Z16common_log_pauseP10common_log
    except (AttributeError, OSError):
        # Built by a compiler that mangles names differently; give the thread some time instead.
        time.sleep(0.5)
        return
    main.restype = ctypes.c_void_p
    pause.argtypes = [ctypes.c_void_p]
    pause(main())


def _end_with_stdin() -> None:
    with contextlib.suppress(OSError, ValueError):
        while os.read(0, 1024):
            pass
    # llama.cpp's threads do not end on their own, and there is nothing to save.
    os._exit(0)


if __name__ == "__main__":
    main()
