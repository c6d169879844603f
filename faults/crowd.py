"""A thousand runs at once, one of which is hostile."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter

import httpx

from jupyterlab_turnbook.runs.continuation import delta_text

from .client import HEADERS
from .replies import Attempt, Step
from .tally import compare
from .turn import Turn
from .world import World


def _hostile(rest: list[str]) -> dict[str, object]:
    """Ten thousand events at once, an event that never ends, and no goodbye."""
    chunk = json.dumps({"choices": [{"delta": {"content": "x" * 200}}]})
    flood: Step = {"raw": f"data: {chunk}\n\n" * 10_000}
    endless: Step = {"raw": "data: " + "y" * 9_000_000}
    return {"steps": [flood, endless, {"stall": True}]}


async def one_hostile(world: World) -> None:
    """The others get all of their replies, each with one request."""
    count = 1000 if world.everything else 100
    server = world.new_server("crowd")
    await server.start()
    spoken: Attempt = lambda rest: {  # noqa: E731
        "steps": [{"tokens": "".join(rest), "every": 100}, {"finish": "stop"}, {"done": True}]
    }
    turns = [world.turn(spoken) for _ in range(count - 1)]
    enemy = world.turn(_hostile, _hostile, _hostile, text="")
    limits = httpx.Limits(max_connections=40)
    async with httpx.AsyncClient(
        base_url=f"{server.url}/turnbook/api", headers=HEADERS, timeout=120, limits=limits
    ) as client:
        await client.post("/runs", json=enemy.new_run())
        await asyncio.gather(*(client.post("/runs", json=turn.new_run()) for turn in turns))
        await _until_quiet(client, enemy)
        # No more of it: it would be tried again.
        await client.put(f"/turns/{enemy.chat}/{enemy.pair}/retry", json={"auto": False})
        await asyncio.gather(*(_check(world, client, turn) for turn in turns))
        ended = (await client.get(f"/runs/{enemy.run}?after=9999")).json()["run"]
        if ended["state"] != "failed" or ended["end"]["code"] != "malformed":
            world.tally.amiss(f"the hostile run: {ended['state']} {ended['end']}")
        world.tally.injected += 1
    requests = Counter(one.model for one in world.provider.completions())
    world.tally.extra += sum(max(0, requests[turn.model] - 1) for turn in turns)
    await world.check_health(server)
    await server.stop()


async def _until_quiet(client: httpx.AsyncClient, enemy: Turn) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        runs = (await client.get("/runs?state=alive")).json()["runs"]
        if not [run for run in runs if run["chat"] != enemy.chat]:
            return
        await asyncio.sleep(0.2)


async def _check(world: World, client: httpx.AsyncClient, turn: Turn) -> None:
    answer = (await client.get(f"/runs/{turn.run}?after=0")).json()
    said = "".join(delta_text(event["data"]) for event in answer["events"] if "data" in event)
    lost, more = compare(turn.text, said)
    world.tally.injected += 1
    world.tally.lost += lost
    world.tally.duplicated += more
    if answer["run"]["state"] != "done":
        world.tally.amiss(f"{turn.pair}: {answer['run']['state']} {answer['run']['end']}")
