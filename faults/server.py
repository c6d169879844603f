"""A Jupyter server with Turnbook as a process of its own, to be killed and started again."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import sqlite3
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from jupyterlab_turnbook.tests.ports import lasting_port

from .turn import Turn

ROOT = Path(__file__).resolve().parent.parent
TOKEN = "faults"

_OTHERS = ("jupyterlab", "jupyter_lsp", "jupyter_server_terminals", "notebook_shim")


_ports: set[int] = set()


def _new_port() -> int:
    """A port that nobody listens on, and that no other server here has."""
    while (port := lasting_port()) in _ports:
        continue
    _ports.add(port)
    return port


class Nursery:
    """The process that forks servers."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._asking = asyncio.Lock()

    async def start(self) -> None:
        """Load the modules, once for all servers."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "faults.nursery",
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert self._process.stdout is not None
        if not await self._process.stdout.readline():
            raise RuntimeError("The nursery of servers did not start; its output is above.")

    async def fork(self, job: dict[str, Any]) -> int:
        """A new server's pid."""
        assert self._process is not None
        assert self._process.stdin is not None and self._process.stdout is not None
        async with self._asking:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            await self._process.stdin.drain()
            pid: int = json.loads(await self._process.stdout.readline())["pid"]
        return pid

    async def stop(self) -> None:
        """End; servers that live end too, when their control sockets close."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            await self._process.wait()


class Server:
    """One server: its folder and port stay the same however often it is started."""

    def __init__(
        self,
        nursery: Nursery,
        home: Path,
        settings: dict[str, Any],
        *,
        journal_dir: Path | None = None,
        lab: bool = False,
        broken: str = "",
        disk: dict[str, Any] | None = None,
        zone: str = "",
        ping_seconds: float = 20,
        silence_seconds: float = 60,
    ) -> None:
        self.home = home
        self.port = _new_port()
        self.journal_dir = journal_dir or home / "journal"
        self.root = home / "root"
        self.log = home / "log"
        self._nursery = nursery
        self._lab = lab
        self._broken = broken
        self._disk = disk
        self._zone = {"TZ": zone} if zone else {}
        self._limits = {"ping_seconds": ping_seconds, "silence_seconds": silence_seconds}
        self._control = str(home / "control")
        self._listener: asyncio.Server | None = None
        self._connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._pid = 0
        for name in ("config", "data", "runtime", "root"):
            (home / name).mkdir(parents=True, exist_ok=True)
        self.settings = settings

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    async def start(self, **hooks: Any) -> None:
        """Start it, with hooks in force from its first moment, and wait until it answers."""
        self._configure()
        if self._listener is None:
            self._listener = await asyncio.start_unix_server(self._greet, self._control)
        self._connected = asyncio.get_running_loop().create_future()
        self._pid = await self._nursery.fork(
            {
                "arguments": [
                    "--no-browser",
                    "--allow-root",
                    f"--ServerApp.port={self.port}",
                    "--ServerApp.port_retries=0",
                    f"--ServerApp.root_dir={self.root}",
                ],
                "environment": {
                    "JUPYTER_CONFIG_DIR": f"{self.home}/config",
                    "JUPYTER_DATA_DIR": f"{self.home}/data",
                    "JUPYTER_RUNTIME_DIR": f"{self.home}/runtime",
                    "JUPYTER_TOKEN": TOKEN,
                    **self._zone,
                },
                "log": str(self.log),
                "control": self._control,
                "limits": self._limits,
                "hooks": hooks,
                "lab": self._lab,
                "disk": self._disk,
                "broken": self._broken,
            }
        )
        self._reader, self._writer = await asyncio.wait_for(self._connected, 30)
        await self.answers()

    async def answers(self) -> None:
        """Wait until it answers, or has ended."""
        deadline = time.monotonic() + 60
        async with httpx.AsyncClient(verify=False, trust_env=False) as client:
            while time.monotonic() < deadline and self.lives:
                try:
                    await client.get(f"{self.url}/api", timeout=5)
                except httpx.TransportError:
                    await asyncio.sleep(0.01)
                else:
                    return
        if self.lives:
            raise TimeoutError(f"The server does not answer:\n{self.log.read_text()[-2000:]}")

    async def tell(self, **hooks: Any) -> dict[str, Any]:
        """Set hooks and get the state of all."""
        assert self._reader is not None and self._writer is not None
        self._writer.write(json.dumps(hooks).encode() + b"\n")
        await self._writer.drain()
        state: dict[str, Any] = json.loads(await asyncio.wait_for(self._reader.readline(), 30))
        return state

    @property
    def lives(self) -> bool:
        """Whether its process is there."""
        if not self._pid:
            return False
        try:
            os.kill(self._pid, 0)
        except ProcessLookupError:
            return False
        return True

    async def ended(self, timeout: float = 30) -> None:
        """Wait until the process is gone."""
        deadline = time.monotonic() + timeout
        assert self._reader is not None
        # The system closes the socket of a process that ends.
        while await asyncio.wait_for(self._reader.readline(), timeout):
            continue
        while self.lives:
            if time.monotonic() > deadline:
                raise TimeoutError(f"Server {self._pid} does not end.")
            await asyncio.sleep(0.002)
        self._pid = 0

    async def kill(self, name: str = "KILL") -> None:
        """Send a signal and wait for the end."""
        os.kill(self._pid, signal.Signals[f"SIG{name}"])
        await self.ended()

    async def stop(self) -> None:
        """End it for good."""
        if self.lives:
            try:
                await self.kill("TERM")
            except (TimeoutError, asyncio.TimeoutError):
                await self.kill()
        if self._listener is not None:
            self._listener.close()
            Path(self._control).unlink(missing_ok=True)
            self._listener = None

    async def free_memory(self) -> None:
        """End a limit of its memory; it is killed and started again if it did not survive that."""
        with suppress(ProcessLookupError):
            resource.prlimit(self._pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        try:
            await asyncio.wait_for(self.tell(memory=0), 5)
        except (OSError, ValueError, asyncio.TimeoutError):
            if self.lives:
                await self.kill()
            await self.start()

    def limit_files(self, most: int) -> None:
        """From now on it has no more files and connections open than this, for good."""
        resource.prlimit(self._pid, resource.RLIMIT_NOFILE, (most, most))

    def peak_memory(self) -> int:
        """The most bytes that its process ever held."""
        status = Path(f"/proc/{self._pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024

    def memory(self) -> int:
        """The bytes that its process holds now, with its share of what several hold."""
        lines = Path(f"/proc/{self._pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024

    def damage(self) -> str:
        """What SQLite finds wrong with the journal; empty when nothing."""
        with sqlite3.connect(f"file:{self.journal_dir}/journal.sqlite?mode=ro", uri=True) as db:
            found = str(db.execute("PRAGMA integrity_check").fetchone()[0])
        db.close()
        return "" if found == "ok" else found

    def attempts(self, turn: Turn) -> int:
        """How many attempts at a turn the journal of a server that has ended knows."""
        with sqlite3.connect(self.journal_dir / "journal.sqlite") as db:
            counted = db.execute("SELECT count(*) FROM runs WHERE chat = ?", [turn.chat])
            found = int(counted.fetchone()[0])
        db.close()
        return found

    def _configure(self) -> None:
        extensions = dict.fromkeys(_OTHERS, self._lab)
        extensions["jupyterlab_turnbook"] = True
        config = {
            "ServerApp": {"jpserver_extensions": extensions},
            "LabApp": {"expose_app_in_browser": True},
            "TurnbookApp": {"journal_dir": str(self.journal_dir), **self.settings},
        }
        (self.home / "config/jupyter_server_config.json").write_text(json.dumps(config))

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connected.set_result((reader, writer))
