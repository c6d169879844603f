"""Answers that a worker of a cluster keeps on its own disk until they are in the store.

A client that dies, or a scheduler that is restarted, cannot lose them this way. A file is named by
its attempt.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

from ..base import private
from .answer import Json

VARIABLE = "TURNBOOK_RERUN_SPOOL"
"""The environment variable with another folder; one that workers share is best."""

_KEPT_SECONDS = 30 * 24 * 3600


def folder() -> Path:
    """The folder of this machine."""
    given = os.environ.get(VARIABLE)
    path = Path(given) if given else Path(jupyter_data_dir()) / "turnbook" / "rerun"
    return private.subfolder(path.parent, path.name)


def keep(attempt: str, answer: Json) -> None:
    """Keep an answer; it is on the disk afterwards."""
    place = folder()
    part = place / f"{attempt}.part"
    with open(os.open(part, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        json.dump(answer, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(place / f"{attempt}.json")


def collect(attempts: Iterable[str]) -> dict[str, Json]:
    """The answers to these attempts that this machine has."""
    place = folder()
    found = {attempt: _read(place, attempt) for attempt in attempts}
    return {attempt: answer for attempt, answer in found.items() if answer is not None}


def forget(attempts: Iterable[str]) -> None:
    """These are in the store. What nobody asked for in a month goes, too."""
    place = folder()
    for attempt in attempts:
        for end in ("part", "json"):
            (place / f"{attempt}.{end}").unlink(missing_ok=True)
    for path in place.iterdir():
        # Another worker may be doing the same.
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - _KEPT_SECONDS:
                path.unlink()


def _read(place: Path, attempt: str) -> Json | None:
    try:
        answer: Json = json.loads((place / f"{attempt}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return answer
