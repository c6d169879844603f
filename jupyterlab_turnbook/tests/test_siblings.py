"""Several replies to one message: claimed together, then each on its own."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import uuid
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.runs import commands, queries, schema
from jupyterlab_turnbook.runs.commands import ChatBusy, PairExists
from jupyterlab_turnbook.runs.journal import Journal
from jupyterlab_turnbook.runs.model import Claim, Run, TurnKey
from jupyterlab_turnbook.runs.opening import prepare
from jupyterlab_turnbook.runs.transaction import Tx
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, new_run
from .test_engine import FINISH, Setup, claim, finish
from .test_engine import setup as setup


def siblings(count: int, **changes: Any) -> list[Claim]:
    """The claims of a group."""
    first, group = claim(**changes), str(uuid.uuid4())
    return [
        replace(
            first,
            id=str(uuid.uuid4()),
            model=f"m{n}",
            body=json.dumps({"model": f"m{n}", "messages": []}).encode(),
            group=group,
            sibling=n,
        )
        for n in range(count)
    ]


async def test_siblings_are_sent_side_by_side_each_with_its_own_bytes(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    steps = [{"delta": "a"}, {"wait": "gate"}, *FINISH]
    provider.script(*[{"steps": steps}] * 3)
    async with setup.engine() as engine:
        wanted = siblings(3)
        made = await engine.create_all(wanted)
        assert [(run.sibling, run.attempt, new) for run, new in made] == [
            (0, 1, True),
            (1, 2, True),
            (2, 3, True),
        ]
        # All three are with the provider before any of them ends.
        await provider.requested(3)
        assert {request.body for request in provider.requests} == {one.body for one in wanted}
        # Asked again after a lost answer: the same runs.
        again = await engine.create_all(wanted)
        assert [(run.id, new) for run, new in again] == [(one.id, False) for one in wanted]
        with pytest.raises(ChatBusy):
            await engine.create(claim())
        with pytest.raises(ChatBusy):
            await engine.create_all(siblings(2, pair=wanted[0].pair, resend=True))
        provider.release("gate")
        ended = [(await finish(engine, run))[0] for run, _ in made]
    assert [(run.state, run.hash) for run in ended] == [
        ("done", hashlib.sha256(one.body).hexdigest()) for one in wanted
    ]
    assert len(provider.requests) == 3


async def test_of_a_group_all_are_claimed_or_none(setup: Setup) -> None:
    async with setup.engine() as engine:
        first, second = siblings(2)
        await engine.create_all([first])
        await finish(engine, await engine.latest(first.turn_key))
        third = replace(second, id=str(uuid.uuid4()), sibling=2)
        with pytest.raises(PairExists):
            await engine.create_all([third, replace(first, id=str(uuid.uuid4()))])
        assert await engine.journal.read(lambda db: queries.find(db, third.id)) is None


async def test_one_sibling_fails_and_is_retried_while_the_others_go_on(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    busy = {"status": 429, "headers": {"Retry-After": "0"}, "steps": [{"body": "{}"}]}
    slow = {"steps": [{"delta": "slow"}, {"wait": "gate"}, *FINISH]}
    provider.script(busy, slow, {"steps": [{"delta": "late"}, *FINISH]})
    async with setup.engine() as engine:
        made = await engine.create_all(siblings(2))
        turns = [run.turn_key for run, _ in made]

        async def states() -> list[tuple[str, bool]]:
            runs = [await engine.latest(turn) for turn in turns]
            return sorted((run.state, run.automatic) for run in runs)

        async def until(wanted: list[tuple[str, bool]]) -> None:
            while await states() != wanted:
                await asyncio.sleep(0.01)

        # The retry does not wait for the sibling, which is still streaming.
        await asyncio.wait_for(until([("done", True), ("streaming", False)]), 10)
        provider.release("gate")
        await asyncio.wait_for(until([("done", False), ("done", True)]), 10)
        attempts = await engine.journal.read(
            lambda db: queries.attempts(db, turns[0].chat, turns[0].pair)
        )
    assert [each.run.attempt for each in attempts] == [1, 2, 3]
    assert len(provider.requests) == 3


@pytest.mark.parametrize("alone", [False, True])
async def test_more_replies_leave_the_waits_of_the_others_alone(
    setup: Setup, provider: ThreadedScriptedProvider, alone: bool
) -> None:
    later = {"status": 429, "headers": {"Retry-After": "600"}, "steps": [{"body": "{}"}]}
    provider.script(later, later, {"steps": [*FINISH]}, {"steps": [*FINISH]})
    async with setup.engine() as engine:
        first, second, third = siblings(3, resend=True)
        first = replace(first, group=None) if alone else first

        async def ask(one: Claim) -> list[bool]:
            """Whether the first and the second wait after a claim."""
            [(run, _)] = await engine.create_all([one])
            await finish(engine, run)
            found = await engine.journal.read(
                lambda db: [queries.find_latest(db, each.turn_key) for each in (first, second)]
            )
            return [run is not None and run.turn.retry_at is not None for run in found]

        assert await ask(first) == [True, False]
        assert await ask(second) == [True, True]
        assert await ask(third) == [True, True]
        # Not if all are asked for again, or another message is sent.
        again = replace(third, id=str(uuid.uuid4()), group=str(uuid.uuid4()), sibling=0)
        assert await ask(again) == [False, False]


async def test_stop_and_retry_concern_one_sibling(
    setup: Setup, provider: ThreadedScriptedProvider
) -> None:
    slow = {"steps": [{"delta": "a"}, {"wait": "gate"}, *FINISH]}
    provider.script(slow, slow)
    async with setup.engine() as engine:
        (one, _), (other, _) = await engine.create_all(siblings(2))
        stopped = await engine.stop(one.chat, one.id)
        assert stopped.state == "stopped"
        assert (await engine.latest(other.turn_key)).alive
        again = await engine.retry_now(one.turn_key)
        assert (again.group, again.sibling, again.attempt) == (one.group, 0, 3)
        assert (await engine.latest(other.turn_key)).id == other.id
        provider.release("gate")
        assert (await finish(engine, other))[0].state == "done"


async def test_a_killed_server_leaves_every_sibling_with_an_end(tmp_path: Path) -> None:
    wanted = siblings(3)

    def begin(tx: Tx) -> None:
        for number, one in enumerate(wanted):
            commands.claim(tx, one, 1, retry=False)
            if number:
                commands.happen(tx, one.id, "send", 1)
        tx.db.execute("UPDATE runs SET owner = ?", (str(uuid.uuid4()),))

    def recover(tx: Tx) -> None:
        commands.recover(tx, 5)

    for work in (begin, lambda tx: None):
        journal = Journal(tmp_path, recover=recover, announce=lambda changes: None)
        await journal.write(work)
        await journal.close()
    journal = Journal(tmp_path, recover=recover, announce=lambda changes: None)

    def read(db: sqlite3.Connection) -> list[Run]:
        return [queries.get(db, one.id) for one in wanted]

    runs = await journal.read(read)
    await journal.close()
    assert [run.state for run in runs] == ["interrupted", "unknown", "unknown"]


async def test_the_file_itself_locks_a_chat_for_one_group(tmp_path: Path) -> None:
    journal = Journal(tmp_path, recover=lambda tx: None, announce=lambda changes: None)
    [first, _] = siblings(2)
    await journal.write(lambda tx: commands.claim(tx, first, 1, retry=False))

    def copy(tx: Tx, group: str, sibling: int) -> None:
        tx.db.execute(
            "INSERT INTO runs (id, chat, pair, attempt, provider, model, state, owner, hash, body,"
            " cell, created_at, updated_at, grp, sibling) SELECT ?, chat, pair, ?, provider, model,"
            " state, owner, hash, body, cell, 1, 1, ?, ? FROM runs WHERE id = ?",
            (str(uuid.uuid4()), sibling + 5, group, sibling, first.id),
        )

    assert first.group is not None
    group = first.group
    await journal.write(lambda tx: copy(tx, group, 1))
    with pytest.raises(Exception, match="UNIQUE"):
        await journal.write(lambda tx: copy(tx, group, 1))
    with pytest.raises(Exception, match="in progress"):
        await journal.write(lambda tx: copy(tx, "other", 2))
    await journal.close()


def test_a_journal_without_siblings_is_migrated(tmp_path: Path) -> None:
    file = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        for step in schema.STEPS[:-1]:
            for statement in schema.statements(step):
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {schema.VERSION - 1}")
        db.execute(
            "INSERT INTO turns (chat, pair, auto, retry_at, failures, generation, paused, billed,"
            " reached) VALUES ('c', 'p', 0, 7, 2, 3, 'why', 4, 5)"
        )
        prepare(db, file)
        assert db.execute("SELECT * FROM turns").fetchall() == [
            ("c", "p", 0, 0, 7, 2, 3, "why", 4, 5)
        ]


async def test_the_route_claims_a_group_and_names_it(api: Api) -> None:
    group = str(uuid.uuid4())
    asked = new_run(group=group, sibling=0)

    def other(number: int, **changes: Any) -> dict[str, Any]:
        body = asked["body"].replace("scripted", f"m{number}")
        digest = hashlib.sha256(body.encode()).hexdigest()
        made = {"id": str(uuid.uuid4()), "sibling": number, "provider": "test"}
        return {**made, "body": body, "requestHash": digest, **changes}

    wanted = {**asked, "siblings": [other(1), other(2)]}
    answer = await api("createRun", body=wanted)
    assert answer.status == 201
    runs = [answer.body, *answer.body["siblings"]]
    assert [(run["group"], run["sibling"], run["model"]) for run in runs] == [
        (group, 0, "scripted"),
        (group, 1, "m1"),
        (group, 2, "m2"),
    ]
    assert (await api("createRun", body=wanted)).status == 200
    plain = (await api("listRuns")).body["runs"]
    assert len(plain) == 3
    wrong: list[dict[str, Any]] = [
        {**new_run(), "siblings": [other(1)]},
        {**new_run(), "sibling": 1},
        {**new_run(group=group), "siblings": [other(0)]},
        {**new_run(group=group), "siblings": [other(1), other(1)]},
        {**new_run(group=group), "siblings": [other(n) for n in range(1, 40)]},
        {**new_run(group="*"), "siblings": [other(1)]},
    ]
    for each in wrong:
        assert (await api("createRun", body=each, valid=False)).status == 400, each
    turn = TurnKey(asked["chat"], asked["pair"], 9)
    missing = await api(
        "retryTurn", turn.chat, turn.pair, body={"now": True, "sibling": 9}, valid=False
    )
    assert missing.status == 404
