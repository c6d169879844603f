"""What a rerun spends, and when it stops, if nobody knows how long replies are or whether any come."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import Folder, settle
from .test_rerun import DONE, says
from .test_rerun_ending import start

USAGE = {"prompt_tokens": 1, "completion_tokens": 1}
CHUNK = {"choices": [{"index": 0, "delta": {"content": "Ho"}, "finish_reason": "stop"}]}
SHORT = f"data: {json.dumps({**CHUNK, 'usage': USAGE})}\n\ndata: [DONE]\n\n".encode()


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


@pytest.mark.parametrize(("dollars", "most"), [(0.2, 1), (1, 5)])
def test_replies_of_unknown_length_do_not_exceed_the_limit_together(
    folder: Folder, dollars: float, most: int
) -> None:
    # The record's own reply was short, and says nothing of other models.
    record = folder.record("Hi", SHORT)
    usage = {"prompt_tokens": 1, "completion_tokens": 20_000}
    folder.provider.script(*[says("a b c", usage=usage)] * 60)
    price = ("--price", "scripted=0,10", "--max-cost", dollars)
    assert folder.rerun(record, "--repeat", 30, *price) == 3
    assert len(folder.bodies()) == most
    assert sum(entry["cost"] or 0 for entry in folder.entries()) <= dollars * (1 + 1e-9)
    # What is in the store says how long replies are.
    assert folder.rerun(record, "--repeat", 30, *price) == 3
    assert len(folder.bodies()) == 2 * most


def test_one_model_whose_replies_are_of_unknown_length_does_not_hold_up_another(
    folder: Folder,
) -> None:
    folder.provider.script({"steps": [{"wait": "go"}, *DONE]}, model="a")
    record = folder.record("Hi")
    more = ("--model", "a,b", "--price", "a=1,1", "--price", "b=1,1", "--max-cost", "1")
    running = start(folder, record, *more)
    assert len(asyncio.run(folder.provider.requested(6, 60))) == 6
    assert Counter(one.model for one in folder.provider.completions()) == {"a": 1, "b": 5}
    folder.provider.release("go")
    assert running.wait(30) == 0
    assert len(folder.bodies()) == 10


def test_a_provider_that_takes_requests_and_sends_nothing_back_is_not_sent_them_all(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.provider.script(*[{"steps": [{"cut": True}]}] * 100, model="dies")
    error = {"error": {"message": "It is overloaded.", "type": "server_error"}}
    folder.provider.script(*[{"steps": [{"body": error}]}] * 100, model="fails")
    record = str(folder.record("Hi"))
    more = ["--model", "dies,fails,works", "--repeat", "100", "--concurrency", "30"]
    assert main(["rerun", record, *more, "--out", str(folder.out)]) == 3
    states = Counter((entry["model"], entry["state"]) for entry in folder.entries())
    assert states["works", "done"] == 100
    assert 4 <= states["dies", "unknown"] < 40 and states["dies", "missing"] > 60
    assert 4 <= states["fails", "broken"] < 40 and states["fails", "missing"] > 60
    said = capsys.readouterr().err
    for name in ("dies", "fails"):
        assert f"test/{name}: no more is sent. 4 times in a row, requests were sent" in said
