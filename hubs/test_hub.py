"""Turnbook in a JupyterHub: what is private, what lasts, and what the administrator decides.

The tests share one hub and run in their order.
"""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import threading
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import STREAMS, USERS
from .hub import Hub
from .listen import Heard, listen_all
from .user import User

IDLE = 15
"""Seconds after which the culler stops an idle server: some times longer than a server with a live
run is ever silent."""


def text_of(model: str) -> str:
    """The reply of a model; no two are alike."""
    return "".join(f"{model}:{n}:日本 " for n in range(40))


def halves(model: str) -> tuple[list[str], list[str]]:
    """The pieces of a reply before and after its middle."""
    pieces = [f"{piece} " for piece in text_of(model).split(" ")[:-1]]
    half = len(pieces) // 2
    return pieces[:half], pieces[half:]


def queue(gateway: ThreadedScriptedProvider, model: str) -> None:
    """Let the next reply of a model stop in the middle, until the gate with its name is opened."""
    before, after = ([{"delta": piece} for piece in half] for half in halves(model))
    steps = [*before, {"wait": model}, *after, {"finish": "stop"}, {"done": True}]
    gateway.script({"steps": steps}, model=model)


def begin(
    hub: Hub, gateway: ThreadedScriptedProvider, user: User, models: list[str]
) -> dict[str, str]:
    """Send to some models and wait until the first half of each reply is in the journal."""
    for model in models:
        queue(gateway, model)
    sent = {user.send(model): model for model in models}
    for run, model in sent.items():
        half = "".join(halves(model)[0])
        hub.until(lambda run=run, half=half: user.text(run) == half, f"{model} begins")  # type: ignore[misc]
    return sent


def finish(hub: Hub, user: User, sent: dict[str, str]) -> None:
    """Wait until all runs are done, and count the bytes of their replies."""
    for run, model in sent.items():
        hub.until(lambda run=run: user.runs()[run]["state"] == "done", f"{model} is done")  # type: ignore[misc]
        assert user.text(run).encode() == text_of(model).encode()


def requests(gateway: ThreadedScriptedProvider) -> Counter[str | None]:
    """How often each model was asked."""
    return Counter(each.model for each in gateway.completions())


def test_users_neither_see_nor_reach_each_other(
    hub: Hub, gateway: ThreadedScriptedProvider
) -> None:
    users = list(hub.users.values())
    assert len(users) == USERS
    sent = {
        user: begin(hub, gateway, user, [f"{user.name}-talk{n}" for n in range(STREAMS)])
        for user in users
    }
    assert gateway.counts()["open"] == USERS * STREAMS
    heard: list[Heard] = []
    listening = threading.Thread(
        target=lambda: heard.extend(asyncio.run(listen_all({u: list(r) for u, r in sent.items()})))
    )
    listening.start()
    for user in users:
        for model in sent[user].values():
            gateway.release(model)
    listening.join(120)
    assert len(heard) == USERS

    for user, here in zip(users, heard, strict=True):
        others = [each for each in users if each is not user]
        assert here.texts == {run: text_of(model) for run, model in sent[user].items()}
        # Neither on the socket, nor in the list, nor on the disk.
        assert set(user.runs()) == set(sent[user])
        on_disk = b"".join(file.read_bytes() for file in files(user))
        assert f"{user.name}-talk0".encode() in on_disk
        assert user.key.encode() not in on_disk
        for other in others:
            for place in ("\n".join(here.frames).encode(), on_disk):
                assert f"{other.name}-talk".encode() not in place
                assert other.key.encode() not in place
        for file in (*files(user), user.journal):
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file

    # Each request had the key of its user.
    keys = {each.model: each.headers["authorization"] for each in gateway.completions()}
    assert keys == {model: f"Bearer {u.key}" for u in users for model in sent[u].values()}

    # With somebody else's token.
    one, other = users[0], users[1]
    theirs = next(iter(sent[other]))
    for path in ("runs", f"runs/{theirs}", "providers", "journal", "usage", "stream"):
        assert one.fetch("GET", f"turnbook/api/{path}", at=other).status_code == 403, path
    for method, path in (("POST", "runs"), ("DELETE", f"runs/{theirs}"), ("PUT", "providers/x")):
        assert one.fetch(method, f"turnbook/api/{path}", {}, at=other).status_code == 403, path
    assert one.fetch("GET", "api/contents", at=other).status_code == 403
    # The runs of others are not known to one's own server.
    assert one.fetch("GET", f"turnbook/api/runs/{theirs}").status_code == 404


def files(user: User) -> list[Path]:
    """The files of a user's journal."""
    return [file for file in user.journal.iterdir() if file.is_file()]


def test_the_settings_of_the_administrator_hold(
    hub: Hub, elsewhere: ThreadedScriptedProvider
) -> None:
    # This one has files that say otherwise wherever Jupyter might look for them.
    user = hub.users["user0"]
    before = user.runs()
    listed = user.ask("GET", "providers")
    assert [each["name"] for each in listed["providers"]] == ["local", "gateway"]
    assert listed["canAdd"] is False
    models = user.ask("GET", "models")
    assert models["default"] == "gateway/scripted"
    assert user.ask("GET", "local/models")["hub"] == ""
    given = {"baseUrl": elsewhere.url}
    for method, path in (
        ("PUT", "providers/mine"),
        ("PUT", "providers/gateway"),
        ("POST", "providers/mine/test"),
        ("DELETE", "providers/gateway"),
    ):
        answer = user.fetch(method, f"turnbook/api/{path}", None if method == "DELETE" else given)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), path
    # Nobody looks for servers on this machine.
    assert user.ask("GET", "loopback") == {"servers": []}
    # Nor can a message be sent there: to one that the user has written down, or found on loopback.
    for name in ("mine", "loopback", "openai"):
        answer = user.fetch("POST", "turnbook/api/runs", user.new_run("scripted", name))
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-provider"), name
    assert user.runs() == before
    assert elsewhere.requests == []


def test_servers_that_die_or_are_stopped_lose_nothing(
    hub: Hub, gateway: ThreadedScriptedProvider
) -> None:
    killed, stopped = hub.users["user1"], hub.users["user2"]
    sent = {
        user: begin(hub, gateway, user, [f"{user.name}-again{n}" for n in range(STREAMS)])
        for user in (killed, stopped)
    }
    before = {run: user.text(run) for user in sent for run in sent[user]}
    pid = killed.pid(hub)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    hub.until(lambda: not hub.server(killed), "the hub finds out")
    hub.stop_server(stopped)

    for user in sent:
        for model in sent[user].values():
            # The next attempt sends the same bytes, and this time the reply is whole.
            queue(gateway, model)
            gateway.release(model)
    hub.start_servers(sent)
    for user in sent:
        for run, model in sent[user].items():
            assert user.text(run) == before[run]
            assert user.runs()[run]["state"] == "interrupted"
            hub.until(lambda user=user, run=run: len(attempts(user, run)) == 2, "the next attempt")  # type: ignore[misc]
            finish(hub, user, {attempts(user, run)[1]: model})
            assert requests(gateway)[model] == 2


def attempts(user: User, run: str) -> list[str]:
    """The runs of the same pair, in their order."""
    runs = user.runs()
    pair = [each for each in runs.values() if each["pair"] == runs[run]["pair"]]
    return [each["id"] for each in sorted(pair, key=lambda each: each["attempt"])]


def test_a_restarted_hub_finds_all_replies_and_its_culler_spares_those_who_wait(
    hub: Hub, gateway: ThreadedScriptedProvider
) -> None:
    streaming, retrying = hub.users["user3"], hub.users["user4"]
    idle = [hub.users["user5"], hub.users["user6"]]
    sent = begin(hub, gateway, streaming, [f"{streaming.name}-long{n}" for n in range(STREAMS)])
    gateway.script(
        {"status": 429, "headers": {"Retry-After": "3600"}, "steps": []}, model="user4-wait"
    )
    waits = retrying.send("user4-wait")
    hub.until(lambda: retrying.runs()[waits]["turn"]["retryAt"] is not None, "the wait begins")
    pids = {user: user.pid(hub) for user in (streaming, retrying)}
    assert None not in pids.values()

    hub.kill()
    # Half of the rest arrives while there is no hub.
    early = dict(list(sent.items())[: STREAMS // 2])
    for model in early.values():
        gateway.release(model)
    began = datetime.now(timezone.utc)
    hub.start()
    # From here on nobody asks these two servers anything, and yet they say that they are active.
    for user in pids:
        hub.until(lambda user=user: hub.last_activity(user) > began, f"{user.name} is active")  # type: ignore[misc]
    for user in idle:
        user.ask("GET", "runs")
    hub.cull(IDLE)
    for user in idle:
        hub.until(lambda user=user: not hub.server(user), f"{user.name} is culled")  # type: ignore[misc]
    assert {user: user.pid(hub) for user in pids} == pids

    for model in sent.values():
        gateway.release(model)
    finish(hub, streaming, sent)
    assert {model: requests(gateway)[model] for model in sent.values()} == dict.fromkeys(
        sent.values(), 1
    )
    # Now that nothing is left to wait for, this one is culled as well, and comes back with everything.
    before = streaming.runs()
    hub.until(lambda: not hub.server(streaming), "the server is culled after its last run")
    assert retrying.pid(hub) == pids[retrying]
    hub.start_servers([streaming])
    assert streaming.runs() == before
    finish(hub, streaming, sent)
    assert retrying.runs()[waits]["turn"]["retryAt"] is not None
