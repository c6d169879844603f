"""What the files, the journal and the provider say in the end, against what the user did."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import httpx

from faults.client import HEADERS
from faults.notebook import replies_of
from faults.tally import Tally, compare
from faults.world import World

from .talk import MODEL, Talk, marks_of
from .user import Chat


async def judge_chats(world: World, chats: list[Chat], talk: Talk, tally: Tally) -> None:
    """Count what was lost, duplicated, or sent without a run of the journal."""
    runs = await _runs(world)
    for chat in chats:
        judge_file(world, chat, talk, tally)
    requests = [one for one in world.provider.completions() if one.model == MODEL]
    listed = Counter(run["hash"] for run in runs)
    for sha256, more in (Counter(one.sha256 for one in requests) - listed).items():
        tally.extra += more
        tally.notes.append(f"{more} requests with {sha256[:8]} are not in the journal")
    of_mark = {
        mark: chat.path for chat in chats for mark in (*chat.sent, *chat.unsure, *chat.earlier)
    }
    for one in requests:
        where = {of_mark.get(mark) for mark in marks_of(one.body.decode())} - {None}
        if len(where) > 1:
            tally.amiss(f"a request carries messages of {sorted(map(str, where))}")
    for run in {run["pair"]: run for run in runs}.values():
        if run["state"] not in ("done", "stopped") and not tally.clean:
            tally.notes.append(
                f"pair {run['pair']} ended: {run['state']}, {run['end']}, {run['turn']}"
            )
    for run in runs:
        if run["state"] == "done" and not run["landed"]:
            tally.amiss(f"a reply did not land: pair {run['pair']}, attempt {run['attempt']}")


def judge_file(world: World, chat: Chat, talk: Talk, tally: Tally) -> None:
    """Count what a chat's file has, against what was sent in it."""
    notebook = json.loads((world.server.root / chat.path).read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found: list[str] = []
    for cell in cells:
        marks = marks_of("".join(cell["source"]))
        found += marks
        for mark in marks:
            stopped = mark in chat.stopped
            _judge_reply(notebook, cell, talk.text(mark), tally, f"{chat.path} {mark}", stopped)
    tally.injected += len(chat.sent)
    for mark, times in Counter(found).items():
        if times > 1:
            tally.duplicated += times - 1
            tally.notes.append(f"{chat.path}: {mark} is there {times} times")
        if mark not in {*chat.sent, *chat.unsure, *chat.earlier}:
            tally.amiss(f"{chat.path}: {mark} was not sent there")
    for mark in chat.sent:
        if mark not in found and mark not in chat.back:
            tally.lost += 1
            tally.notes.append(f"{chat.path}: the message {mark} is gone")
    if [mark for mark in found if mark in chat.sent] != [m for m in chat.sent if m in found]:
        tally.amiss(f"{chat.path}: the messages are in another order: {found}")


def _judge_reply(
    notebook: dict[str, Any],
    cell: dict[str, Any],
    wanted: str,
    tally: Tally,
    where: str,
    stopped: bool,
) -> None:
    state = cell["metadata"].get("turnbook_run", {}).get("state")
    replies = replies_of(notebook, cell["id"])
    got = replies[0] if replies else ""
    lost, more = compare(wanted, got)
    if state == "canceled" and stopped:
        # What is there must be the beginning.
        lost = 0
    elif state != "succeeded":
        # The third attempt is always whole, so there is no reason to give up.
        tally.amiss(f"{where} is {state}, and nobody stopped it")
    tally.lost += lost
    tally.duplicated += more + len(replies[1:])
    if lost or more or replies[1:]:
        tally.notes.append(f"{where} ({state}): {lost} bytes lost, {more} too many: {got!r:.200}")


async def _runs(world: World) -> list[dict[str, Any]]:
    async with httpx.AsyncClient(headers=HEADERS, timeout=60, trust_env=False) as client:
        answer = await client.get(f"{world.server.url}/turnbook/api/runs")
        answer.raise_for_status()
        listed: list[dict[str, Any]] = answer.json()["runs"]
    return [run for run in listed if run["model"] == MODEL]
