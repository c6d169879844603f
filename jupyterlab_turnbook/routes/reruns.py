"""`/reruns`: send the requests of records again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_server.utils import ensure_async

from ..providers.private_file import PrivateFileError
from .base import ApiError, Route, TurnbookHandler


class _Handler(TurnbookHandler):
    async def may_use_files(self, action: str) -> None:
        """Records are read and results are written as files, so whoever may not do that may not."""
        allowed = self.authorizer.is_authorized(self, self.current_user, action, "contents")
        if not await ensure_async(allowed):
            raise ApiError(403, "forbidden", "You may not use the files of this server.")

    async def read_wish(self, schema: str) -> dict[str, Any]:
        """The request's body; it may have records with pictures in it."""
        return await asyncio.to_thread(self.read_json, schema)


class RerunsHandler(_Handler):
    """`/reruns`."""

    async def get(self) -> None:
        """List all."""
        with _api_errors():
            self.answer({"reruns": await self.turnbook.reruns.all()})


class PreviewHandler(_Handler):
    """`/reruns/preview`."""

    async def post(self) -> None:
        """Say what would be sent."""
        wish = await self.read_wish("RerunWish")
        await self.may_use_files("read")
        self.answer(await self.turnbook.reruns.preview(wish))


class RerunHandler(_Handler):
    """`/reruns/{id}`."""

    async def put(self, rerun: str) -> None:
        """Start."""
        asked = await self.read_wish("NewRerun")
        await self.may_use_files("write")
        with _api_errors():
            view, made = await self.turnbook.reruns.start(rerun, asked["wish"], asked["plan"])
        self.answer(view, 201 if made else 200)

    async def delete(self, rerun: str) -> None:
        """Remove it from the list."""
        with _api_errors():
            await self.turnbook.reruns.forget(rerun)
        self.set_status(204)
        self.finish()


class RunHandler(_Handler):
    """`/reruns/{id}/run`."""

    async def post(self, rerun: str) -> None:
        """Send what is missing."""
        asked = self.read_json("continueRerun", optional=True)
        await self.may_use_files("write")
        with _api_errors():
            view = await self.turnbook.reruns.go_on(rerun, again=asked.get("again", False))
        self.answer(view)

    async def delete(self, rerun: str) -> None:
        """Stop."""
        now = self.get_query_argument("now", "0") == "1"
        with _api_errors():
            self.answer(await self.turnbook.reruns.stop(rerun, now=now))


def handlers() -> list[Route]:
    """The routes of this module."""
    rerun = r"/reruns/([0-9A-Fa-f-]{36})"
    return [
        (r"/reruns", RerunsHandler, {}),
        (r"/reruns/preview", PreviewHandler, {}),
        (rerun, RerunHandler, {}),
        (rf"{rerun}/run", RunHandler, {}),
    ]


@contextmanager
def _api_errors() -> Iterator[None]:
    # Not at the start of the server, which may have no reruns.
    from ..rerun.jobs import NoSuchRerun, PlanChanged
    from ..rerun.plan import CannotRerun
    from ..rerun.store import StoreError

    try:
        yield
    except NoSuchRerun as error:
        raise ApiError(404, "no-such-rerun", "This rerun is no longer in the list.") from error
    except PlanChanged as error:
        raise ApiError(
            409,
            "plan-changed",
            "The records, the results or the settings have changed since, so that it would not be "
            "what was shown. Nothing was sent. Look at them, and start again.",
        ) from error
    except (CannotRerun, StoreError, PrivateFileError) as error:
        raise ApiError(409, "rerun", str(error)) from error
