"""A thousand runs at once: one of them is hostile, or there are more than a server can have open."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter

import httpx

from jupyterlab_turnbook.runs.continuation import delta_text
from jupyterlab_turnbook.scripted_provider.script import Script

from .client import HEADERS
from .notebook import Run
from .replies import END, Attempt, Step, deltas
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
    """The others get all of their replies, each with one request; the hostile one is the injection."""
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


async def too_many(world: World) -> None:
    """More streams than a server can have open: the rest fails, says so, and goes on later by itself."""
    limit, count = (1000, 1100) if world.everything else (200, 220)
    server = world.new_server("crowd-of-files")
    await server.start()
    server.limit_files(limit)
    gate = f"crowd-{world.random.getrandbits(48):012x}"

    def held(rest: list[str]) -> Script:
        return {"steps": [*deltas(rest[:2]), {"wait": gate}, *deltas(rest[2:]), *END]}

    turns = [world.turn(held) for _ in range(count)]
    limits = httpx.Limits(max_connections=20)
    async with httpx.AsyncClient(
        base_url=f"{server.url}/turnbook/api", headers=HEADERS, timeout=120, limits=limits
    ) as client:
        await asyncio.gather(*(_post(world, client, turn) for turn in turns))

        async def struck() -> bool:
            return bool(await _short_of_files(client))

        await world.until(struck, 60)
        short = await _short_of_files(client)
        world.tally.injected += len(short)
        world.provider.release(gate)
        deadline = time.monotonic() + 150
        waiting = turns
        while waiting and time.monotonic() < deadline:
            over = await asyncio.gather(*(_is_over(client, turn) for turn in waiting))
            waiting = [turn for turn, is_over in zip(waiting, over, strict=True) if not is_over]
            await asyncio.sleep(0.5)
        await asyncio.gather(*(_check_turn(world, client, turn) for turn in turns))
    requests = Counter(one.model for one in world.provider.completions())
    world.tally.extra += sum(max(0, requests[turn.model] - 1) for turn in turns)
    await world.check_health(server)
    await server.stop()


async def _post(world: World, client: httpx.AsyncClient, turn: Turn) -> None:
    """Ask until it is taken, as a page does; a refusal has to say why."""
    deadline = time.monotonic() + 90
    while True:
        answer = await client.post("/runs", json=turn.new_run())
        if answer.is_success:
            return
        said = answer.json()
        if said.get("code") == "internal" or not said.get("message"):
            world.tally.amiss(f"{turn.pair}: refused with {answer.status_code} {answer.text:.200}")
        if time.monotonic() > deadline:
            world.tally.amiss(f"{turn.pair}: never taken: {answer.text:.200}")
            return
        await asyncio.sleep(0.2)


async def _short_of_files(client: httpx.AsyncClient) -> list[Run]:
    """The runs that failed before anything was sent."""
    runs: list[Run] = (await client.get("/runs?state=failed")).json()["runs"]
    return [run for run in runs if run["end"]["code"] == "network"]


async def _attempts(client: httpx.AsyncClient, turn: Turn) -> list[Run]:
    answer = (await client.get(f"/turns/{turn.chat}/{turn.pair}")).json()
    return [one["run"] for one in answer["attempts"]]


async def _is_over(client: httpx.AsyncClient, turn: Turn) -> bool:
    return bool((await _attempts(client, turn))[-1]["state"] == "done")


async def _check_turn(world: World, client: httpx.AsyncClient, turn: Turn) -> None:
    """Each attempt but the last failed for want of a connection, and that one has all of the reply."""
    *before, last = await _attempts(client, turn)
    for run in before:
        if (run["state"], run["end"]["code"]) != ("failed", "network"):
            world.tally.amiss(f"{turn.pair}: {run['state']} {run['end']}")
    turn.run = last["id"]
    await _check(world, client, turn)


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
    world.tally.lost += lost
    world.tally.duplicated += more
    if answer["run"]["state"] != "done":
        world.tally.amiss(f"{turn.pair}: {answer['run']['state']} {answer['run']['end']}")
