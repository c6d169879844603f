"""Events on the server's event logger, which never contain content."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml
from jupyter_events import EventLogger, EventSchema
from jupyter_server.serverapp import ServerApp

from jupyterlab_turnbook import contract, events
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, chat_named, ended, new_run

Heard = list[tuple[str, dict[str, Any]]]

WHERE = {"chat": "chat-1", "pair": "pair-1"}
COUNTS = {"sections": {"system": 1, "user": 1}, "edited": 1, "deleted": 0, "version": 3}
NAME = {"debugName": "Umfrage (2) · turn 3"}
LINEAGE = {"replay_parent_session_id": "chat-1", "replay_parent_turn_id": "pair-1"}
GOOD: dict[str, dict[str, Any]] = {
    "intercept": {**NAME, **WHERE, **COUNTS, "hash": "a" * 64},
    "resume": {**NAME, **WHERE, **COUNTS, "kind": "send"},
    "apply": {**NAME, "chat": "chat-1", **COUNTS},
    "fallback": {**NAME, **WHERE, "reason": "render-failed"},
    "parity-mismatch": {
        **NAME,
        **WHERE,
        "hash": "a" * 64,
        "otherHash": "b" * 64,
        "where": "snapshot",
    },
    "replay": {**NAME, **WHERE, **COUNTS, **LINEAGE, "replay": "r-1"},
    "start-chatting": {**NAME, **WHERE, **LINEAGE, "fork": "chat-2"},
    "stale": {**NAME, **WHERE, **LINEAGE, "reason": "source-deleted"},
    "restore": {**NAME, **WHERE, **LINEAGE},
}


@pytest.fixture
def heard(jp_serverapp: ServerApp) -> Heard:
    """What a listener hears."""
    found: Heard = []

    async def listen(logger: Any, schema_id: str, data: dict[str, Any]) -> None:
        found.append((schema_id.rpartition(":")[2], data))

    assert jp_serverapp.event_logger is not None
    for name in events.NAMES:
        jp_serverapp.event_logger.add_listener(schema_id=events.schema_id(name), listener=listen)
    return found


async def settle(heard: Heard, count: int) -> None:
    for _ in range(500):
        if len(heard) >= count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(heard)


@pytest.mark.parametrize("name", GOOD)
async def test_a_page_can_emit_events(api: Api, heard: Heard, name: str) -> None:
    answer = await api("emitEvent", body={"name": name, "data": GOOD[name]})
    assert answer.status == 204
    await settle(heard, 1)
    assert heard == [(name, GOOD[name])]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("replay", {**WHERE, "text": "content"}),
        ("replay", {"chat": "chat-1"}),
        ("replay", {"chat": "words of a message", "pair": "p"}),
        ("replay", {**WHERE, "sections": {"user": "content"}}),
        ("replay", {**WHERE, "sections": {"my secret": 1}}),
        ("fallback", {**WHERE, "reason": "It said: content"}),
        ("parity-mismatch", {**WHERE, "hash": "a", "otherHash": "b" * 64}),
        ("resume", {**WHERE, "kind": "thing"}),
        ("replay", {**WHERE, "debugName": "two\nlines of content"}),
        ("replay", {**WHERE, "debugName": "content " * 30}),
    ],
)
async def test_invalid_events_are_refused_and_not_quoted(
    api: Api, heard: Heard, name: str, data: dict[str, Any]
) -> None:
    answer = await api("emitEvent", body={"name": name, "data": data})
    assert (answer.status, answer.body["code"]) == (400, "bad-event")
    assert "content" not in answer.body["message"]
    assert "secret" not in answer.body["message"]
    assert heard == []


async def test_names(api: Api, heard: Heard) -> None:
    for name in ("send", "nonsense"):
        answer = await api("emitEvent", body={"name": name, "data": WHERE}, valid=False)
        assert answer.status == 400
    names = set(contract.document()["components"]["schemas"]["EventName"]["enum"])
    assert names == set(events.NAMES) - events.OF_SERVER == set(GOOD)
    assert heard == []


async def test_the_server_emits_sends_and_resumptions(
    api: Api, heard: Heard, provider: ThreadedScriptedProvider
) -> None:
    provider.script({"status": 503, "steps": []})
    asked = new_run("my secret words", draft={**COUNTS, **NAME})
    run = (await api("createRun", body=asked)).body
    await ended(api, asked["id"])
    again = await api("retryTurn", asked["chat"], asked["pair"], body={"now": True})
    await settle(heard, 3)
    names = [name for name, _ in heard]
    assert names == ["send", "send", "resume"]
    first, second, resumed = (data for _, data in heard)
    assert first == {
        "chat": asked["chat"],
        "pair": asked["pair"],
        "run": asked["id"],
        "attempt": 1,
        "automatic": False,
        "continues": None,
        "hash": run["hash"],
        **COUNTS,
        **NAME,
    }
    assert (second["attempt"], second["run"]) == (2, again.body["run"]["id"])
    assert (resumed["kind"], resumed["attempt"]) == ("stream", 2)
    assert "secret" not in repr(heard)
    await ended(api, again.body["run"]["id"])


async def test_a_hash_mismatch_is_reported_and_the_request_is_sent(
    api: Api, heard: Heard, provider: ThreadedScriptedProvider
) -> None:
    asked = new_run(requestHash="0" * 64, draft=NAME)
    answer = await api("createRun", body=asked)
    assert answer.status == 201
    run = (await ended(api, asked["id"]))["run"]
    assert run["state"] == "done"
    assert provider.requests[0].sha256 == run["hash"] != run["pageHash"]
    await settle(heard, 2)
    assert heard[1] == (
        "parity-mismatch",
        {
            "chat": asked["chat"],
            "pair": asked["pair"],
            "run": asked["id"],
            "hash": run["hash"],
            "otherHash": "0" * 64,
            "where": "send",
            **NAME,
        },
    )
    same = new_run(requestHash=run["hash"], chat=chat_named("other"), body=asked["body"])
    await api("createRun", body=same)
    await ended(api, same["id"])
    await settle(heard, 3)
    assert [name for name, _ in heard[2:]] == ["send"]


def test_the_documentation_lists_every_event_and_field() -> None:
    root = Path(events.__file__).parent
    text = (root.parent.parent / "docs" / "events.md").read_text("utf-8")
    for name in events.NAMES:
        schema = yaml.safe_load((root / f"{name}.yaml").read_text("utf-8"))
        assert f"`{name}`" in text
        for field in schema["properties"]:
            assert f"`{field}`" in text
        assert schema["additionalProperties"] is False


async def test_a_send_that_nobody_listens_to_is_not_checked(
    api: Api, provider: ThreadedScriptedProvider, jp_serverapp: ServerApp, monkeypatch: Any
) -> None:
    assert jp_serverapp.event_logger is not None
    checked: list[str] = []
    monkeypatch.setattr(
        jp_serverapp.event_logger.schemas, "validate_event", lambda id_, data: checked.append(id_)
    )
    provider.script({"steps": [{"finish": "stop"}, {"done": True}]})
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    assert checked == []


async def test_a_schema_is_read_when_its_event_is_first_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    load = EventSchema._load_schema

    def note(schema: Any) -> Any:
        read.append(schema.stem)
        return load(schema)

    monkeypatch.setattr(EventSchema, "_load_schema", staticmethod(note))
    logger = EventLogger()
    made = events.Events(logger)
    assert read == []
    # Who listens to all that there are hears them.
    heard: Heard = []
    done = asyncio.Event()

    async def listen(logger: Any, schema_id: str, data: dict[str, Any]) -> None:
        heard.append((schema_id.rpartition(":")[2], data))
        done.set()

    logger.add_listener(listener=listen)
    made.load()
    assert read == ["send"]
    for _ in range(2):
        made.emit("apply", GOOD["apply"])
    await asyncio.wait_for(done.wait(), 10)
    assert read == ["send", "apply"]
    assert heard[0] == ("apply", GOOD["apply"])


@pytest.mark.parametrize("name", events.NAMES)
def test_a_schema_says_what_its_file_says(name: str) -> None:
    logger = EventLogger()
    events.Events(logger)
    file = Path(events.__file__).parent / f"{name}.yaml"
    said, meant = logger.schemas.get(events.schema_id(name)), EventSchema(file)
    assert (said.id, said.version, said.properties) == (meant.id, meant.version, meant.properties)
    assert repr(said) == repr(meant)
