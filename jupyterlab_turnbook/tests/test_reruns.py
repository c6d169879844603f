"""`/reruns`: what a page can rerun, what is sent, and what survives the page and the server."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.serverapp import ServerApp

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.records.make import write
from jupyterlab_turnbook.rerun.reading import verify_results
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import KEY, Api
from .rerun_support import payload_of, record_of
from .test_rerun import says


def wish(source: Any, **more: Any) -> dict[str, Any]:
    given = source if isinstance(source, dict) else {"paths": [source]}
    return {
        "source": given,
        "models": [],
        "repeats": 1,
        "set": [],
        "prices": {},
        "maxRequests": None,
        "maxCost": None,
        **more,
    }


def put(folder: Path, name: str, text: str = "Hi", **more: Any) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / f"{name}.replay.ipynb"
    write(record_of(payload_of(text, **more)), path)
    return path


async def begin(api: Api, wanted: dict[str, Any]) -> dict[str, Any]:
    """Preview and start, as a page does."""
    preview = (await api("previewRerun", body=wanted)).body
    assert preview["problem"] == ""
    body = {"wish": {**wanted, "out": preview["out"]}, "plan": preview["plan"]}
    answer = await api("startRerun", str(uuid.uuid4()), body=body)
    assert answer.status == 201, answer.body
    started: dict[str, Any] = answer.body
    return started


async def over(api: Api, rerun: str) -> dict[str, Any]:
    """The rerun when it sends no more."""
    while True:
        [found] = [each for each in (await api("listReruns")).body["reruns"] if each["id"] == rerun]
        if found["state"] not in ("running", "ending"):
            return dict(found)
        await asyncio.sleep(0.02)


def states(root: Path, out: str) -> Counter[str]:
    notebook = json.loads((root / out).read_text())
    return Counter(
        cell["metadata"]["turnbook_result"]["state"]
        for cell in notebook["cells"]
        if "turnbook_result" in cell["metadata"]
    )


async def test_a_preview_says_what_would_be_sent_and_sends_and_writes_nothing(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider, tmp_path: Path
) -> None:
    put(jp_root_dir / "set", "a", "One", max_tokens=10)
    put(jp_root_dir / "set", "b", "Two")
    damaged = put(jp_root_dir / "set", "c", "Three")
    damaged.write_text(damaged.read_text().replace("Three", "Four", 1))
    outside = put(tmp_path / "outside", "d", "Five")
    (jp_root_dir / "set" / "e.replay.ipynb").symlink_to(outside)
    (jp_root_dir / "set" / "other.ipynb").write_text("{}")
    before = sorted(jp_root_dir.rglob("*"))
    wanted = wish("set", models=["test/m", "test/n"], repeats=3)
    body = (await api("previewRerun", body=wanted)).body
    assert body["problem"] == ""
    assert [each["name"] for each in body["records"]] == [
        "set/a.replay.ipynb",
        "set/b.replay.ipynb",
    ]
    refused = {each["name"]: each["why"] for each in body["refused"]}
    assert "outside of the folder" in refused["set/e.replay.ipynb"]
    assert refused["set/c.replay.ipynb"].startswith("Cell 2 does not show")
    assert str(jp_root_dir) not in json.dumps(body)
    assert (body["requests"], body["had"], body["out"]) == (12, 0, "set/results.ipynb")
    assert [(row["model"], row["requests"], row["cost"]) for row in body["models"]] == [
        ("test/m", 6, None),
        ("test/n", 6, None),
    ]
    assert body["models"][0]["outputTokens"] is None
    priced = {**wanted, "prices": {"test/m": {"input": 1, "output": 2}}}
    rows = (await api("previewRerun", body=priced)).body["models"]
    assert rows[0]["cost"] > 0 and rows[1]["cost"] is None
    assert provider.completions() == []
    assert sorted(jp_root_dir.rglob("*")) == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source": {"paths": ["nowhere"]}}, "does not exist"),
        ({"source": {"paths": ["../x"]}}, "outside"),
        ({"source": {"paths": [".hidden"]}}, "hidden"),
        ({"source": {"paths": ["empty"]}}, "no record"),
        ({"out": "no/x.ipynb"}, "does not exist"),
        ({"out": ".x.ipynb"}, "hidden"),
        ({"out": "../x.ipynb"}, "outside"),
        ({"out": "set/a.replay.ipynb"}, "is not a results notebook"),
        ({"out": "x.txt"}, "is not the name of a notebook"),
        ({"set": ["temperature"]}, "is not path=value"),
        ({"set": ["model=x"]}, "Name it as a model"),
        ({"set": ["messages.7.content=x"]}, "nothing at messages.7"),
        ({"maxCost": 1}, "price of test/scripted is not known"),
        ({"repeats": 1000, "models": [f"test/{n}" for n in range(101)]}, "more than 100000"),
        ({"models": ["local/none"], "source": {"paths": ["set", "nowhere"]}}, "does not exist"),
    ],
)
async def test_what_cannot_be_rerun_is_said_before_anything_is_sent(
    api: Api,
    jp_root_dir: Path,
    provider: ThreadedScriptedProvider,
    changes: dict[str, Any],
    words: str,
) -> None:
    put(jp_root_dir / "set", "a")
    (jp_root_dir / ".hidden").mkdir()
    (jp_root_dir / "empty").mkdir()
    wanted = {**wish("set"), **changes}
    body = (await api("previewRerun", body=wanted)).body
    assert words in body["problem"]
    assert body["plan"] == ""
    answer = await api("startRerun", str(uuid.uuid4()), body={"wish": wanted, "plan": ""})
    assert (answer.status, answer.body["code"]) == (409, "rerun")
    assert provider.completions() == []
    assert (await api("listReruns")).body["reruns"] == []


async def test_a_rerun_sends_everything_once_and_says_how_far_it_is(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider, journal_dir: Path
) -> None:
    put(jp_root_dir / "set", "a", "One")
    put(jp_root_dir / "set", "b", "Two")
    wanted = wish("set", models=["test/m"], repeats=3, set=["temperature=0"])
    started = await begin(api, wanted)
    found = await over(api, started["id"])
    assert (found["state"], found["total"], found["done"], found["message"]) == ("done", 6, 6, "")
    assert (found["cost"], found["unpriced"], found["underWay"]) == (0, 6, 0)
    sent = [json.loads(one.body) for one in provider.completions()]
    assert len(sent) == 6
    assert {(each["model"], each["temperature"]) for each in sent} == {("m", 0)}
    assert found["writtenAt"] > 0
    assert verify_results(jp_root_dir / found["out"]).problems == []
    assert not [
        file
        for folder in (jp_root_dir, journal_dir)
        for file in folder.rglob("*")
        if file.is_file() and KEY.encode() in file.read_bytes()
    ]
    # The answer was lost, and the page asks again.
    preview = (await api("previewRerun", body={**wanted, "out": found["out"]})).body
    assert (preview["requests"], preview["had"], preview["replaces"]) == (0, 6, True)
    body = {"wish": {**wanted, "out": found["out"]}, "plan": preview["plan"]}
    answer = await api("startRerun", started["id"], body=body)
    assert (answer.status, answer.body["state"]) == (200, "done")
    # Another one has results of its own.
    assert (await api("previewRerun", body=wanted)).body["out"] == "set/results-2.ipynb"
    assert len(provider.completions()) == 6
    assert (await api("forgetRerun", started["id"])).status == 204
    assert (await api("listReruns")).body["reruns"] == []
    assert (jp_root_dir / found["out"]).exists()
    assert (await api("stopRerun", started["id"])).status == 404


async def test_other_records_than_those_shown_are_not_sent(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider
) -> None:
    put(jp_root_dir / "set", "a", "One")
    wanted = wish("set", out="set/results.ipynb")
    plan = (await api("previewRerun", body=wanted)).body["plan"]
    put(jp_root_dir / "set", "b", "Two")
    answer = await api("startRerun", str(uuid.uuid4()), body={"wish": wanted, "plan": plan})
    assert (answer.status, answer.body["code"]) == (409, "plan-changed")
    # Nor are results replaced that were not there.
    plan = (await api("previewRerun", body=wanted)).body["plan"]
    (jp_root_dir / "set/results.ipynb").write_text('{"metadata": {"turnbook": {"results": {}}}}')
    answer = await api("startRerun", str(uuid.uuid4()), body={"wish": wanted, "plan": plan})
    assert (answer.status, answer.body["code"]) == (409, "plan-changed")
    (jp_root_dir / "set/results.ipynb").unlink()
    # What is missing is sent only if the records are what they were.
    started = await begin(api, {**wanted, "maxRequests": 1})
    assert (await over(api, started["id"]))["state"] == "incomplete"
    (jp_root_dir / "set" / "b.replay.ipynb").unlink()
    put(jp_root_dir / "set", "b", "Three")
    answer = await api("continueRerun", started["id"])
    assert (answer.status, answer.body["code"]) == (409, "plan-changed")
    assert len(provider.completions()) == 1


async def test_stop_waits_for_what_is_under_way_and_going_on_repeats_nothing(
    api: Api,
    jp_root_dir: Path,
    provider: ThreadedScriptedProvider,
    turnbook: TurnbookApp,
    jp_serverapp: ServerApp,
) -> None:
    put(jp_root_dir, "a")
    waiting = {"steps": [{"delta": "One"}, {"wait": "go"}, *says(" two")["steps"]]}
    provider.script(*[waiting] * 20)
    started = await begin(api, wish("a.replay.ipynb", repeats=30))
    rerun = started["id"]
    await provider.requested(20)
    manager: Any = jp_serverapp.extension_manager
    assert manager.any_activity()
    assert turnbook.current_activity() == {rerun: "rerun"}
    # A second tab presses Go on, and somebody forgets it: nothing changes.
    assert (await api("continueRerun", rerun)).body["state"] == "running"
    assert (await api("forgetRerun", rerun)).status == 409
    # Nobody else may use its results meanwhile.
    other = wish("a.replay.ipynb", out=started["out"])
    assert "Another rerun is using" in (await api("previewRerun", body=other)).body["problem"]
    stopped = (await api("stopRerun", rerun)).body
    assert stopped["state"] == "ending"
    [listed] = (await api("listReruns")).body["reruns"]
    assert listed["state"] == "ending"
    provider.release("go")
    found = await over(api, rerun)
    assert (found["state"], found["done"]) == ("stopped", 20)
    assert not manager.any_activity()
    assert states(jp_root_dir, found["out"]) == {"done": 20, "missing": 10}
    assert len(provider.completions()) == 20
    both = await asyncio.gather(api("continueRerun", rerun), api("continueRerun", rerun))
    assert {answer.status for answer in both} == {200}
    found = await over(api, rerun)
    assert (found["state"], found["done"], found["unpriced"]) == ("done", 30, 30)
    assert len(provider.completions()) == 30
    await api("continueRerun", rerun)
    assert (await over(api, rerun))["state"] == "done"
    assert len(provider.completions()) == 30


async def test_stopping_at_once_leaves_broken_ones_that_are_repeated_only_if_asked(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider
) -> None:
    put(jp_root_dir, "a")
    provider.script(*[{"steps": [{"delta": "One"}, {"stall": True}]}] * 3)
    rerun = (await begin(api, wish("a.replay.ipynb", repeats=3)))["id"]
    await provider.requested(3)
    await api("stopRerun", rerun)
    await api("stopRerun", rerun, params={"now": "1"})
    found = await over(api, rerun)
    assert found["state"] == "stopped"
    assert found["done"] == 0 and found["broken"] + found["unknown"] == 3
    await api("continueRerun", rerun)
    found = await over(api, rerun)
    assert (found["state"], found["done"]) == ("incomplete", 0)
    assert len(provider.completions()) == 3
    await api("continueRerun", rerun, body={"again": True})
    assert (await over(api, rerun))["state"] == "done"
    assert len(provider.completions()) == 6


async def test_a_limit_ends_it_and_says_so(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider
) -> None:
    put(jp_root_dir, "a")
    rerun = (await begin(api, wish("a.replay.ipynb", repeats=5, maxRequests=2)))["id"]
    found = await over(api, rerun)
    assert (found["state"], found["done"]) == ("incomplete", 2)
    assert found["notes"] == ["No more is sent. 2 requests were sent, which is the limit."]
    await api("continueRerun", rerun)
    assert (await over(api, rerun))["done"] == 4
    assert len(provider.completions()) == 4


async def test_costs_are_those_of_all_replies_also_of_earlier_ones(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider
) -> None:
    put(jp_root_dir, "a")
    usage = {"prompt_tokens": 1000, "completion_tokens": 1000}
    provider.script(*[says("a", usage=usage)] * 4)
    prices = {"test/scripted": {"input": 1, "output": 2}}
    wanted = wish("a.replay.ipynb", repeats=4, maxRequests=2, prices=prices, maxCost=1)
    rerun = (await begin(api, wanted))["id"]
    assert (await over(api, rerun))["cost"] == pytest.approx(0.006)
    await api("continueRerun", rerun)
    found = await over(api, rerun)
    assert (found["cost"], found["unpriced"]) == (pytest.approx(0.012), 0)


async def test_a_model_that_is_not_on_this_machine_is_refused_with_what_to_do(
    api: Api, jp_root_dir: Path
) -> None:
    put(jp_root_dir, "a")
    started = await begin(api, wish("a.replay.ipynb", models=["local/none", "test/m"]))
    found = await over(api, started["id"])
    assert (found["state"], found["done"], found["refused"]) == ("incomplete", 1, 1)
    assert "no local model named none" in " ".join(found["notes"])


async def test_a_full_disk_is_told_and_what_came_is_not_sent_again(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider
) -> None:
    put(jp_root_dir / "set", "a")
    provider.script({"steps": [{"wait": "go"}, *says("a")["steps"]]})
    started = await begin(api, wish("set/a.replay.ipynb"))
    await provider.requested(1)
    # It can be opened before the first reply has come.
    while not (jp_root_dir / started["out"]).exists():
        await asyncio.sleep(0.02)
    (jp_root_dir / started["out"]).unlink()
    (jp_root_dir / started["out"]).mkdir()
    provider.release("go")
    found = await over(api, started["id"])
    assert found["state"] == "failed"
    assert "could not be written" in found["message"]
    answer = await api("continueRerun", started["id"])
    assert (answer.status, answer.body["code"]) == (409, "rerun")
    (jp_root_dir / started["out"]).rmdir()
    await api("continueRerun", started["id"])
    assert (await over(api, started["id"]))["state"] == "done"
    assert len(provider.completions()) == 1


async def test_records_of_a_page_are_checked_and_written(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider
) -> None:
    (jp_root_dir / "plan.chat.ipynb").write_text("{}")
    good = record_of(payload_of("One"))
    hostile = json.loads(json.dumps(good))
    hostile["metadata"]["turnbook"]["record"]["hash"] = "../../../x"
    changed = json.loads(json.dumps(good).replace("One", "Two"))
    source = {"beside": "plan.chat.ipynb", "records": [good, hostile, changed, {}]}
    preview = (await api("previewRerun", body=wish(source))).body
    assert (len(preview["records"]), len(preview["refused"])) == (1, 3)
    found = await over(api, (await begin(api, wish(source)))["id"])
    assert found["state"] == "done"
    assert len(list((jp_root_dir / "plan-rerun").glob("*.replay.ipynb"))) == 1
    assert len(provider.completions()) == 1
    # A folder that leads elsewhere is not written to.
    (jp_root_dir / "else.chat.ipynb").write_text("{}")
    (jp_root_dir / "else-rerun").symlink_to("/tmp")
    source["beside"] = "else.chat.ipynb"
    assert (await api("previewRerun", body=wish(source))).body["problem"] != ""


async def test_a_server_that_stops_leaves_what_the_next_one_goes_on_with(
    api: Api,
    jp_root_dir: Path,
    provider: ThreadedScriptedProvider,
    turnbook: TurnbookApp,
) -> None:
    put(jp_root_dir, "a")
    provider.script(*[{"steps": [{"delta": "One"}, {"stall": True}]}] * 2)
    rerun = (await begin(api, wish("a.replay.ipynb", repeats=2)))["id"]
    await provider.requested(2)
    await turnbook.reruns.close()
    [found] = (await api("listReruns")).body["reruns"]
    assert found["state"] == "interrupted"
    assert (await api("continueRerun", rerun)).status == 409
    assert len(provider.completions()) == 2


class TestTheEmbeddedModel:
    """Its process belongs to the server's loop, and a rerun has a loop of its own."""

    @pytest.fixture
    def journal_dir(self, embedded_data_dir: Path) -> Path:
        return embedded_data_dir

    async def test_answers_too(self, api: Api, jp_root_dir: Path, turnbook: TurnbookApp) -> None:
        put(jp_root_dir, "a", "Say hello.")
        models = [f"local/{turnbook.local.embedded.model}"]
        wanted = wish("a.replay.ipynb", models=models, repeats=2, set=["max_tokens=3"])
        found = await over(api, (await begin(api, wanted))["id"])
        assert (found["state"], found["done"], found["notes"]) == ("done", 2, [])
        # What runs here costs nothing, and that is known.
        assert (found["cost"], found["unpriced"]) == (0, 0)
        assert not turnbook.local.embedded.in_use
        assert turnbook.local.embedded.pid is not None
