"""What runs took: recorded at their end, kept when they leave, and summed by day and model."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.base.outcome import Outcome
from jupyterlab_turnbook.runs import commands, retention, usage
from jupyterlab_turnbook.runs.journal import Journal
from jupyterlab_turnbook.runs.retention import Limits
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, ended, new_run
from .test_durability import EMPTY, VERSION_1
from .test_journal import claim, opened

DAY = 24 * 3600 * 1000
DONE = Outcome(status=200, finish="stop")


def reported(text: str) -> str:
    """A chunk with this usage."""
    return f'{{"choices":[],"usage":{text}}}'


async def run_with(
    journal: Journal,
    number: int,
    at: int,
    chunks: list[str],
    happenings: tuple[Any, ...] = ("send", "answer", "finish"),
) -> None:
    """A run with these chunks that ends at a time."""
    run, _ = await journal.write(lambda tx: commands.claim(tx, claim(number), 1, retry=False))
    for happening in happenings[:-1]:
        await journal.write(lambda tx: commands.happen(tx, run.id, happening, 1))  # noqa: B023
    await journal.write(lambda tx: commands.append(tx, run.id, run.chat, chunks))
    await journal.write(lambda tx: commands.happen(tx, run.id, happenings[-1], at, DONE))


async def days(journal: Journal, *starts: int) -> list[dict[str, Any]]:
    return await journal.read(lambda db: usage.of_days(db, starts))


def row(start: int, runs: int, unknown: int, *facts: float | None) -> dict[str, Any]:
    names = ("input", "cached", "output", "cost")
    about = {"start": start, "provider": "test", "model": "m", "runs": runs, "unknown": unknown}
    return {**about, **dict(zip(names, facts, strict=True))}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ('{"prompt_tokens":5,"completion_tokens":7}', (5, None, 7, None)),
        (
            '{"prompt_tokens":5,"completion_tokens":7,"cost":0.25,'
            '"prompt_tokens_details":{"cached_tokens":3}}',
            (5, 3, 7, 0.25),
        ),
        (
            '{"prompt_tokens":5,"completion_tokens":0,"prompt_cache_hit_tokens":0}',
            (5, 0, 0, None),
        ),
        (
            '{"prompt_tokens":5,"completion_tokens":1,"cache_read_input_tokens":2}',
            (5, 2, 1, None),
        ),
    ],
)
async def test_what_providers_call_it(
    tmp_path: Path, text: str, facts: tuple[float | None, ...]
) -> None:
    async with opened(tmp_path) as (journal, _):
        await run_with(journal, 1, 2 * DAY, ["{}", reported(text), "{}"])
        assert await days(journal, 2 * DAY) == [row(2 * DAY, 1, 0, *facts)]


@pytest.mark.parametrize(
    "chunks",
    [
        [],
        ['{"choices":[]}'],
        ["not JSON"],
        [reported("null")],
        [reported("[]")],
        [reported('{"prompt_tokens":-1,"completion_tokens":true,"cost":"0"}')],
        [reported('{"prompt_tokens":1e999,"completion_tokens":1e300}')],
        [reported('{"prompt_tokens_details":7}')],
    ],
)
async def test_what_is_not_reported_is_unknown_and_not_0(tmp_path: Path, chunks: list[str]) -> None:
    async with opened(tmp_path) as (journal, _):
        await run_with(journal, 1, DAY, chunks)
        assert await days(journal, DAY) == [row(DAY, 1, 1, None, None, None, None)]


@pytest.mark.parametrize(
    ("happenings", "runs"),
    [
        (("fail",), 0),
        (("send", "fail"), 0),
        (("send", "lose"), 1),
        (("send", "answer", "fail"), 1),
        (("send", "answer", "stop"), 1),
    ],
)
async def test_only_what_may_have_been_billed_counts(
    tmp_path: Path, happenings: tuple[Any, ...], runs: int
) -> None:
    async with opened(tmp_path) as (journal, _):
        await run_with(journal, 1, DAY, [], happenings)
        assert [each["runs"] for each in await days(journal, DAY)] == [runs] * bool(runs)


async def test_days_are_apart_and_prices_of_providers_too(tmp_path: Path) -> None:
    counted = '{"prompt_tokens":10,"completion_tokens":1}'
    priced = '{"prompt_tokens":10,"completion_tokens":1,"cost":0.5}'
    async with opened(tmp_path) as (journal, _):
        ends = [(1, DAY - 1, counted), (2, DAY, counted), (3, 2 * DAY - 1, priced)]
        for number, at, text in [*ends, (4, 2 * DAY - 1, counted), (5, 5 * DAY, priced)]:
            await run_with(journal, number, at, [reported(text)])
        await run_with(journal, 6, DAY, [])
        assert await days(journal, DAY, 2 * DAY) == [
            row(DAY, 1, 0, 10, None, 1, 0.5),
            row(DAY, 3, 1, 20, None, 2, None),
            row(2 * DAY, 1, 0, 10, None, 1, 0.5),
        ]


async def test_rows_outlive_their_runs_for_a_year(tmp_path: Path) -> None:
    text = reported('{"prompt_tokens":10,"completion_tokens":1}')
    async with opened(tmp_path) as (journal, _):
        await run_with(journal, 1, DAY, [text])
        await journal.write(lambda tx: tx.db.execute("UPDATE runs SET landed = 1") and None)
        gone = await journal.write(lambda tx: retention.expire_old(tx, Limits(days=1), 30 * DAY))
        assert gone == 1
        assert await days(journal, DAY) == [row(DAY, 1, 0, 10, None, 1, None)]
        await run_with(journal, 2, (usage.KEPT_DAYS + 2) * DAY, [text])
        assert [each["runs"] for each in await days(journal, DAY)] == []
        assert [each["runs"] for each in await days(journal, 300 * DAY)] == [1]


async def test_runs_of_an_old_journal_have_unknown_usage(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    db.executescript(VERSION_1)
    db.execute("UPDATE runs SET hash = ?, updated_at = ?", (EMPTY, DAY))
    db.commit()
    db.close()
    async with opened(tmp_path) as (journal, _):
        assert await days(journal, DAY) == [row(DAY, 1, 1, None, None, None, None)]


async def test_a_salvaged_journal_keeps_them(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        for number in (1, 2):
            text = reported(f'{{"prompt_tokens":{number},"completion_tokens":1}}')
            await run_with(journal, number, DAY, [text])
        await journal.write(lambda tx: tx.db.execute("DELETE FROM usage WHERE input = 2") and None)
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    db.execute("PRAGMA writable_schema = 1")
    # An index that lacks its rows.
    db.execute(
        "UPDATE sqlite_master SET rootpage ="
        " (SELECT rootpage FROM sqlite_master WHERE name = 'turns_waiting')"
        " WHERE name = 'runs_open'"
    )
    db.commit()
    db.close()
    async with opened(tmp_path) as (journal, _):
        assert await days(journal, DAY) == [row(DAY, 2, 1, 1, None, 1, None)]
        assert journal.set_aside()


async def test_the_route(api: Api, provider: ThreadedScriptedProvider) -> None:
    begun = round(time.time() * 1000)
    finish = {"finish": "stop", "usage": {"prompt_tokens": 12, "completion_tokens": 3}}
    provider.script({"steps": [{"delta": "Hi"}, finish, {"done": True}]})
    run = (await api("createRun", body=new_run())).body["id"]
    await ended(api, run)
    answer = await api("getUsage", params={"starts": f"{begun - DAY},{begun}"})
    assert answer.body["days"] == [
        {**row(begun, 1, 0, 12, None, 3, None), "model": "scripted"},
    ]


@pytest.mark.parametrize("starts", ["", "x", "1,", "2,1", "1,1", "-1", "1" * 16, "1,2 "])
async def test_bad_days(api: Api, starts: str) -> None:
    answer = await api("getUsage", params={"starts": starts})
    assert (answer.status, answer.body["code"]) == (400, "bad-request")
