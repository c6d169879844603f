"""Emits what happens in chats through Jupyter's event system: ids and counts, never content."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from jsonschema.exceptions import ValidationError
from jupyter_events import EventLogger, EventSchema

from ..runs.model import Claim, Run

NAMES = tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.yaml")))
"""All events; each is described in the YAML file of its name."""

OF_SERVER = frozenset({"send", "rerun"})
"""Events that only the server emits."""


class BadEvent(ValueError):
    """An event that does not exist or does not match its schema."""


class _Schema(EventSchema):
    """The schema of an event, known at once, but read and checked when it is first used.

    To read all of them would be much of the time in which a server starts, and most events never happen.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _read(self) -> EventSchema:
        return EventSchema(Path(__file__).parent / f"{self._name}.yaml")

    @property
    def id(self) -> str:
        """The id that listeners use."""
        return schema_id(self._name)

    @property
    def version(self) -> int:
        """The schema's version."""
        return self._read.version

    @property
    def properties(self) -> dict[str, Any]:
        """What an event says."""
        return self._read.properties

    def validate(self, data: dict[str, Any]) -> None:
        """Raise `ValidationError` if an event does not match."""
        self._read.validate(data)

    def __repr__(self) -> str:
        return repr(self._read)


class Events:
    """Emits Turnbook's events on a server's event logger."""

    def __init__(self, logger: EventLogger) -> None:
        self._logger = logger
        for name in NAMES:
            if schema_id(name) not in logger.schemas:
                # The registry takes schemas, too; the logger only does not say so.
                logger.register_event_schema(cast("Path", _Schema(name)))

    def load(self) -> None:
        """Read what is needed to report a send, so that the first message does not wait for it."""
        _ = self._logger.schemas.get(schema_id("send")).version

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
