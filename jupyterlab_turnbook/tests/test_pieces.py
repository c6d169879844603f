"""The journal keeps a piece of a request once and gives back the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyterlab_turnbook.base.outcome import Outcome
from jupyterlab_turnbook.runs import commands, pieces, quarantine, queries, retention, schema
from jupyterlab_turnbook.runs.journal import Journal
from jupyterlab_turnbook.runs.model import Claim, Run
from jupyterlab_turnbook.runs.retention import Limits
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, ended, new_run
from .test_durability import VERSION_1, recovered
from .test_engine import Setup
from .test_engine import claim as engine_claim
from .test_engine import setup as setup
from .test_journal import claim, opened

MEGABYTE = 2**20
ODD = ['\\"', "\\\\", "\\\\\\\\", "\\ud83d", "\\/", "\\u0000", "\r\n", "\u2028", "ü", "A" * 9, "="]


def blob(size: int, seed: int = 1) -> bytes:
    """Bytes that cannot be compressed, as a picture's."""
    return random.Random(seed).randbytes(size)


def url(data: bytes) -> str:
    """A data URL."""
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"


def body_of(*texts: str, picture: str | None = None) -> bytes:
    """A request whose first message may have a picture."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": text} for text in texts]
    if picture is not None:
        part = {"type": "image_url", "image_url": {"url": picture}}
        messages[0]["content"] = [part, {"type": "text", "text": texts[0]}]
    return json.dumps({"model": "m", "messages": messages}).encode()


json_texts = st.recursive(
    st.text(max_size=20)
    | st.binary(max_size=40).map(lambda data: base64.b64encode(data).decode())
    | st.binary(max_size=40).map(url)
    | st.lists(st.sampled_from(ODD), max_size=6).map("".join),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)


@given(
    json_texts.map(lambda value: json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    | json_texts.map(lambda value: json.dumps(value, indent=1).replace("\n", "\r\n").encode())
    | st.lists(st.sampled_from([*ODD, '"']), max_size=30).map(lambda all_: "".join(all_).encode())
    | st.binary(max_size=80),
    st.sampled_from([1, 4, 8]),
)
@example(b'"data:;base64,QUJDRA=="', 4)
@example(b'"data:;base64,QUJDRB=="', 4)
@example(b'"data:;base64,QUJDRA="', 4)
@example(b'["QUJDREVG","QUJDREVG","QUJDREVG\\n"]', 4)
def test_joining_gives_back_the_same_bytes(text: bytes, least: int) -> None:
    with patch.object(pieces, "LEAST", least), patch.object(pieces, "_AT_ONCE", 8):
        made = pieces.split(text)
        assert pieces.join(made.rest, made.pieces) == text
    assert made.size == len(text)
    assert [hashlib.sha256(piece.data).digest() for piece in made.pieces] == list(made.hashes)


def test_a_picture_is_the_same_piece_in_a_request_and_in_a_cell() -> None:
    data = blob(5000)
    there = pieces.split(body_of("What is this?", picture=url(data)))
    coded = base64.b64encode(data).decode()
    here = pieces.split(json.dumps({"data": {"image/png": f"{coded}\n"}}).encode())
    assert [piece.data for piece in there.pieces] == [data] == [piece.data for piece in here.pieces]
    assert there.hashes == here.hashes
    assert b"data:image/png;base64," in there.rest and len(there.rest) < 200


@pytest.mark.parametrize("length", [pieces.LEAST - 1, pieces.LEAST])
def test_only_long_strings_are_pieces(length: int) -> None:
    made = pieces.split(json.dumps(["é " * (length // 8), "short", "x y " * 9]).encode())
    assert not made.pieces
    made = pieces.split(b'["' + b"-" * length + b'"]')
    assert bool(made.pieces) == (length == pieces.LEAST)


async def add(journal: Journal, number: int, body: bytes, **more: Any) -> Run:
    """Record a finished run of a turn of its own."""
    pair = more.pop("pair", f"pair-{number}")
    wanted = replace(claim(number, "chat"), body=body, pair=pair, **more)
    run, _ = await journal.write(lambda tx: commands.claim(tx, wanted, number, retry=False))
    return await journal.write(
        lambda tx: commands.happen(tx, run.id, "finish", number, Outcome(finish="stop"))
    )


def count(db: sqlite3.Connection) -> tuple[int, int]:
    """How many pieces and segments the journal has."""
    one, other = (
        int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
        for table in ("pieces", "segments")
    )
    return one, other


async def test_bodies_are_read_as_they_were_written(tmp_path: Path) -> None:
    long = 'A long text with "quotes", \\ and ü. ' * 100
    bodies = [
        body_of("hi"),
        body_of("Look", picture=url(blob(9000))),
        body_of("Look", long, long, "and?", picture=url(blob(9000))),
        b'{"model": "m", "a": "' + b"\\ud83d\\r\\n" * 900 + b'",\r\n "messages" : []}',
    ]
    async with opened(tmp_path) as (journal, _):
        runs = [await add(journal, number, body) for number, body in enumerate(bodies, 1)]
        assert await journal.read(count) == (3, 5)
    async with recovered(tmp_path) as again:
        for run, body in zip(runs, bodies, strict=True):
            digest = hashlib.sha256(body).hexdigest()
            assert await again.read(lambda db: queries.body(db, run.id)) == (body, digest)  # noqa: B023
            assert (run.size, run.hash) == (len(body), digest)
        assert await again.read(quarantine.report) == []


async def test_a_journal_grows_by_a_picture_once(tmp_path: Path) -> None:
    """Twenty turns, each of which sends the picture again, with the cell that it is in."""
    picture = blob(MEGABYTE)
    texts = [f"{n}: " + "What about this part of the picture? " * 40 for n in range(40)]

    async def growth(folder: Path, shown: str | None) -> int:
        async with opened(folder) as (journal, _):
            before = await journal.read(retention.used_bytes)
            for turn in range(1, 21):
                cell: dict[str, Any] = {"id": "pair", "outputs": []}
                if turn == 1 and shown:
                    data = {"image/png": shown.partition(",")[2]}
                    cell["outputs"] = [{"output_type": "display_data", "data": data}]
                body = body_of(*texts[: 2 * turn], picture=shown)
                await add(journal, turn, body, cell=cell)
            return await journal.read(retention.used_bytes) - before

    with_it = await growth(tmp_path / "with", url(picture))
    without = await growth(tmp_path / "without", None)
    assert with_it <= 1.2 * len(picture) + without
    # The texts are there once, too.
    assert without <= 3 * sum(map(len, texts))


async def test_pieces_go_with_the_last_run_that_has_them(tmp_path: Path) -> None:
    shared, first, second = ((letter + " ") * 2000 for letter in "abc")
    async with opened(tmp_path) as (journal, _):
        one = await add(journal, 1, body_of(shared, first))
        two = await add(journal, 2, body_of(shared, second))
        assert await journal.read(count) == (3, 4)
        for run, left in ((one, (2, 2)), (two, (0, 0))):
            await journal.write(lambda tx: commands.drop(tx, "chat", run.id))  # noqa: B023
            gone = await journal.write(lambda tx: retention.expire_old(tx, Limits(days=1), 10**12))
            assert gone == 1
            assert await journal.read(count) == left
        used = await journal.read(retention.used_bytes)
        await journal.write(lambda tx: tx.db.execute("PRAGMA foreign_key_check") and None)
    async with opened(tmp_path / "empty") as (journal, _):
        assert used <= await journal.read(retention.used_bytes) + 4096


async def test_superseded_attempts_give_back_their_pieces(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        kept = await add(journal, 1, body_of("a " * 2000), pair="p")
        for number in (2, 3):
            body = body_of(f"{number} " * 2000)
            await add(journal, number, body, pair="p", resend=True)
        await journal.write(lambda tx: tx.db.execute("UPDATE runs SET landed = 1") and None)
        assert await journal.read(count) == (3, 3)
        assert await journal.write(lambda tx: retention.expire_large(tx, Limits(bytes=1))) == 2
        assert await journal.read(count) == (1, 1)
        with pytest.raises(queries.NoSuchRun):
            await journal.read(lambda db: queries.get(db, kept.id))


async def test_deleting_goes_by_small_portions(tmp_path: Path) -> None:
    texts = [f"{n} " * 600 for n in range(900)]
    async with opened(tmp_path) as (journal, _):
        for number in range(1, 6):
            run = await add(journal, number, body_of(*texts))
            await journal.write(lambda tx: commands.drop(tx, "chat", run.id))  # noqa: B023
        portions = []
        while gone := await journal.write(
            lambda tx: retention.expire_old(tx, Limits(days=1), 10**12)
        ):
            portions.append(gone)
        assert portions == [3, 2]
        assert await journal.read(count) == (0, 0)


async def test_a_journal_without_pieces_is_read_and_gets_them(tmp_path: Path) -> None:
    body = body_of("old " * 1000, picture=url(blob(3000)))
    db = sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)
    db.executescript(VERSION_1)
    for step in schema.STEPS[1:3]:
        db.executescript(step)
    db.execute("PRAGMA user_version = 3")
    digest = hashlib.sha256(body).hexdigest()
    db.execute("UPDATE runs SET body = ?, hash = ?", (body, digest))
    (old,) = db.execute("SELECT id FROM runs").fetchone()
    db.close()
    async with recovered(tmp_path) as journal:
        assert await journal.read(lambda db: queries.body(db, old)) == (body, digest)
        assert (await journal.read(lambda db: queries.get(db, old))).size == len(body)
        new = await add(journal, 2, body)
        assert await journal.read(count) == (2, 2)
        assert (await journal.read(lambda db: queries.body(db, new.id)))[0] == body


async def test_a_piece_that_is_lost_costs_the_runs_that_have_it(tmp_path: Path) -> None:
    lost, kept = "lost " * 5000, "kept " * 5000
    async with opened(tmp_path) as (journal, _):
        runs = [
            await add(journal, n, body_of(*texts))
            for n, texts in enumerate([(kept,), (lost, kept), (lost,)], 1)
        ]
    file = tmp_path / "journal.sqlite"
    db = sqlite3.connect(file)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    written = file.read_bytes()
    # A page with nothing but a part of this piece.
    place = next(
        at for at in range(0, len(written), 4096) if written.count(b"lost ", at, at + 4096) > 810
    )
    with file.open("r+b") as damaged:
        damaged.seek(place)
        damaged.write(b"\xff" * 4096)
    async with recovered(tmp_path) as journal:
        assert await journal.read(lambda db: [d.id for d in quarantine.report(db)]) == [
            run.id for run in runs[1:]
        ]
        whole = await journal.read(lambda db: queries.body(db, runs[0].id))
        assert whole[0] == body_of(kept)
        assert (await journal.read(count))[0] == 1


async def test_a_piece_that_was_damaged_is_repaired_by_the_next_request(tmp_path: Path) -> None:
    body = body_of("text " * 1000)
    async with opened(tmp_path) as (journal, _):
        one = await add(journal, 1, body)
        await journal.write(lambda tx: tx.db.execute("UPDATE pieces SET data = x'00'") and None)
        with pytest.raises(queries.Damaged):
            await journal.read(lambda db: queries.body(db, one.id))
        two = await add(journal, 2, body)
        for run in (one, two):
            assert (await journal.read(lambda db: queries.body(db, run.id)))[0] == body  # noqa: B023


async def test_large_outputs_are_only_in_the_whole_cell(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    coded = base64.b64encode(blob(100_000)).decode()
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": coded}},
        {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "small"}},
    ]
    asked = new_run()
    asked["cell"] = {**asked["cell"], "outputs": outputs}
    provider.script({"steps": [{"cut": True}]})
    run = (await api("createRun", body=asked)).body
    small = {**asked["cell"], "outputs": outputs[1:]}
    assert (run["cellCut"], run["cell"]) == (True, small)
    assert (await api("getCell", run["id"])).body == asked["cell"]
    # An attempt that the server makes has the same cell.
    chat, pair = asked["chat"], asked["pair"]
    await ended(api, run["id"])
    again = (await api("retryTurn", chat, pair, body={"now": True})).body["run"]
    assert again["cellCut"] is True
    assert (await api("getCell", again["id"])).body == asked["cell"]
    plain = (await api("createRun", body=new_run(chat=str(claim().id)))).body
    assert "cellCut" not in plain
    assert (await api("getCell", plain["id"])).body == plain["cell"]


async def test_a_request_of_20_mb_is_accepted_and_sent_as_it_is(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    messages = json.loads(body_of("Look", picture=url(blob(15 * MEGABYTE))))["messages"]
    body = json.dumps({"model": "scripted", "stream": True, "messages": messages})
    assert len(body) > 20 * MEGABYTE
    asked = {**new_run(), "body": body}
    run = (await api("createRun", body=asked)).body
    assert (await ended(api, run["id"]))["run"]["state"] == "done"
    (sent,) = provider.completions()
    assert sent.body == body.encode()
    assert (await api("getRequest", run["id"])).body == sent.body


async def test_the_loop_is_free_while_a_large_request_is_recorded(
    setup: Setup, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = body_of("Look", *["text " * 400] * 500, picture=url(blob(15 * MEGABYTE)))
    wanted = replace(engine_claim(), body=body)
    provider.script({"steps": [{"stall": True}]})
    prepare = commands.prepare
    worked: list[threading.Thread] = []

    def noted(claimed: Claim) -> commands.Prepared:
        worked.append(threading.current_thread())
        return prepare(claimed)

    monkeypatch.setattr(commands, "prepare", noted)
    async with setup.engine() as engine:
        run, _ = await engine.create(wanted)
        assert run.size == len(body)
    # Once, and neither on the event loop nor where other writes would wait for it.
    assert len(worked) == 1
    assert worked[0] is not threading.current_thread()
    assert worked[0].name != "turnbook-journal"
