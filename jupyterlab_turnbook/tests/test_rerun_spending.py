"""What a rerun spends, and when it stops, if nobody knows how long replies are or whether any come."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.providers.ask import Price
from jupyterlab_turnbook.rerun.costs import Costs
from jupyterlab_turnbook.rerun.payload import Change
from jupyterlab_turnbook.rerun.plan import Record, make_plan
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .rerun_support import Folder, payload_of, settle
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


def test_each_of_several_replies_to_one_request_counts(folder: Folder, capsys: Any) -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 10_000}
    folder.provider.script(*[says("a b c", usage=usage)] * 60)
    price = ("--price", "scripted=0,10", "--max-cost", 0.35)
    record = folder.record("Hi", n=10, max_tokens=1000)
    assert folder.rerun(record, "--repeat", 30, *price, "--dry-run") == 0
    assert "~300000 tokens out, ~$3.0000" in capsys.readouterr().out
    assert folder.rerun(record, "--repeat", 30, *price) == 3
    assert len(folder.bodies()) == 3
    # Without a limit of tokens, the first request says how long all its replies are together.
    other = folder.home / "other.ipynb"
    assert folder.rerun(folder.record("Ho", n=10), "--repeat", 30, *price, out=other) == 3
    assert len(folder.bodies()) == 6


def expected(n: Any, record: Any = None, **more: Any) -> float:
    """What a request for `n` replies may cost at a dollar for each token that comes back."""
    changes = [Change(("n",), n)] if record is not None else []
    payload = payload_of("Hi", n=n if record is None else record, **more)
    usage = {"prompt_tokens": 1, "completion_tokens": 30}
    body = json.dumps({"choices": CHUNK["choices"], "usage": usage})
    response = None if "max_tokens" in more else {"status": 200, "body": body}
    read = Record("r", payload, "0" * 64, "p", "m", response)
    [wanted] = make_plan([read], [], changes, 1, lambda name: False).wanted
    return Costs({wanted.request.target: Price(0.0, 1e6)}).expected(wanted.request)


def test_a_number_of_replies_that_is_none_counts_as_one() -> None:
    for n in (None, True, False, 0, -3, 0.5, -(10**400), "10", [10], float("nan"), -math.inf):
        assert expected(n, max_tokens=7) == 7
    for n in (10, 10.0):
        assert expected(n, max_tokens=7) == 70
    # More than any request may cost, and a number all the same.
    for n in (10**400, math.inf):
        assert 1e12 < expected(n, max_tokens=7) < math.inf
        assert 1e12 < expected(n, max_tokens=10**400) < math.inf


def test_what_the_recorded_replies_took_together_says_what_others_may() -> None:
    assert expected(10, 10) == 30
    assert expected(10, 1) == 300
    assert expected(1, 10) == 3


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
