"""Starts, kills and asks a JupyterHub; all its files are below one folder."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from jupyterlab_turnbook.tests.ports import lasting_ports

from .user import User

ROOT = Path(__file__).resolve().parent.parent
CONFIG = Path(__file__).with_name("jupyterhub_config.py")
PROXY = ROOT / "node_modules" / "configurable-http-proxy" / "bin" / "configurable-http-proxy"
LONGEST = 120.0
"""Seconds after which something that should happen never does."""


class Hub:
    """A JupyterHub, its proxy and its culler, with `settings` for the Turnbook of all users."""

    def __init__(self, home: Path, settings: dict[str, Any], *, args: Iterable[str] = ()) -> None:
        self.home = home
        self.token = secrets.token_hex(16)
        self.users: dict[str, User] = {}
        _adopt_orphans()
        self._began = started(os.getpid()) or 0
        """When this process began: whatever is older is none of the hub's."""
        self._noted: dict[int, int] = {}
        """When the processes began that the hub has started, by their ids."""
        self._hub: subprocess.Popen[bytes] | None = None
        self._culler: subprocess.Popen[bytes] | None = None
        self._proxy: subprocess.Popen[bytes] | None = None
        public, private, proxy = (f"http://127.0.0.1:{port}" for port in lasting_ports(3))
        self.url = public
        self._given: dict[str, Any] = {
            "home": str(home),
            "url": public,
            "hub_url": private,
            "proxy_url": proxy,
            "token": self.token,
            "culler_token": secrets.token_hex(16),
            "config": str(home / "admin"),
            "args": list(args),
        }
        for folder in ("admin", "users"):
            (home / folder).mkdir(parents=True)
        (home / "admin" / "jupyter_server_config.json").write_text(
            json.dumps({"TurnbookApp": settings})
        )
        self._http = httpx.Client(
            base_url=f"{public}/hub/api",
            headers={"Authorization": f"token {self.token}"},
            timeout=30,
            trust_env=False,
        )

    def start(self) -> None:
        """Start the hub, or start it again: its proxy goes on."""
        if self._proxy is None:
            self._proxy = self._start_proxy()
        given = self.home / "given.json"
        given.write_text(json.dumps(self._given))
        self._hub = self._run_module(
            ["jupyterhub", f"--config={CONFIG}"], {"TURNBOOK_HUB": str(given)}
        )
        self.until(self._answers, "the hub answers")

    def _start_proxy(self) -> subprocess.Popen[bytes]:
        public, api, hub = (urlsplit(self._given[url]) for url in ("url", "proxy_url", "hub_url"))
        command = [
            *("node", str(PROXY)),
            *("--ip", "127.0.0.1", "--port", str(public.port)),
            *("--api-ip", "127.0.0.1", "--api-port", str(api.port)),
            *("--error-target", f"{hub.geturl()}/hub/error"),
        ]
        return self._run(command, {"CONFIGPROXY_AUTH_TOKEN": self.token})

    def cull(self, seconds: int) -> None:
        """Start the culler, or start it again: servers that are idle for that long are stopped."""
        if self._culler is not None:
            _end(self._culler)
        command = ["jupyterhub_idle_culler", f"--timeout={seconds}", "--cull-every=1"]
        environment = {
            "JUPYTERHUB_API_URL": f"{self.url}/hub/api",
            "JUPYTERHUB_API_TOKEN": self._given["culler_token"],
        }
        self._culler = self._run_module(command, environment)

    def kill(self) -> None:
        """Kill the hub, as a crash would: its proxy and the servers live on."""
        assert self._hub is not None
        _end(self._hub)

    def stop(self) -> None:
        """End everything."""
        # Nothing starts again what is ended here.
        for process in (self._culler, self._hub):
            if process is not None:
                _end(process)
        for user in self.users.values():
            if (pid := user.pid(self)) is not None:
                self._kill(pid)
            user.leave()
        if self._proxy is not None:
            _end(self._proxy)
        self._http.close()

    def _bury(self) -> None:
        """Let those servers go that have ended since their hub was killed."""
        for pid in self._noted:
            # It may live, its hub may too, and it may have gone already.
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)

    def _note(self, pid: int | None) -> None:
        began = started(pid) if pid is not None else None
        if pid is not None and began is not None:
            self._noted[pid] = began

    def _kill(self, pid: int) -> None:
        """Kill a process of this hub, unless it has gone and its number is another's by now."""
        began = started(pid)
        # One that the hub was still starting is not noted; older ones than this process are not its.
        if began is not None and began == self._noted.get(pid, max(began, self._began)):
            # It may end by itself meanwhile.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """A call of the hub's own API, as its administrator."""
        answer = self._http.request(method, path, json=body)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}\n{self.log}"
        return answer.json() if answer.content else None

    def add(self, name: str) -> User:
        """A new user, whose server is not started yet."""
        self.ask("POST", f"/users/{name}")
        made = self.ask("POST", f"/users/{name}/tokens", {"note": "test"})
        user = User(name, self.url, made["token"], self.home / "users" / name)
        self.users[name] = user
        return user

    def start_servers(self, users: Iterable[User]) -> None:
        """Start the servers of users, all at once, and wait until each answers."""
        users = list(users)
        for user in users:
            self.begin_server(user)
        for user in users:
            self.wait_for_server(user)

    def begin_server(self, user: User) -> None:
        """Start a user's server; returns at once."""
        self.ask("POST", f"/users/{user.name}/server")

    def wait_for_server(self, user: User) -> None:
        """Wait until the hub has seen that a server answers."""
        self.until(lambda: self.is_ready(user), f"{user.name}'s server is ready")
        self._note(user.pid(self))

    def stop_server(self, user: User) -> None:
        """Stop a user's server as its user or an administrator would."""
        self.ask("DELETE", f"/users/{user.name}/server")
        self.until(lambda: not self.server(user), f"{user.name}'s server is stopped")

    def server(self, user: User) -> dict[str, Any]:
        """What the hub knows of a user's server; empty if there is none."""
        found: dict[str, Any] = self.ask("GET", f"/users/{user.name}")["servers"].get("", {})
        return found

    def last_activity(self, user: User) -> datetime:
        """When a user's server was active, as its culler sees it."""
        return datetime.fromisoformat(self.server(user)["last_activity"].replace("Z", "+00:00"))

    def is_ready(self, user: User) -> bool:
        """Whether a user's server is started."""
        return bool(self.server(user).get("ready"))

    @property
    def log(self) -> str:
        """The end of what the hub and the servers said."""
        return (self.home / "log").read_text(errors="replace")[-4000:]

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait for something that has to be asked for."""
        deadline = time.monotonic() + LONGEST
        while not holds():
            self._bury()
            assert time.monotonic() < deadline, f"not within {LONGEST:g} s: {what}\n{self.log}"
            assert self._hub is None or self._hub.poll() is None, f"the hub ended\n{self.log}"
            time.sleep(0.1)

    def _run_module(
        self, module: list[str], environment: dict[str, str]
    ) -> subprocess.Popen[bytes]:
        return self._run([sys.executable, "-m", *module], environment)

    def _run(self, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with (self.home / "log").open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=self.home,
                env={**os.environ, **environment},
                stdout=log,
                stderr=log,
            )

    def _answers(self) -> bool:
        try:
            return self._http.get("/").is_success
        except httpx.TransportError:
            return False


def _adopt_orphans() -> None:
    """Become the parent of the servers whose hub is killed.

    Without that, the first process of the system would be. Where it is not one that waits for its
    children, as in many containers, a server that has ended would seem to live for ever.
    """
    if sys.platform == "linux":
        set_child_subreaper = 36
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def started(pid: int) -> int | None:
    """When a process began, in ticks since the system did; None if there is none."""
    try:
        said = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The name, which is in brackets, may have blanks and brackets itself.
    return int(said.rpartition(")")[2].split()[19])


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
