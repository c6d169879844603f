"""Reruns against a provider that takes its time, beside a plain loop with `openai`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
from servers import Servers, servers
from table import Row

from jupyterlab_turnbook.records.make import write
from jupyterlab_turnbook.tests.rerun_support import payload_of, record_of

sys.path.append(str(Path(__file__).resolve().parent.parent / "scripts"))
import lab_env

LATENCY = 0.2
AT_ONCE = 20
MOST = 5.0
"""Milliseconds that may be added to each result."""

PLAIN = """
import asyncio, json, sys, time
from openai import AsyncOpenAI

async def main(base_url, count, at_once):
    client = AsyncOpenAI(base_url=base_url, api_key="bench", max_retries=0)
    room = asyncio.Semaphore(at_once)

    async def one():
        async with room:
            stream = await client.chat.completions.create(
                model="scripted", stream=True, messages=[{"role": "user", "content": "Hi"}]
            )
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    began = time.monotonic()
    said = await asyncio.gather(*(one() for _ in range(count)))
    assert all(said)
    print(time.monotonic() - began)

asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""


def measure(*, quick: bool) -> list[Row]:
    """All of them against the same provider, one after another."""
    count = 200 if quick else 1000
    with servers() as running, tempfile.TemporaryDirectory(prefix="turnbook-bench-") as folder:
        home = Path(folder)
        _configure(home, running)
        plain = _plain(running, count)
        rows = [_row("one process", count, _rerun(running, home, count), plain)]
        for workers in (1, 2, 4):
            took = _rerun(running, home, count, "--dask", "local", "--workers", str(workers))
            name = f"Dask, {workers} worker{'s' if workers > 1 else ''}"
            rows.append(_row(name, count, took, plain))
    return rows


def _row(name: str, count: int, took: float, plain: float) -> Row:
    ideal = count * LATENCY / AT_ONCE
    added = (took - ideal) / count * 1e3
    return Row(
        f"rerun, {name}: {added:.1f} ms added to each, against asyncio and openai",
        f"{count:,} results, 200 ms, {AT_ONCE} at once",
        f"{took:.1f} s",
        f"{plain:.1f} s",
        took / plain,
        target=f"+ {MOST:g} ms",
        met=added <= MOST,
    )


def _rerun(running: Servers, home: Path, count: int, *more: str) -> float:
    """Seconds from the first request that leaves to the last reply that ends."""
    _script(running, count)
    out = home / f"{'-'.join(more).strip('-') or 'one'}.ipynb"
    at_once = ["--concurrency", str(AT_ONCE), "--max-concurrency", str(AT_ONCE)]
    command = [sys.executable, "-m", "jupyterlab_turnbook.command", "rerun", str(home)]
    command += ["--out", str(out), "--repeat", str(count), "--progress", "none", *at_once, *more]
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
    }
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    cells = json.loads(out.read_text())["cells"]
    found = [cell["metadata"]["turnbook_result"] for cell in cells if cell["cell_type"] == "code"]
    spans = [entry["response"] for entry in found]
    last = max(span["sentAt"] + span["ended"] for span in spans)
    return float(last - min(span["sentAt"] for span in spans)) / 1e3


def _plain(running: Servers, count: int) -> float:
    _script(running, count)
    command = [str(lab_env.packages("others")), "-c", PLAIN]
    command += [running.provider, str(count), str(AT_ONCE)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout)


def _script(running: Servers, count: int) -> None:
    steps = [
        {"delay": LATENCY * 1e3},
        {"tokens": "A few words."},
        {"finish": "stop"},
        {"done": True},
    ]
    scripts = {"scripts": [{"steps": steps}] * count}
    httpx.post(f"{running.control}/script", json=scripts).raise_for_status()


def _configure(home: Path, running: Servers) -> None:
    (home / "config").mkdir()
    providers = {"scripted": {"base_url": running.provider, "api_key": "bench"}}
    settings = json.dumps({"TurnbookApp": {"providers": providers}})
    (home / "config/jupyter_server_config.json").write_text(settings)
    write(record_of(payload_of("Hi"), "scripted"), home / "hi.replay.ipynb")
