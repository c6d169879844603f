"""The settings and keys with which a rerun sends."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from jupyterlab_turnbook.providers.provider import Provider
from jupyterlab_turnbook.rerun.sending import Sender

from .test_wire import provider_at


async def test_a_key_that_is_corrected_while_a_provider_is_prepared_is_used_next() -> None:
    url = "http://127.0.0.1:9/v1"
    begun, goes_on = asyncio.Event(), asyncio.Event()
    asked: list[str] = []

    async def old(name: str, model: str = "") -> Provider:
        asked.append("old")
        begun.set()
        await goes_on.wait()
        return provider_at(url)

    async def new(name: str, model: str = "") -> Provider:
        asked.append("new")
        return provider_at(url)

    async def stop() -> None:
        pass

    local = SimpleNamespace(stop=stop)
    sender = Sender(cast("Any", SimpleNamespace(prepare=old, local=local)))
    first = asyncio.ensure_future(sender.send("p", "m", b"{}"))
    await begun.wait()
    sender.use(cast("Any", SimpleNamespace(prepare=new, local=local)))
    goes_on.set()
    await first
    await sender.send("p", "m", b"{}")
    await sender.send("p", "m", b"{}")
    assert asked == ["old", "new"]
    await sender.close()
