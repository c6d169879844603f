"""`/events`: events that only a page can report."""

from __future__ import annotations

from ..events import OF_SERVER, BadEvent
from .base import ApiError, Route, TurnbookHandler


class EventsHandler(TurnbookHandler):
    """`/events`."""

    async def post(self) -> None:
        """Emit an event."""
        asked = self.read_json("emitEvent")
        if asked["name"] in OF_SERVER:
            raise ApiError(400, "bad-event", "Only the server may emit this event.")
        try:
            self.turnbook.events.emit(asked["name"], asked["data"])
        except BadEvent as error:
            raise ApiError(400, "bad-event", str(error)) from error
        self.set_status(204)
        self.finish()


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/events", EventsHandler, {})]
