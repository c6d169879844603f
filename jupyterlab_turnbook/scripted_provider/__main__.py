"""`python -m jupyterlab_turnbook.scripted_provider [--port N] [--key K]`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import threading

from .server import ScriptedProvider

_STDIN = 0


async def serve(port: int, key: str | None) -> None:
    """Serve until SIGTERM, SIGINT or the end of stdin."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        # The event loop on Windows has no signal handlers; close stdin to stop it there.
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(name, stopped.set)

    def watch_stdin() -> None:
        # Not `sys.stdin`: this thread would hold its lock when a signal ends the process. A
        # detached process has no readable stdin and is stopped by a signal.
        with contextlib.suppress(OSError):
            while os.read(_STDIN, 1024):
                pass
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(stopped.set)

    provider = ScriptedProvider(port=port, key=key)
    await provider.start()
    print(json.dumps({"url": provider.url, "control": provider.control}), flush=True)
    threading.Thread(target=watch_stdin, daemon=True).start()
    await stopped.wait()
    await provider.stop()


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m jupyterlab_turnbook.scripted_provider")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--key", default=None, help="refuse requests without this key")
    args = parser.parse_args()
    asyncio.run(serve(args.port, args.key))


if __name__ == "__main__":
    main()
