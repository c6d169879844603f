"""`/journal`: the state of the journal itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..runs import quarantine, retention, schema
from .base import Route, TurnbookHandler
from .errors import api_errors

if TYPE_CHECKING:
    from ..app import TurnbookApp


class JournalHandler(TurnbookHandler):
    """`/journal`."""

    async def get(self) -> None:
        """Where it is, how large, what of it is damaged, and which damaged files it replaced."""
        with api_errors():
            damaged, size = await self.journal.read(
                lambda db: (quarantine.report(db), retention.used_bytes(db))
            )
        self.answer(
            {
                "file": str(self.journal.file),
                "version": schema.VERSION,
                "bytes": size,
                "maxBytes": self.turnbook.journal_max_bytes,
                "maxAgeDays": self.turnbook.journal_max_age_days,
                "damaged": [each.json() for each in damaged],
                "setAside": self.journal.set_aside(),
            }
        )


def handlers(app: TurnbookApp) -> list[Route]:
    """The routes of this module."""
    return [(r"/journal", JournalHandler, {})]
