"""The reply that a record's own response holds."""

from __future__ import annotations

import base64
from functools import lru_cache

from ..runs.reply import Reply as Reading
from .answer import Reply, reply_of
from .plan import Record


def recorded_reply(record: Record) -> Reply | None:
    """The reply in a record; None if it has no response or that is no reply."""
    response = record.response
    if response is None or not 200 <= response["status"] < 300:
        return None
    body = response["body"]
    raw = base64.b64decode(body) if response.get("encoding") else body.encode()
    return reply_in(raw)


@lru_cache(maxsize=256)
def reply_in(body: bytes) -> Reply:
    """The reply in the bytes of a response, whether it is a stream or one JSON."""
    kind = "application/json" if body.lstrip()[:1] == b"{" else "text/event-stream"
    reading = Reading(200, kind, str)
    return reply_of([*reading.feed(body), *(reading.close() if reading.end is None else [])])
