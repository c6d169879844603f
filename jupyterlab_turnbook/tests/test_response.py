"""What is recorded of a response: times, headers, hash, and the bytes as they came."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_turnbook.runs.received import Received, together
from jupyterlab_turnbook.runs.sse import SseDecoder
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider
from jupyterlab_turnbook.scripted_provider.script import Script, actions, chunk

from .conftest import KEY, Api, ended, new_run

FINISH: list[dict[str, Any]] = [{"finish": "stop"}, {"done": True}]


async def run_of(api: Api, provider: ThreadedScriptedProvider, script: Script) -> str:
    """Send a message that is answered by this script, and wait for its end."""
    provider.script(script)
    run: str = (await api("createRun", body=new_run(autoRetry=False))).body["id"]
    await ended(api, run)
    return run


def written(script: Script) -> bytes:
    """The bytes that the provider writes for a script."""
    sends = (getattr(action, "data", b"") for action in actions(script, "scripted"))
    return b"".join(sends)


@pytest.mark.parametrize(
    "steps",
    [
        [{"delta": "Hel"}, {"delta": "lo ü 🌍"}, *FINISH],
        # Ids and words that look like numbers which JSON cannot express.
        [{"raw": 'data: { "id":"4f431e97","choices":[] }\n\n'}, {"delta": "NaN 1e999 ü"}, *FINISH],
        [{"raw": ": OPENROUTER PROCESSING\n\n"}, {"delta": "a"}, {"raw": ": again\n\n"}, *FINISH],
        [{"raw": 'data: {"choices":[]}\r\n\r\nid: 7\r\ndata:{"x":1}\r\n\r\n'}, *FINISH],
        [{"raw": "\ufeff"}, {"delta": "a"}, {"delta": "a"}, {"finish": "stop"}],
        [{"delta": "a"}, {"raw": 'data: {"choi'}],
        [{"body": {"choices": [{"index": 0, "message": {"content": "all"}}]}}],
        [{"reasoning": "Hm."}, {"delta": "a"}, *FINISH, {"raw": "data: more\n\n"}],
        [],
    ],
)
@pytest.mark.parametrize("split", [None, 3])
async def test_the_bytes_are_given_back_as_they_came(
    api: Api, provider: ThreadedScriptedProvider, steps: list[Any], split: int | None
) -> None:
    script = {"steps": steps, **({"split": split} if split else {})}
    run = await run_of(api, provider, script)
    told = (await api("getResponse", run)).body
    assert told["exact"] and told["missing"] is None
    raw = await api("getResponseBytes", run)
    all_of_it = written(script)
    # Reading ends with [DONE].
    assert all_of_it.startswith(raw.body)
    assert len(raw.body) == len(all_of_it) or b"[DONE]" in raw.body
    assert told["size"] == len(raw.body)
    assert told["hash"] == hashlib.sha256(raw.body).hexdigest() == raw.headers["X-Turnbook-Sha256"]


async def test_events_have_the_times_at_which_they_came(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    pause = {"delay": 150}
    run = await run_of(
        api, provider, {"steps": [{"delta": "a"}, pause, {"delta": "b"}, pause, *FINISH]}
    )
    told = (await api("getResponse", run)).body
    known = (await api("getRun", run)).body
    assert [(e["n"], e["data"]) for e in told["events"]] == [
        (e["n"], e["data"]) for e in known["events"] if "data" in e
    ]
    first, second, third = (event["at"] for event in told["events"])
    assert 0 <= told["answered"] <= first
    # The provider's clock and ours round differently.
    assert second - first >= 140 and third - second >= 140
    assert third <= told["ended"]
    assert (told["state"], told["status"], told["end"]["finish"]) == ("done", 200, "stop")
    assert known["run"]["createdAt"] <= told["sentAt"] <= known["run"]["updatedAt"]


async def test_only_harmless_headers_are_kept_and_keys_nowhere(
    api: Api, provider: ThreadedScriptedProvider, journal_dir: Path
) -> None:
    headers = {
        "X-Request-Id": f"req-{KEY}",
        "x-ratelimit-remaining-tokens": "149984",
        "Set-Cookie": "session=sk-cookie-canary",
        "openai-organization": "org-canary",
        "X-Api-Key": KEY,
        "Retry-After": "x" * 1000,
    }
    comment = {"raw": f": {KEY}\n\n"}
    run = await run_of(
        api, provider, {"headers": headers, "steps": [comment, {"delta": "a"}, *FINISH]}
    )
    told = (await api("getResponse", run)).body
    assert told["headers"] == {
        "content-type": "text/event-stream",
        "x-request-id": "req-[key]",
        "x-ratelimit-remaining-tokens": "149984",
        "retry-after": "x" * 300,
    }
    # The bytes cannot be given, but they can be compared.
    assert (told["exact"], told["missing"], len(told["hash"])) == (False, "redacted", 64)
    assert (await api("getResponseBytes", run)).body["code"] == "not-kept"
    kept = b"".join(file.read_bytes() for file in journal_dir.glob("journal.sqlite*"))
    for secret in (KEY.encode(), b"cookie-canary", b"org-canary"):
        assert secret not in kept


async def test_a_refusal_is_a_response_too(api: Api, provider: ThreadedScriptedProvider) -> None:
    body = {"error": {"message": "no such model", "code": "model_not_found"}}
    run = await run_of(api, provider, {"status": 404, "steps": [{"body": body}]})
    told = (await api("getResponse", run)).body
    assert (told["status"], told["state"], told["events"]) == (404, "failed", [])
    assert json.loads((await api("getResponseBytes", run)).body) == body


async def test_a_request_that_got_no_answer_has_no_response(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    run = await run_of(api, provider, {"steps": [{"reset": True}]})
    told = (await api("getResponse", run)).body
    assert (told["status"], told["hash"], told["exact"], told["events"]) == (None, None, False, [])
    assert told["sentAt"] is not None and told["missing"] == "no-answer"
    missing = await api("getResponse", "00000000-0000-4000-8000-000000000000")
    assert missing.status == 404


async def test_each_attempt_is_a_response_of_its_own(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    refused = {"status": 503, "steps": [{"body": {"error": {"message": "Overloaded"}}}]}
    answered = {"steps": [{"delta": "At last"}, *FINISH]}
    first = await run_of(api, provider, refused)
    known = (await api("getRun", first)).body["run"]
    provider.script(answered)
    retried = await api("retryTurn", known["chat"], known["pair"], body={"now": True})
    second = retried.body["run"]["id"]
    await ended(api, second)
    for run, script in ((first, refused), (second, answered)):
        assert (await api("getResponseBytes", run)).body == written(script)
    turn = (await api("getTurn", known["chat"], known["pair"])).body
    assert [each["run"]["id"] for each in turn["attempts"]] == [first, second]


async def test_a_response_under_way_has_what_came_so_far(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"steps": [{"delta": "So far"}, {"wait": "gate"}, *FINISH]})
    run = (await api("createRun", body=new_run())).body["id"]
    while not (told := (await api("getResponse", run)).body)["events"]:
        assert told["missing"] == "under-way"
    assert (told["status"], told["exact"], told["missing"]) == (200, False, "under-way")
    assert (told["ended"], told["size"], told["hash"]) == (None, None, None)
    assert (await api("getResponseBytes", run)).body["code"] == "not-kept"
    provider.release("gate")
    await ended(api, run)
    assert (await api("getResponse", run)).body["exact"]


async def test_a_reply_that_is_stopped_in_full_flow_ends_at_the_byte_that_was_read(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    for size in range(1, 12):
        words = {"tokens": "one two three " * 2000}
        provider.script({"steps": [{"delta": "x" * size}, words, *FINISH], "split": 900})
        made = (await api("createRun", body=new_run(autoRetry=False))).body
        while not (await api("getResponse", made["id"])).body["events"]:
            pass
        await api("stopRun", made["id"], params={"chat": made["chat"]})
        await ended(api, made["id"])
        raw = await api("getResponseBytes", made["id"])
        assert raw.status == 200
        assert hashlib.sha256(raw.body).hexdigest() == raw.headers["X-Turnbook-Sha256"]


async def test_a_compressed_answer_is_not_read(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    for status in (200, 500):
        script = {"status": status, "headers": {"Content-Encoding": "gzip"}, "steps": FINISH}
        told = (await api("getResponse", await run_of(api, provider, script))).body
        assert (told["status"], told["missing"]) == (status, "compressed")
        assert (told["exact"], told["size"], told["hash"]) == (False, None, None)


async def test_an_event_in_several_lines_is_reported_as_not_kept(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    run = await run_of(
        api, provider, {"steps": [{"raw": 'data: {"choices":\ndata: []}\n\n'}, *FINISH]}
    )
    told = (await api("getResponse", run)).body
    assert (told["exact"], told["missing"], len(told["hash"])) == (False, "malformed", 64)


async def test_a_long_answer_that_is_no_stream_is_kept(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    answer = {"choices": [{"index": 0, "message": {"content": "long " * 50_000}}]}
    run = await run_of(api, provider, {"steps": [{"body": answer}]})
    assert json.loads((await api("getResponseBytes", run)).body) == answer


texts = st.text(st.characters(codec="utf-8"), max_size=12)
comments = st.sampled_from(["", ": ping\n\n", ":\r\n\r\n", "event: x\n", "id: 1\ndata\n\n"])


@given(
    st.lists(st.tuples(comments, texts, st.sampled_from(["\n\n", "\r\n\r\n", "\r\r"])), max_size=6),
    st.integers(1, 9),
)
def test_any_stream_of_json_is_given_back(events: list[tuple[str, str, str]], size: int) -> None:
    raw = "".join(
        f"{before}data: {json.dumps(chunk('m', {'content': text}))}{end}"
        for before, text, end in events
    ).encode()
    received, decoder = Received(str), SseDecoder()
    received.head(200, {})
    kept: list[str] = []
    for at in range(0, len(raw), size):
        part = raw[at : at + size]
        found = [data for data in decoder.feed(part) if data]
        kept += found
        received.feed(part, found)
    received.end()
    marks = received.take(len(kept))
    made = together(
        [(data, mark.before) for data, mark in zip(kept, marks, strict=True)],
        received.rest,
        is_stream=received.is_stream,
    )
    assert received.exact and made == raw
    assert received.digest == hashlib.sha256(raw).hexdigest()


def test_memory_is_bounded() -> None:
    received = Received(str)
    received.head(200, {})
    piece = (": " + "x" * 1000 + "\n\n").encode() * 1000
    for _ in range(20):
        received.feed(piece, [])
    assert received.lacks == "malformed" and received.rest == b""
    assert received.size == 20 * len(piece)
    received.feed(random.Random(1).randbytes(9), [])
    received.end()
    assert received.digest is not None
