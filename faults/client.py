"""The calls of the server's API and of Jupyter's contents, for one turn."""

from __future__ import annotations

from typing import Any

import httpx
import nbformat

from jupyterlab_turnbook.runs.continuation import delta_of
from jupyterlab_turnbook.runs.reasoning import reasoning_text

from .notebook import Run, new_notebook
from .server import TOKEN
from .turn import Turn

HEADERS = {"Authorization": f"token {TOKEN}"}


class Client:
    """Asks, and knows nothing."""

    def __init__(self, url: str, turn: Turn) -> None:
        self.url = url
        self.turn = turn
        self._http = httpx.AsyncClient(headers=HEADERS, timeout=20, trust_env=False, verify=False)

    async def ask(
        self, method: str, path: str, body: Any = None, url: str | None = None
    ) -> httpx.Response:
        """One call of the API."""
        where = f"{url or self.url}/turnbook/api/{path}"
        return await self._http.request(method, where, json=body)

    async def list(self) -> list[Run]:
        """The chat's runs in the journal, oldest first."""
        answer = await self.ask("GET", f"runs?chat={self.turn.chat}")
        answer.raise_for_status()
        runs: list[Run] = answer.json()["runs"]
        return runs

    async def thoughts(self, run: Run) -> str:
        """The reasoning behind a reply: that of a run and of those that it continues."""
        answer = await self.ask("GET", f"runs/{run['id']}")
        answer.raise_for_status()
        read = answer.json()
        data = [event["data"] for event in read["events"] if "data" in event]
        own = "".join(reasoning_text(delta_of(each)) for each in data)
        before = run["continues"]
        if before is None:
            return own
        earlier = {each["id"]: each for each in await self.list()}
        return await self.thoughts(earlier[before]) + own

    async def create(self) -> None:
        """Write the file of a chat without a pair."""
        model = f"{self.turn.provider}/{self.turn.model}"
        content = new_notebook(self.turn.chat, model)
        body = {"type": "notebook", "format": "json", "content": content}
        answer = await self._http.put(f"{self.url}/api/contents/{self.turn.path}", json=body)
        answer.raise_for_status()

    async def file(self) -> dict[str, Any]:
        """The notebook as it is on disk."""
        # As a notebook, the server would put back the older version of one that is being written.
        as_text = {"type": "file", "format": "text"}
        url = f"{self.url}/api/contents/{self.turn.path}"
        answer = await self._http.get(url, params=as_text)
        answer.raise_for_status()
        text: str = answer.json()["content"]
        return dict(nbformat.reads(text, as_version=4))  # type: ignore[no-untyped-call]

    async def leave(self) -> None:
        """Close the connections."""
        await self._http.aclose()
