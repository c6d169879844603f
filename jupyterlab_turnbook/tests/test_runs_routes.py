"""`/runs`: what the API promises, over HTTP."""

from __future__ import annotations

import asyncio
import hashlib
import json
import uuid
from typing import Any

import pytest

from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import CHAT, KEY, Api, chat_named, ended, new_run, of, text_of


async def test_a_reply_comes_back_whole(api: Api, provider: ThreadedScriptedProvider) -> None:
    asked = new_run("grüß Gott 👋")
    made = await api("createRun", body=asked)
    assert made.status == 201
    assert made.body["attempt"] == 1
    assert made.body["model"] == "scripted"
    body = await ended(api, asked["id"])
    assert body["run"]["state"] == "done"
    assert text_of(body["events"]) == "You said: grüß Gott 👋"
    assert [event["n"] for event in body["events"]] == list(range(1, body["run"]["events"] + 1))
    end = body["events"][-1]
    assert end["state"] == "done"
    assert end["end"]["finish"] == "stop"
    assert end["end"]["type"] is None
    assert "[DONE]" not in json.dumps(body["events"])


async def test_the_exact_bytes_are_sent_and_kept(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    body = '{ "model":"scripted",\n\t"stream" : true, "x": 1.50, "messages": [{"role":"user","content":"\\u00e9é"}]}  '
    asked = new_run(body=body)
    made = (await api("createRun", body=asked)).body
    await ended(api, asked["id"])
    (got,) = provider.requests
    assert got.body == body.encode()
    assert made["hash"] == hashlib.sha256(body.encode()).hexdigest() == got.sha256
    assert made["size"] == len(body.encode())
    assert got.path == "/v1/chat/completions"
    headers = {name.lower(): value for name, value in got.headers.items()}
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["content-type"] == "application/json"
    assert headers["accept"] == "text/event-stream"
    kept = await api("getRequest", asked["id"])
    assert kept.body == body.encode()
    assert kept.headers["X-Turnbook-Sha256"] == made["hash"]


async def test_the_same_claim_twice_is_one_request(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"finish": "stop"}, {"done": True}]})
    asked = new_run()
    first, second = await asyncio.gather(api("createRun", body=asked), api("createRun", body=asked))
    assert sorted([first.status, second.status]) == [200, 201]
    assert first.body["id"] == second.body["id"]
    provider.release("go")
    await ended(api, asked["id"])
    assert (await api("createRun", body=asked)).status == 200
    assert len(provider.requests) == 1


async def test_the_same_id_with_another_body_is_refused(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    for change in ({"body": asked["body"] + " "}, {"pair": "other"}, {"chat": chat_named("other")}):
        other = await api("createRun", body={**asked, **change})
        assert (other.status, other.body["code"]) == (409, "body-differs")
    assert len(provider.requests) == 1


async def test_a_live_run_locks_its_chat(api: Api, provider: ThreadedScriptedProvider) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"finish": "stop"}, {"done": True}]})
    first = new_run()
    await api("createRun", body=first)
    busy = await api("createRun", body=new_run())
    assert (busy.status, busy.body["code"]) == (409, "chat-busy")
    assert busy.body["run"]["id"] == first["id"]
    elsewhere = await api("createRun", body=new_run(chat=chat_named("b")))
    assert elsewhere.status == 201
    provider.release("go")
    await ended(api, first["id"])
    assert (await api("createRun", body=new_run())).status == 201
    assert len(await provider.requested(3)) == 3


async def test_a_pair_is_sent_once_unless_it_is_meant_as_a_resend(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"finish": "stop"}, {"done": True}]})
    first = new_run()
    await api("createRun", body=first)
    other = new_run("other", pair=first["pair"])
    alive = await api("createRun", body=other)
    assert (alive.status, alive.body["code"]) == (409, "pair-exists")
    provider.release("go")
    await ended(api, first["id"])
    over = await api("createRun", body={**other, "resend": False})
    assert (over.status, over.body["code"]) == (409, "pair-exists")
    assert (over.body["run"]["id"], over.body["run"]["state"]) == (first["id"], "done")
    assert len(provider.requests) == 1
    assert (await api("createRun", body=first)).status == 200
    made = await api("createRun", body={**other, "resend": True})
    assert (made.status, made.body["attempt"]) == (201, 2)
    # The same id in another chat is another pair: a copied file keeps its cells' ids.
    await ended(api, other["id"])
    copied = new_run(pair=first["pair"], chat=chat_named("copy"))
    assert (await api("createRun", body=copied)).status == 201
    assert len(await provider.requested(3)) == 3


async def test_lists(api: Api, provider: ThreadedScriptedProvider) -> None:
    provider.script({"steps": [{"stall": True}]}, model="slow")
    slow_body = json.dumps({"model": "slow", "messages": []})
    done, slow = new_run(chat=chat_named("a")), new_run(chat=chat_named("b"), body=slow_body)
    for asked in (done, slow):
        assert (await api("createRun", body=asked)).status == 201
    await ended(api, done["id"])
    await provider.requested(2)

    async def listed(**params: str) -> list[str]:
        runs = (await api("listRuns", params=params)).body["runs"]
        return [run["id"] for run in runs]

    assert await listed() == [done["id"], slow["id"]]
    assert await listed(chat=chat_named("a")) == [done["id"]]
    assert await listed(state="alive") == [slow["id"]]
    assert await listed(state="done,failed") == [done["id"]]
    assert await listed(state="alive", chat=chat_named("a")) == []
    await api("landRun", done["id"], params=of(done))
    assert await listed(open="1") == [slow["id"]]
    assert await listed(open="0") == [done["id"], slow["id"]]
    assert (await api("listRuns", params={"state": "alive,odd"})).status == 400


async def test_events_after_a_number(api: Api) -> None:
    asked = new_run("one two three")
    await api("createRun", body=asked)
    events = (await ended(api, asked["id"]))["events"]
    for after in range(len(events) + 2):
        got = (await api("getRun", asked["id"], params={"after": after})).body["events"]
        assert got == events[after:]
    for wrong in ("-1", "x", "1.0", "9" * 30):
        assert (await api("getRun", asked["id"], params={"after": wrong})).status == 400


async def test_landing_and_dropping(api: Api) -> None:
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    assert (await api("landRun", asked["id"], params=of(asked))).body["landed"] is True
    assert (await api("dropRun", asked["id"], params=of(asked))).body["dropped"] is True
    back = (await api("dropRun", asked["id"], params=of(asked), body={"dropped": False})).body
    assert (back["landed"], back["dropped"]) == (True, False)
    assert (
        await api("dropRun", asked["id"], params=of(asked), body={"no": 1}, valid=False)
    ).status == 400


async def test_stop(api: Api, provider: ThreadedScriptedProvider) -> None:
    provider.script({"steps": [{"delta": "partial"}, {"stall": True}]})
    asked = new_run()
    await api("createRun", body=asked)
    while not (await api("getRun", asked["id"])).body["events"]:
        await asyncio.sleep(0.01)
    both = await asyncio.gather(*(api("stopRun", asked["id"], params=of(asked)) for _ in range(2)))
    for stopped in both:
        assert stopped.body["state"] == "stopped"
        assert stopped.body["end"]["type"] is None
        assert stopped.body["turn"]["auto"] is False
    await provider.hung_up()
    body = (await api("getRun", asked["id"])).body
    assert text_of(body["events"]) == "partial"
    assert (await api("stopRun", asked["id"], params=of(asked))).body == body["run"]


async def test_stop_at_once_is_harmless(api: Api, provider: ThreadedScriptedProvider) -> None:
    for _ in range(10):
        asked = new_run()
        made, stopped = await asyncio.gather(
            api("createRun", body=asked), api("stopRun", asked["id"], params=of(asked))
        )
        assert made.status == 201
        assert stopped.status in (200, 404)
        run = (await ended(api, asked["id"]))["run"]
        assert run["state"] in ("stopped", "done")


async def test_stop_after_the_end_leaves_the_run_and_ends_retrying(api: Api) -> None:
    asked = new_run()
    await api("createRun", body=asked)
    run = (await ended(api, asked["id"]))["run"]
    stopped = (await api("stopRun", asked["id"], params=of(asked))).body
    assert stopped["turn"]["auto"] is False
    assert {**stopped, "turn": None} == {**run, "turn": None}


@pytest.mark.parametrize("operation", ["getRun", "stopRun", "getRequest", "landRun", "dropRun"])
async def test_unknown_runs(api: Api, operation: str) -> None:
    answer = await api(operation, str(uuid.uuid4()), params={"chat": CHAT})
    assert (answer.status, answer.body["code"]) == (404, "no-such-run")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"id": "not-a-uuid"}, "bad-request"),
        ({"chat": ""}, "bad-request"),
        ({"after": 7}, "bad-request"),
        ({"extra": 1}, "bad-request"),
        ({"body": {"model": "m"}}, "bad-request"),
        ({"body": "{"}, "bad-body"),
        ({"body": "[]"}, "bad-body"),
        ({"body": '{"model": 7}'}, "bad-body"),
        ({"body": "[" * 100_000}, "bad-body"),
        ({"body": '{"model": "\ud800"}'}, "bad-body"),
    ],
)
async def test_bad_claims(
    api: Api, provider: ThreadedScriptedProvider, change: dict[str, Any], code: str
) -> None:
    answer = await api("createRun", body=new_run(**change), valid=False)
    assert (answer.status, answer.body["code"]) == (400, code)
    assert (await api("listRuns")).body["runs"] == []
    assert provider.requests == []


async def test_bad_json_and_unknown_provider(api: Api, provider: ThreadedScriptedProvider) -> None:
    assert (await api("createRun", raw="{nope")).body["code"] == "bad-json"
    answer = await api("createRun", body=new_run(provider="nobody"))
    assert (answer.status, answer.body["code"]) == (404, "unknown-provider")
    assert (await api("listRuns")).body["runs"] == []
