"""Emits what happens in chats through Jupyter's event system: ids and counts, never content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jsonschema.exceptions import ValidationError
from jupyter_events import EventLogger

from ..runs.model import Claim, Run

NAMES = tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.yaml")))
"""All events; each is described in the YAML file of its name."""

OF_SERVER = frozenset({"send", "rerun"})
"""Events that only the server emits."""


class BadEvent(ValueError):
    """An event that does not exist or does not match its schema."""


class Events:
    """Emits Turnbook's events on a server's event logger."""

    def __init__(self, logger: EventLogger) -> None:
        self._logger = logger
        for name in NAMES:
            if schema_id(name) not in logger.schemas:
                logger.register_event_schema(Path(__file__).parent / f"{name}.yaml")

    def emit(self, name: str, data: dict[str, Any]) -> None:
        """Emit an event; raises `BadEvent` if it is invalid, even if there are no listeners."""
        if name not in NAMES:
            raise BadEvent(f"There is no event {name[:40]!r}. There are {', '.join(NAMES)}.")
        with _told():
            self._logger.schemas.validate_event(schema_id(name), data)
        self._emit_own(name, data)

    def _emit_own(self, name: str, data: dict[str, Any]) -> None:
        """Emit an event of the server's own, which is checked if there are listeners."""
        with _told():
            self._logger.emit(schema_id=schema_id(name), data=data)

    def began(self, run: Run, wanted: Claim) -> None:
        """Emit `send` for a claimed attempt, and `resume` or `parity-mismatch` where they apply."""
        where = {"chat": run.chat, "pair": run.pair, "run": run.id}
        attempt = {"attempt": run.attempt, "automatic": run.automatic, "continues": run.continues}
        self._emit_own("send", {**where, **attempt, "hash": run.hash, **wanted.draft})
        name = {key: value for key, value in wanted.draft.items() if key == "debugName"}
        if wanted.attempt is not None:
            self._emit_own(
                "resume", {**where, **attempt, "kind": "stream", "hash": run.hash, **name}
            )
        if wanted.page_hash not in (None, run.hash):
            hashes = {"hash": run.hash, "otherHash": wanted.page_hash}
            self._emit_own("parity-mismatch", {**where, **hashes, **name, "where": "send"})

    def reran(self, rerun: dict[str, Any]) -> None:
        """Emit `rerun` for a rerun that began or ended, given as in the API."""
        counts = ("total", "done", "broken", "unknown", "refused", "records", "repeats")
        told = {"rerun": rerun["id"], "state": rerun["state"], "models": len(rerun["models"])}
        self.emit("rerun", {**told, **{name: rerun[name] for name in counts}})


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        # The value itself is not quoted: it may be content.
        raise BadEvent(f"{error.json_path}: does not fit {error.validator}.") from None


def schema_id(name: str) -> str:
    """The schema id that listeners use for an event."""
    return f"urn:jupyterlab-turnbook:{name}"
