"""`/runs`: create, list, read, stop, land and drop."""

from __future__ import annotations

import asyncio
from typing import Any

from ..base import dialect
from ..runs import commands, queries
from ..runs.engine import Engine
from ..runs.model import Claim
from ..runs.states import ALIVE, STATES, State
from .base import ApiError, Route, TurnbookHandler
from .errors import api_errors

LARGE = 64 * 1024
"""Bytes of a request from which reading it must not be done on the event loop."""


class RunsHandler(TurnbookHandler):
    """`/runs`."""

    async def get(self) -> None:
        """List runs."""
        named = self.get_query_argument("chat", None, strip=False)
        chat = None if named is None else self.chat_id(named)
        states = _states(self.get_query_argument("state", None))
        open_only = self.get_query_argument("open", "0") == "1"
        with api_errors():
            runs = await self.journal.read(
                lambda db: queries.select(db, chat=chat, states=states, open_only=open_only)
            )
        self.answer({"runs": [run.json() for run in runs]})

    async def post(self) -> None:
        """Claim and send."""
        # Reading a request with pictures takes long enough to hold up everything else.
        large = len(self.request.body) > LARGE
        wanted = await asyncio.to_thread(self._wanted) if large else self._wanted()
        made, is_new = await create(self.turnbook.engine, wanted)
        self.answer(made, 201 if is_new else 200)

    def _wanted(self) -> list[Claim]:
        return claims(self.read_json("NewRun"))


class RunHandler(TurnbookHandler):
    """`/runs/{id}`."""

    async def get(self, run_id: str) -> None:
        """A run and its events after number `after`."""
        after = _number(self.get_query_argument("after", "0"))
        with api_errors():
            page = await self.journal.read(lambda db: queries.page(db, run_id, after))
        self.answer({"run": page.run.json(), "events": [event.json() for event in page.events]})

    async def delete(self, run_id: str) -> None:
        """Stop a run."""
        chat = self.of_chat()
        with api_errors():
            run = await self.turnbook.engine.stop(chat, run_id)
        self.answer(run.json())


class RequestHandler(TurnbookHandler):
    """`/runs/{id}/request`."""

    async def get(self, run_id: str) -> None:
        """The exact bytes of the request."""
        with api_errors():
            body, digest = await self.journal.read(lambda db: queries.body(db, run_id))
        self.set_header("X-Turnbook-Sha256", digest)
        self.finish(body, set_content_type="application/octet-stream")


class ResponseHandler(TurnbookHandler):
    """`/runs/{id}/response`."""

    async def get(self, run_id: str) -> None:
        """What came over the wire, event by event."""
        with api_errors():
            found = await self.journal.read(lambda db: queries.response(db, run_id))
        self.answer(found.json())


class ResponseBytesHandler(TurnbookHandler):
    """`/runs/{id}/response/bytes`."""

    async def get(self, run_id: str) -> None:
        """The exact bytes of the response."""
        with api_errors():
            body, digest = await self.journal.read(lambda db: queries.response_bytes(db, run_id))
        self.set_header("X-Turnbook-Sha256", digest)
        self.finish(body, set_content_type="application/octet-stream")


class CellHandler(TurnbookHandler):
    """`/runs/{id}/cell`."""

    async def get(self, run_id: str) -> None:
        """The cell with all its outputs."""
        with api_errors():
            cell = await self.journal.read(lambda db: queries.whole_cell(db, run_id))
        self.answer(cell)


class LandedHandler(TurnbookHandler):
    """`/runs/{id}/landed`."""

    async def put(self, run_id: str) -> None:
        """Record that the reply is in a saved notebook."""
        chat = self.of_chat()
        with api_errors():
            run = await self.journal.write(lambda tx: commands.land(tx, chat, run_id))
        self.answer(run.json())


class DroppedHandler(TurnbookHandler):
    """`/runs/{id}/dropped`."""

    async def put(self, run_id: str) -> None:
        """Record that the pair was deleted or restored."""
        chat = self.of_chat()
        dropped = self.read_json("dropRun", optional=True).get("dropped", True)
        with api_errors():
            run = await self.journal.write(
                lambda tx: commands.drop(tx, chat, run_id, dropped), durable=True
            )
        self.answer(run.json())


def claims(asked: dict[str, Any]) -> list[Claim]:
    """What a checked `NewRun` asks for: a run and its siblings."""
    first = _claim(asked)
    others = asked.get("siblings", [])
    if first.group is None and (others or "sibling" in asked):
        raise ApiError(400, "bad-request", "Siblings need a group.")
    wanted = [first, *(_claim({**asked, **other}) for other in others)]
    ids, numbers = {each.id for each in wanted}, {each.sibling for each in wanted}
    if len(ids) < len(wanted) or len(numbers) < len(wanted):
        raise ApiError(400, "bad-request", "Two siblings have the same id or number.")
    return wanted


async def create(engine: Engine, wanted: list[Claim]) -> tuple[dict[str, Any], bool]:
    """Claim and send; returns the contract's answer, and whether the run is new."""
    with api_errors():
        (run, made), *others = await engine.create_all(wanted)
    siblings = {"siblings": [each.json() for each, _ in others]} if others else {}
    return {**run.json(), **siblings}, made


def _claim(asked: dict[str, Any]) -> Claim:
    body = _bytes(asked["body"])
    return Claim(
        id=asked["id"],
        chat=asked["chat"],
        pair=asked["pair"],
        cell=asked["cell"],
        after=asked["after"],
        provider=asked["provider"],
        model=_model(body),
        body=body,
        resend=asked.get("resend", False),
        auto=asked.get("autoRetry", True),
        page_hash=asked.get("requestHash"),
        draft=asked.get("draft", {}),
        group=asked.get("group"),
        sibling=asked.get("sibling", 0),
    )


def handlers() -> list[Route]:
    """The routes of this module."""
    run = r"/runs/([0-9A-Fa-f-]{36})"
    return [
        (r"/runs", RunsHandler, {}),
        (run, RunHandler, {}),
        (rf"{run}/request", RequestHandler, {}),
        (rf"{run}/response", ResponseHandler, {}),
        (rf"{run}/response/bytes", ResponseBytesHandler, {}),
        (rf"{run}/cell", CellHandler, {}),
        (rf"{run}/landed", LandedHandler, {}),
        (rf"{run}/dropped", DroppedHandler, {}),
    ]


def _states(listed: str | None) -> set[State] | None:
    if listed is None:
        return None
    wanted: set[State] = set()
    for name in listed.split(","):
        if name == "alive":
            wanted |= ALIVE
        elif name in STATES:
            wanted.add(name)
        else:
            raise ApiError(400, "bad-request", f"There is no run state {name[:40]!r}.")
    return wanted


def _number(text: str) -> int:
    # SQLite cannot compare larger numbers.
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise ApiError(400, "bad-request", "`after` is the number of an event, from 0.")
    return int(text)


def _bytes(body: str) -> bytes:
    try:
        return body.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ApiError(
            400, "bad-body", f"The body is not UTF-8: it has a lone surrogate at {error.start}."
        ) from error


def _model(body: bytes) -> str:
    try:
        request: Any = dialect.parse_bytes(body)
    except ValueError as error:
        raise ApiError(400, "bad-body", f"The body is not JSON: {error}") from error
    model = request.get("model") if isinstance(request, dict) else None
    if not isinstance(model, str):
        raise ApiError(400, "bad-body", "The body must be a JSON object that names a `model`.")
    return model
