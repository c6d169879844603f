"""A user of the hub: what they can do with their token."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import httpx

from jupyterlab_turnbook.runs.continuation import delta_of

if TYPE_CHECKING:
    from .hub import Hub

Run = dict[str, Any]


class User:
    """Asks their own server, or somebody else's."""

    def __init__(self, name: str, url: str, token: str, home: Path) -> None:
        self.name = name
        self.token = token
        self.home = home
        self.url = url
        self._http = httpx.Client(
            headers={"Authorization": f"token {token}"}, timeout=30, trust_env=False
        )

    @property
    def key(self) -> str:
        """The user's key at the gateway."""
        return f"sk-gateway-{self.name}-{'0' * 16}"

    @property
    def journal(self) -> Path:
        """The folder of the user's journal."""
        return self.home / ".local" / "share" / "jupyter" / "turnbook"

    def pid(self, hub: Hub) -> int | None:
        """The process of the user's server, if it lives."""
        pid: int | None = json.loads(self._known(hub, "spawners.state") or "{}").get("pid")
        return pid if pid and Path(f"/proc/{pid}").exists() else None

    def port(self, hub: Hub) -> int | None:
        """Where the hub's proxy reaches the user's server, once that is being started."""
        return cast("int | None", self._known(hub, "servers.port"))

    def _known(self, hub: Hub, what: str) -> Any:
        # The hub's database has it, also while the hub is down.
        import sqlite3

        with sqlite3.connect(hub.home / "hub.sqlite") as db:
            row = db.execute(
                f"SELECT {what} FROM spawners JOIN users ON users.id = spawners.user_id "
                "LEFT JOIN servers ON servers.id = spawners.server_id WHERE users.name = ?",
                (self.name,),
            ).fetchone()
        db.close()
        return row[0] if row else None

    def fetch(
        self, method: str, path: str, body: Any = None, at: User | None = None
    ) -> httpx.Response:
        """A request to a server through the proxy: the user's own, or that of `at`."""
        url = f"{self.url}/user/{(at or self).name}/{path}"
        return self._http.request(method, url, json=body)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """A call of Turnbook's API on the user's own server."""
        answer = self.fetch(method, f"turnbook/api/{path}", body)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def send(self, model: str) -> str:
        """Send a message in a new chat; gives the run."""
        asked = self.new_run(model)
        self.ask("POST", "runs", asked)
        run: str = asked["id"]
        return run

    @staticmethod
    def new_run(model: str, provider: str = "gateway") -> dict[str, Any]:
        """What `POST runs` takes for a message in a new chat."""
        run, pair = str(uuid.uuid4()), uuid.uuid4().hex[:8]
        cell = {"cell_type": "code", "id": pair, "source": model, "metadata": {}, "outputs": []}
        message = {"role": "user", "content": f"{model} asks"}
        body = {"model": model, "stream": True, "messages": [message]}
        return {
            "id": run,
            "chat": str(uuid.uuid4()),
            "pair": pair,
            "cell": cell,
            "after": None,
            "provider": provider,
            "body": json.dumps(body),
        }

    def runs(self) -> dict[str, Run]:
        """All runs in the user's journal, by their ids."""
        return {run["id"]: run for run in self.ask("GET", "runs")["runs"]}

    def text(self, run: str) -> str:
        """What the journal has of a reply."""
        events = self.ask("GET", f"runs/{run}")["events"]
        return "".join(
            delta_of(event["data"]).get("content") or "" for event in events if "data" in event
        )

    def leave(self) -> None:
        """Close the connections."""
        self._http.close()
