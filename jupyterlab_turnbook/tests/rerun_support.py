"""Records to rerun, and a folder in which the command runs."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.records.make import write
from jupyterlab_turnbook.records.projection import notebook_of, record_cells
from jupyterlab_turnbook.records.verify import digest_of
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

KEY = "sk-canary-0123456789abcdef"


def payload_of(text: str, **more: Any) -> str:
    """The request of a message, with spaces that must survive."""
    request = {
        "model": "scripted",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": text}],
        **more,
    }
    return json.dumps(request, ensure_ascii=False)


def record_of(payload: str, provider: str = "test", response: bytes | None = None) -> Any:
    """The notebook of a record with this payload."""
    digest = hashlib.sha256(payload.encode()).hexdigest()
    lineage: dict[str, Any] = {
        "replay_parent_session_id": "c4a7c4a7-0000-4000-8000-000000000001",
        "replay_parent_turn_id": "turn",
        "payloadHash": digest,
        "version": 1,
        "requestId": "request",
        "at": 1_790_000_000_000,
    }
    record: dict[str, Any] = {
        "payload": payload,
        "hash": digest,
        "version": 1,
        "requestId": "request",
        "at": 1_790_000_000_000,
        "provider": provider,
        "sections": [],
        "deleted": 0,
    }
    if response is not None:
        record["response"] = {
            "status": 200,
            "sentAt": 1_790_000_000_000,
            "answered": 1,
            "ended": 2,
            "size": len(response),
            "hash": hashlib.sha256(response).hexdigest(),
            "encoding": "base64",
            "body": base64.b64encode(response).decode(),
        }
    record["digest"] = digest_of(record, lineage)
    return notebook_of(record_cells(record, lineage), {"record": record, "lineage": lineage})


@dataclass
class Folder:
    """A folder with records, and Jupyter's configuration that knows the provider as `test`."""

    home: Path
    provider: ThreadedScriptedProvider
    out: Path = field(init=False)

    def __post_init__(self) -> None:
        self.out = self.home / "results.ipynb"

    @property
    def environment(self) -> dict[str, str]:
        """For a process that runs the command."""
        return {
            "JUPYTER_CONFIG_DIR": str(self.home / "config"),
            "JUPYTER_DATA_DIR": str(self.home / "data"),
            "JUPYTER_NO_CONFIG": "",
        }

    def configure(self, **more: Any) -> None:
        """Write the configuration."""
        (self.home / "config").mkdir(exist_ok=True)
        providers = {"test": {"base_url": self.provider.url, "api_key_env": "TEST_KEY"}, **more}
        text = json.dumps({"TurnbookApp": {"providers": providers}})
        (self.home / "config/jupyter_server_config.json").write_text(text)

    def record(self, text: str, response: bytes | None = None, **more: Any) -> Path:
        """A record of a message."""
        payload = payload_of(text, **more)
        path = self.home / f"{hashlib.sha256(payload.encode()).hexdigest()[:6]}.replay.ipynb"
        write(record_of(payload, response=response), path)
        return path

    def rerun(self, *arguments: object, out: Path | None = None) -> int:
        """Run the command in this process."""
        return main(
            ["rerun", "--out", str(out or self.out), "--progress", "none", *map(str, arguments)]
        )

    def entries(self, out: Path | None = None) -> list[dict[str, Any]]:
        """The entries of the results notebook."""
        notebook = json.loads((out or self.out).read_text())
        return [
            cell["metadata"]["turnbook_result"]
            for cell in notebook["cells"]
            if "turnbook_result" in cell["metadata"]
        ]

    def contents(self) -> list[str]:
        """The texts of all replies."""
        return [entry["reply"]["content"] for entry in self.entries()]

    def bodies(self) -> list[bytes]:
        """The bytes of each request that the provider got."""
        return [one.body for one in self.provider.completions()]


def settle(folder: Folder, setenv: Callable[[str, str], None]) -> Folder:
    """Let this process find the folder's configuration."""
    folder.configure()
    for name, value in {**folder.environment, "TEST_KEY": KEY}.items():
        if value:
            setenv(name, value)
    os.environ.pop("OPENAI_API_KEY", None)
    return folder
