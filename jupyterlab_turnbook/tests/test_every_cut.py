"""With `prefill`, a stream cut at any token and continued equals the uncut stream."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jupyterlab_turnbook.local.files import MODEL
from jupyterlab_turnbook.local.manager import LocalModel
from jupyterlab_turnbook.runs import queries
from jupyterlab_turnbook.runs.continuation import delta_text
from jupyterlab_turnbook.runs.engine import Engine
from jupyterlab_turnbook.runs.model import Run
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .test_engine import FINISH, Setup, claim
from .test_engine import setup as setup
from .test_scheduler import Time, engine_at, over

TOKENS = [
    "Once",
    " upon",
    "\n",
    "\n",
    " ",
    " a",
    " \u00e9",
    "\U0001f600",
    "\u2028",
    '"',
    "\\",
    " time",
    ".",
]


async def text_of(engine: Engine, run: Run) -> str:
    """The reply of a run, joined with those that it continues."""
    return (await engine.journal.read(lambda db: queries.reply_so_far(db, run)))[1].text


async def test_at_every_token_of_a_script(setup: Setup, provider: ThreadedScriptedProvider) -> None:
    setup.settings["continuation"] = "prefill"
    time = Time()
    async with engine_at(setup, time) as engine:
        for cut in range(len(TOKENS) + 1):
            steps: list[dict[str, Any]] = [{"delta": token} for token in TOKENS]
            provider.script(
                {"steps": [{"headers": True}, *steps[:cut], {"cut": True}]},
                {"steps": [*steps[cut:], *FINISH]},
            )
            run, _ = await engine.create(claim(chat=f"chat-{cut}"))
            await over(engine, run, 1)
            time.pass_(1_000)
            last = await over(engine, run, 2)
            assert last.state == "done"
            assert await text_of(engine, last) == "".join(TOKENS)
            before, after = (request.json()["messages"] for request in provider.requests[-2:])
            partial = {"role": "assistant", "content": "".join(TOKENS[:cut])}
            assert after == ([*before, partial] if cut else before)


async def test_at_every_token_of_many_attempts(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    setup.settings["continuation"] = "prefill"
    time = Time()
    provider.script(
        *({"steps": [{"delta": token}, {"cut": True}]} for token in TOKENS), {"steps": FINISH}
    )
    async with engine_at(setup, time) as engine:
        run, _ = await engine.create(claim())
        for attempt in range(1, len(TOKENS) + 1):
            await over(engine, run, attempt)
            time.pass_(60_000)
        last = await over(engine, run, len(TOKENS) + 1)
        assert last.state == "done"
        assert await text_of(engine, last) == "".join(TOKENS)


class CutWire:
    """A proxy to a provider that breaks the next response after `cut` events."""

    def __init__(self, target: str) -> None:
        split = urlsplit(target)
        self._target = split.hostname or "", split.port or 80
        self._path = split.path
        self.cut: int | None = None

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Listen; yields the base URL."""
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{self._path}"

    async def _carry(self, near: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        far, into = await asyncio.open_connection(*self._target)
        sending = asyncio.create_task(self._send(near, into))
        try:
            await self._answer(far, out)
        finally:
            sending.cancel()
            into.close()
            out.close()

    async def _send(self, near: asyncio.StreamReader, into: asyncio.StreamWriter) -> None:
        while data := await near.read(65536):
            into.write(data)
            await into.drain()

    async def _answer(self, far: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        cut, self.cut = self.cut, None
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while line := await far.readline():
                out.write(line)
                if line.startswith(b"data: ") and b'"content":"' in line and cut is not None:
                    cut -= 1
                    if cut == 0:
                        # The blank line completes the event.
                        out.write(await far.readline())
                        await out.drain()
                        return
            await out.drain()


async def test_at_every_token_of_the_embedded_model(
    embedded_model: Path, tmp_path: Path, setup: Setup
) -> None:
    local = LocalModel(str(embedded_model), tmp_path / "local", 0, logging.getLogger("test"))
    endpoint = await local.ensure()
    wire = CutWire(endpoint.base_url)
    question = [{"role": "user", "content": "Say hello in one short sentence."}]
    request = {"model": MODEL, "stream": True, "temperature": 0, "messages": question}
    body = json.dumps({**request, "max_tokens": 60}).encode()
    time = Time()
    try:
        async with wire.listening() as address:
            setup.settings.update(base_url=address, api_key=endpoint.key, continuation="prefill")
            async with engine_at(setup, time) as engine:
                uncut, _ = await engine.create(claim(body=body))
                await over(engine, uncut, 1)
                events = (
                    await engine.journal.read(lambda db: queries.page(db, uncut.id, 0))
                ).events
                tokens = [t for e in events if e.data and (t := delta_text(e.data))]
                assert len(tokens) > 5
                for cut in range(1, len(tokens)):
                    wire.cut = cut
                    run, _ = await engine.create(claim(body=body, chat=f"chat-{cut}"))
                    broken = await over(engine, run, 1)
                    assert broken.state == "interrupted"
                    assert await text_of(engine, broken) == "".join(tokens[:cut])
                    time.pass_(1_000)
                    last = await over(engine, run, 2)
                    assert last.state == "done"
                    assert await text_of(engine, last) == "".join(tokens)
    finally:
        await local.stop()
