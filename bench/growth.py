"""How much the journal grows in a chat whose first message has a picture."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import uuid
from typing import Any

import httpx
from servers import Servers, servers
from table import Row

TURNS = 20
PICTURE = 2**20
MOST = 1.2
_TEXT = "What can be seen in this part of the picture, and what is it for? " * 12


def measure() -> list[Row]:
    """The same chat with the picture and without it, each in a journal of its own."""
    sizes = []
    for picture in (random.Random(1).randbytes(PICTURE), None):
        with servers() as running:
            sizes.append(asyncio.run(_growth(running, picture)))
    grown, without = sizes
    ratio = (grown - without) / PICTURE
    return [
        Row(
            "growth of the journal by a picture that each request repeats",
            f"{TURNS} turns, 1 MiB",
            f"{(grown - without) / 2**20:.2f} MiB",
            f"{PICTURE / 2**20:.2f} MiB",
            ratio,
            target=f"≤ {MOST}",
            met=ratio <= MOST,
        )
    ]


async def _growth(running: Servers, picture: bytes | None) -> int:
    headers = {"Authorization": f"token {running.token}"}
    async with httpx.AsyncClient(
        base_url=running.turnbook, headers=headers, timeout=60, trust_env=False
    ) as client:
        before = await _bytes(client)
        messages: list[dict[str, Any]] = []
        chat, after = str(uuid.uuid4()), None
        for turn in range(TURNS):
            text = f"{turn}: {_TEXT}"
            cell: dict[str, Any] = {
                "cell_type": "code",
                "id": uuid.uuid4().hex[:8],
                "source": text,
                "metadata": {},
                "outputs": [],
                "execution_count": None,
            }
            content: Any = text
            if picture is not None and turn == 0:
                coded = base64.b64encode(picture).decode()
                data = {"image/png": coded}
                cell["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": data}]
                link = {"url": f"data:image/png;base64,{coded}"}
                content = [{"type": "image_url", "image_url": link}, {"type": "text", "text": text}]
            messages.append({"role": "user", "content": content})
            await _send(client, chat, cell, after, messages)
            messages.append({"role": "assistant", "content": f"You said: {text}"})
            after = cell["id"]
        return await _bytes(client) - before


async def _send(
    client: httpx.AsyncClient,
    chat: str,
    cell: dict[str, Any],
    after: str | None,
    messages: list[dict[str, Any]],
) -> None:
    run = str(uuid.uuid4())
    body = {"model": "scripted", "stream": True, "messages": messages}
    new = {"id": run, "chat": chat, "pair": cell["id"], "cell": cell, "after": after}
    (
        await client.post("/runs", json={**new, "provider": "scripted", "body": json.dumps(body)})
    ).raise_for_status()
    while True:
        if (await client.get(f"/runs/{run}")).json()["run"]["state"] == "done":
            return
        await asyncio.sleep(0.02)


async def _bytes(client: httpx.AsyncClient) -> int:
    answer = await client.get("/journal")
    answer.raise_for_status()
    return int(answer.json()["bytes"])
