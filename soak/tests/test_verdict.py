"""The verdict of a soak can fail."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from faults.browser import BrowserError
from faults.tally import Tally
from soak.__main__ import Soak, is_by_hand
from soak.memory import Sample, growth, slope
from soak.report import too_few, too_hindered
from soak.talk import Talk
from soak.user import Chat, User
from soak.verdict import judge_file

TALK = Talk(1)


def pair(mark: str, reply: str, state: str = "succeeded") -> dict[str, Any]:
    output = {
        "output_type": "display_data",
        "data": {"text/markdown": reply},
        "metadata": {"turnbook": {"runId": "r"}},
    }
    return {
        "cell_type": "code",
        "id": mark,
        "source": f"What is «{mark}»?",
        "metadata": {"turnbook_run": {"state": state}},
        "outputs": [output],
    }


def whole(mark: str) -> dict[str, Any]:
    return pair(mark, TALK.text(mark))


def judged(
    root: Path,
    cells: list[dict[str, Any]],
    *,
    unsure: str = "",
    stopped: str = "",
    back: str = "",
    earlier: str = "",
) -> tuple[int, ...]:
    (root / "a.chat.ipynb").write_text(json.dumps({"cells": cells}))
    world: Any = SimpleNamespace(server=SimpleNamespace(root=root))
    tally = Tally("test")
    marks = (set(each.split()) for each in (unsure, stopped, back, earlier))
    chat = Chat("a.chat.ipynb", ["m1", "m2"], *marks)
    judge_file(world, chat, TALK, tally)
    return tally.injected, tally.lost, tally.duplicated, tally.wrong


def test_what_is_there_once_and_whole_is_well(tmp_path: Path) -> None:
    assert judged(tmp_path, [whole("m1"), whole("m2")]) == (2, 0, 0, 0)
    stopped = pair("m2", TALK.text("m2")[:20], "canceled")
    assert judged(tmp_path, [whole("m1"), stopped], stopped="m2") == (2, 0, 0, 0)
    assert judged(tmp_path, [whole("m1"), whole("m2")], stopped="m2") == (2, 0, 0, 0)
    assert judged(tmp_path, [whole("m1"), whole("m2"), whole("m3")], unsure="m3") == (2, 0, 0, 0)


def test_a_message_that_came_back_is_not_lost_nor_one_that_was_edited_in_vain(
    tmp_path: Path,
) -> None:
    assert judged(tmp_path, [whole("m1")], back="m2") == (2, 0, 0, 0)
    assert judged(tmp_path, [whole("m1"), whole("m3")], back="m2", earlier="m3") == (2, 0, 0, 0)
    assert judged(tmp_path, [whole("m1"), whole("m3")], earlier="m3") == (2, 1, 0, 0)


def test_what_only_the_user_may_send_again_is_what_the_server_does_not() -> None:
    def run(state: str, *, auto: bool = True, paused: str | None = None) -> dict[str, Any]:
        return {"model": "soak", "state": state, "turn": {"auto": auto, "paused": paused}}

    assert is_by_hand(run("unknown"))
    assert is_by_hand(run("failed", auto=False))
    assert is_by_hand(run("interrupted", paused="no-progress"))
    assert not is_by_hand(run("failed"))
    assert not is_by_hand(run("done", auto=False))
    assert not is_by_hand(run("stopped", auto=False))
    assert not is_by_hand({**run("unknown"), "model": "m1"})


@pytest.mark.parametrize(
    ("cells", "counts"),
    [
        ([whole("m1")], (2, 1, 0, 0)),
        ([whole("m1"), pair("m2", TALK.text("m2")[:-7])], (2, 7, 0, 0)),
        ([whole("m1"), pair("m2", TALK.text("m2") + "again")], (2, 0, 5, 0)),
        ([whole("m1"), pair("m2", TALK.text("m2")[:-7], "canceled")], (2, 7, 0, 1)),
        ([whole("m1"), pair("m2", TALK.text("m2")[:-7], "error")], (2, 7, 0, 1)),
        ([whole("m1"), pair("m2", "", "error")], (2, len(TALK.text("m2")), 0, 1)),
        ([whole("m1"), {**whole("m1"), "id": "copy"}, whole("m2")], (2, 0, 1, 1)),
        ([whole("m2"), whole("m1")], (2, 0, 0, 1)),
        ([whole("m1"), whole("m2"), whole("m9")], (2, 0, 0, 1)),
        ([whole("m1"), pair("m2", "", "awaiting")], (2, len(TALK.text("m2")), 0, 1)),
    ],
    ids=[
        "a message is gone",
        "a reply is cut",
        "a reply says more",
        "a reply is canceled, and nobody stopped it",
        "a reply is given up",
        "a reply is given up without a word",
        "a message is there twice",
        "another order",
        "a message of another chat",
        "a pair that never ends",
    ],
)
def test_what_is_not_well_is_counted(
    tmp_path: Path, cells: list[dict[str, Any]], counts: tuple[int, ...]
) -> None:
    assert judged(tmp_path, cells) == counts


@pytest.mark.parametrize(
    ("second", "counts"),
    [
        (pair("m2", "else" + TALK.text("m2")[:20], "canceled"), (2, 0, 24, 0)),
        (pair("m2", "", "error"), (2, len(TALK.text("m2")), 0, 1)),
        (pair("m2", TALK.text("m2")[:-7]), (2, 7, 0, 0)),
    ],
    ids=["it says something else", "it is given up", "it is cut and counts as whole"],
)
def test_stop_excuses_a_reply_that_is_canceled_and_begins_well(
    tmp_path: Path, second: dict[str, Any], counts: tuple[int, ...]
) -> None:
    assert judged(tmp_path, [whole("m1"), second], stopped="m2") == counts


def looks(count: int, each: float, *, lives: int = 1) -> list[Sample]:
    """So many samples with five chats opened between two."""
    return [Sample(n, 5 * n, n % lives, 1000 + each * 5 * n) for n in range(count)]


@pytest.mark.parametrize(
    ("name", "samples", "verdict"),
    [
        ("nodes", looks(8, 1090), ""),
        ("nodes", looks(8, 1110), "GROWS"),
        ("listeners", looks(8, 1001), "GROWS"),
        ("timeouts", looks(8, 0), ""),
        ("timeouts", looks(8, 1), "GROWS"),
        ("intervals", looks(8, 0.2), "GROWS"),
        ("intervals", [Sample(n, 5 * n, 0, 3 - (n == 1)) for n in range(5)], ""),
        ("documents", looks(8, 0.2), "GROWS"),
        ("server", looks(8, 2**18), ""),
        ("server", looks(8, 2**20), "GROWS"),
        ("nodes", looks(4, 0), "NO DATA: 4 looks"),
        ("nodes", [], "NO DATA: 0 looks"),
        ("nodes", looks(8, 0, lives=2), "NO DATA: 8 looks"),
        ("nodes", [Sample(n, 9, 0, 1) for n in range(8)], "NO DATA: 8 looks"),
    ],
)
def test_memory_is_well_only_if_enough_was_seen_of_one_life(
    name: str, samples: list[Sample], verdict: str
) -> None:
    assert growth(name, samples, 1000).verdict == verdict


def test_a_run_in_which_little_worked_shows_nothing() -> None:
    few, many = Tally("turns", injected=5), Tally("turns", injected=6)
    assert too_few([few, many], 3) == ["5 turns in 3.0 minutes"]
    did = Counter({"send": 80, "open": 20})
    assert too_hindered(did, Counter({"send": 15, "open": 10}), ["send"]) == []
    assert too_hindered(did, Counter({"send": 26}), ["send"]) == ["26 of 100 acts were hindered"]
    assert too_hindered(did, Counter({"open": 11}), ["send"]) == [
        "open was hindered 11 times of 20"
    ]
    often = Counter({"send": 400, "stop": 2})
    assert too_hindered(often, Counter({"stop": 2}), ["send", "stop"]) == ["stop never worked"]


def test_what_dies_beside_the_user_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    async def dies() -> None:
        raise ValueError("no such server")

    async def run() -> Soak:
        world: Any = SimpleNamespace()
        soak = Soak(world, world, minutes=1, seed=1)
        await soak.beside("the user of the API", dies())
        return soak

    tally = asyncio.run(run()).page_tally
    assert tally.wrong == 1 and "no such server" in tally.notes[0]
    assert "no such server" in capsys.readouterr().out


def test_a_chat_counts_as_opened_when_it_is_open() -> None:
    class Offline:
        async def do(self, name: str, *arguments: object) -> None:
            raise BrowserError("Failed to fetch")

    async def run() -> User:
        browser: Any = Offline()
        user = User(browser, [Chat("a.chat.ipynb")], seed=1)
        user.patience = 0
        await user.act()
        return user

    user = asyncio.run(run())
    assert (user.opened, user.did["open"], user.hindered["open"]) == (0, 1, 1)


def test_growth_is_that_within_lives() -> None:
    lives = [
        Sample(n, 2 * n, life, 100 * life + 3 * n) for life in (1, 2) for n in range(life * 4, 9)
    ]
    # What comes first is not like what comes later.
    first = [Sample(0, 0, life, 0) for life in (1, 2)]
    assert slope([*first, *lives]) == pytest.approx(3)
    assert slope([*first, *lives], lambda sample: sample.opened) == pytest.approx(1.5)
    assert slope([Sample(0, 0, 1, 5), Sample(1, 1, 1, 50)]) is None
