"""`/journal`: the state of the journal itself."""

from __future__ import annotations

from ..runs import quarantine, retention, schema
from .base import Route, TurnbookHandler
from .errors import api_errors


class JournalHandler(TurnbookHandler):
    """`/journal`."""

    async def get(self) -> None:
        """The journal's file, size, limits, damaged runs, and the damaged files it replaced."""
        limits = self.turnbook.engine.retention.limits
        with api_errors():
            damaged, size = await self.journal.read(
                lambda db: (quarantine.report(db), retention.used_bytes(db))
            )
        self.answer(
            {
                "file": str(self.journal.file),
                "networkDisk": self.journal.network_disk,
                "version": schema.VERSION,
                "bytes": size,
                "maxBytes": limits.bytes,
                "maxAgeDays": limits.days,
                "damaged": [each.json() for each in damaged],
                "setAside": self.journal.set_aside(),
            }
        )


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/journal", JournalHandler, {})]
