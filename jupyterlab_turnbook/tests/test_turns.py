"""`/turns`: manual retries, and turning automatic retries on and off."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from jupyterlab_turnbook.runs.continuation import INSTRUCTION
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, chat_named, ended, new_run, of, text_of

CUT = {"steps": [{"delta": "Once upon"}, {"cut": True}]}
GOOD = {"steps": [{"delta": " a time"}, {"finish": "stop"}, {"done": True}]}


async def test_auto_is_on_by_default_and_can_be_changed(api: Api) -> None:
    asked = new_run()
    await api("createRun", body=asked)
    run = (await ended(api, asked["id"]))["run"]
    assert run["turn"] == {
        "auto": True,
        "retryAt": None,
        "failures": 0,
        "generation": 1,
        "paused": None,
    }
    for auto in (False, True):
        turn = await api("retryTurn", asked["chat"], asked["pair"], body={"auto": auto})
        assert turn.body["turn"]["auto"] is auto
        assert turn.body["run"]["id"] == asked["id"]


async def test_the_same_bytes_are_sent_again_if_nothing_arrived(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"status": 503, "steps": [{"raw": "down"}]})
    asked = new_run()
    await api("createRun", body=asked)
    failed = (await ended(api, asked["id"]))["run"]
    assert (failed["state"], failed["turn"]["failures"]) == ("failed", 1)
    await api("retryTurn", asked["chat"], asked["pair"], body={"auto": False})
    turn = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
    again = turn.body["run"]
    assert (again["attempt"], again["continues"]) == (2, None)
    assert again["cell"] == asked["cell"]
    run = (await ended(api, again["id"]))["run"]
    assert run["state"] == "done"
    assert run["turn"]["failures"] == 0
    # A manual retry does not turn automatic retries back on.
    assert run["turn"]["auto"] is False
    first, second = provider.requests
    assert first.body == second.body
    assert run["hash"] == failed["hash"]


@pytest.mark.parametrize("provider_settings", [{"continuation": "prefill"}])
async def test_prefill_continues_all_that_arrived(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script(CUT, {"steps": [{"delta": " a"}, {"cut": True}]}, GOOD)
    asked = new_run()
    await api("createRun", body=asked)
    runs = [(await ended(api, asked["id"]))["run"]]
    for _ in range(2):
        turn = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
        runs.append((await ended(api, turn.body["run"]["id"]))["run"])
    assert [run["state"] for run in runs] == ["interrupted", "interrupted", "done"]
    assert [run["continues"] for run in runs] == [None, runs[0]["id"], runs[1]["id"]]
    sent = [request.json()["messages"] for request in provider.requests]
    assert sent[1] == [*sent[0], {"role": "assistant", "content": "Once upon"}]
    assert sent[2] == [*sent[0], {"role": "assistant", "content": "Once upon a"}]


@pytest.mark.parametrize("provider_settings", [{"continuation": "instruct"}])
async def test_instruct_asks_to_continue(api: Api, provider: ThreadedScriptedProvider) -> None:
    provider.script(CUT, GOOD)
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    turn = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
    await ended(api, turn.body["run"]["id"])
    first, second = (request.json() for request in provider.requests)
    assert second["messages"][1:] == [
        {"role": "assistant", "content": "Once upon"},
        {"role": "user", "content": INSTRUCTION},
    ]
    assert list(first) == list(second)


@pytest.mark.parametrize("provider_settings", [{}, {"continuation": "restart"}])
async def test_by_default_the_same_bytes_are_sent(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script(CUT, GOOD)
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    turn = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
    again = turn.body["run"]
    assert (again["continues"], again["goesOn"]) == (None, None)
    assert again["replaces"] == asked["id"]
    await ended(api, again["id"])
    assert provider.requests[0].body == provider.requests[1].body


async def test_an_attempt_without_text_keeps_what_a_restart_replaces(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script(CUT, {"status": 503, "steps": []}, GOOD)
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    for _ in range(2):
        turn = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
        await ended(api, turn.body["run"]["id"])
    assert (turn.body["run"]["attempt"], turn.body["run"]["replaces"]) == (3, asked["id"])


@pytest.mark.parametrize(
    ("provider_settings", "second", "third"),
    [
        # It started over and was cut off before it got further.
        ({"continuation": "instruct"}, "Once upon", "Once upon a time"),
        # It started over and got further, so it replaces the first text.
        ({"continuation": "prefill"}, "Once upon a time there was", "Once upon a time there was"),
        # It repeated its last words.
        ({"continuation": "instruct"}, "a time there was", "Once upon a time there was"),
    ],
)
async def test_the_next_attempt_continues_the_joined_text(
    api: Api, provider: ThreadedScriptedProvider, second: str, third: str
) -> None:
    for said in ("Once upon a time", second):
        provider.script({"steps": [{"delta": said}, {"cut": True}]})
    provider.script(GOOD)
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    for _ in range(2):
        turn = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
        await ended(api, turn.body["run"]["id"])
    assert turn.body["run"]["goesOn"] in ("prefill", "instruct")
    messages = provider.requests[2].json()["messages"]
    assert messages[1] == {"role": "assistant", "content": third}


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("provider_settings", [{"continuation": "prefill"}])
async def test_a_provider_that_refuses_to_continue_gets_the_original_bytes_next(
    api: Api, provider: ThreadedScriptedProvider, status: int
) -> None:
    provider.script(CUT, {"status": status, "steps": [{"body": {"error": "No prefill."}}]}, GOOD)
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    for _ in range(2):
        turn = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
        run = (await ended(api, turn.body["run"]["id"]))["run"]
    assert (run["state"], run["continues"], run["goesOn"]) == ("done", None, None)
    first, second, third = provider.requests
    assert first.body == third.body != second.body


async def test_a_stopped_run_may_be_retried(api: Api, provider: ThreadedScriptedProvider) -> None:
    provider.script({"steps": [{"stall": True}]}, GOOD)
    asked = new_run()
    await api("createRun", body=asked)
    await provider.requested(1)
    await api("stopRun", asked["id"], params=of(asked))
    turn = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
    body = await ended(api, turn.body["run"]["id"])
    assert text_of(body["events"]) == " a time"


async def test_what_cannot_be_retried(api: Api, provider: ThreadedScriptedProvider) -> None:
    provider.script({"status": 500, "steps": []}, {"steps": [{"wait": "go"}, *GOOD["steps"]]})
    bad, alive = new_run(), new_run()
    await api("createRun", body=bad)
    await ended(api, bad["id"])
    await api("createRun", body=alive)

    async def retry(asked: dict[str, Any]) -> tuple[int, str]:
        answer = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
        return answer.status, answer.body["code"]

    assert await retry(alive) == (409, "not-retryable")
    assert await retry(bad) == (409, "chat-busy")
    provider.release("go")
    await ended(api, alive["id"])
    assert await retry(alive) == (409, "not-retryable")
    assert await retry({"chat": chat_named("none"), "pair": "none"}) == (404, "no-such-run")
    wrong = await api("retryTurn", "c", "p", body={"now": "yes"}, valid=False)
    assert wrong.status == 400
    assert len(provider.requests) == 2


async def test_two_retries_at_once_are_one_request(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"status": 500, "steps": []}, {"steps": [{"wait": "go"}, *GOOD["steps"]]})
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    answers = await asyncio.gather(
        *(api("retryTurn", asked["chat"], asked["pair"], body={"now": True}) for _ in range(3))
    )
    assert sorted(answer.status for answer in answers) == [200, 409, 409]
    provider.release("go")
    (made,) = (answer.body["run"] for answer in answers if answer.status == 200)
    await ended(api, made["id"])
    assert len(provider.requests) == 2


async def test_resending_a_pair_starts_a_new_generation(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"status": 500, "steps": []})
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    before = await api("retryTurn", asked["chat"], asked["pair"], body={"auto": False})
    edited = new_run("edited", pair=asked["pair"], resend=True)
    made = (await api("createRun", body=edited)).body
    assert made["attempt"] == 2
    assert made["turn"] == {
        "auto": True,
        "retryAt": None,
        "failures": 0,
        "generation": before.body["turn"]["generation"] + 1,
        "paused": None,
    }
    assert (
        json.loads((await api("getRequest", edited["id"])).body)["messages"][0]["content"]
        == "edited"
    )
    await ended(api, edited["id"])
