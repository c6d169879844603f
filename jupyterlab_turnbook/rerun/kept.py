"""What a server keeps on its disk about reruns, for the list and for the next server."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from ..base import private
from ..base.places import NoPlace, Places
from ..providers.private_file import PrivateFile
from ..runs.owner import Owner
from .answer import Json

ALIVE = ("running", "ending")
"""The states in which a rerun sends or waits for replies."""

_MOST = 100
"""How many reruns are kept."""
_FIELDS = {
    *("root", "createdAt", "wish", "out", "folder", "paths", "models", "plan", "total"),
    *("facts", "message", "state", "owner"),
}


class Kept:
    """The reruns below a server's root, in a file that all servers of the user share."""

    def __init__(self, directory: Path, places: Places, log: logging.Logger) -> None:
        self._directory = directory
        self._places = places
        self._file = PrivateFile(directory / "reruns.json", log)
        self._owner: Owner | None = None

    def all(self) -> dict[str, Json]:
        """All of them, newest first."""
        try:
            root = self._places.root
        except NoPlace:
            return {}
        mine = [
            (rerun, entry)
            for rerun, entry in self._file.read().items()
            if isinstance(entry, dict) and entry.keys() >= _FIELDS and entry["root"] == root
        ]
        return dict(sorted(mine, key=lambda each: -each[1]["createdAt"]))

    def put(self, rerun: str, entry: Json) -> None:
        """Keep a rerun; the oldest that have ended go."""

        def change(entries: dict[str, Any]) -> None:
            entries[rerun] = entry
            ended = [each for each in entries if entries[each].get("state") not in ALIVE]
            ended.sort(key=lambda each: entries[each].get("createdAt", 0))
            for each in ended[: max(0, len(entries) - _MOST)]:
                del entries[each]

        self._file.update(change)

    def change(self, rerun: str, owner: str, facts: Json) -> None:
        """Keep other facts about a rerun, if it is still in the list and this server's."""

        def change(entries: dict[str, Any]) -> None:
            if rerun in entries and entries[rerun].get("owner") == owner:
                entries[rerun].update(facts)

        self._file.update(change)

    def remove(self, rerun: str) -> None:
        """Keep a rerun no longer."""
        self._file.update(lambda entries: entries.pop(rerun, None))

    def is_dead(self, entry: Json) -> bool:
        """Whether the server that sent a rerun is dead; one of this server must be known to live."""
        return bool(entry["owner"] == self.owner.id) or self.owner.is_dead(entry["owner"])

    @property
    def owner(self) -> Owner:
        """This server."""
        if self._owner is None:
            self._owner = Owner(self._directory / private.RERUN_OWNERS)
        return self._owner

    def close(self) -> None:
        """Let others know that this server has ended."""
        if self._owner is not None:
            self._owner.release()
            self._owner = None
