"""The extension as Jupyter Server sees it."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.extension.manager import ExtensionPackage
from jupyter_server.serverapp import ServerApp

import jupyterlab_turnbook
from jupyterlab_turnbook import app, contract
from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.runs import turns
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import CHAT, Api, ended, new_run, of


def test_it_is_found_by_its_package() -> None:
    package: Any = ExtensionPackage(name="jupyterlab_turnbook", enabled=True)  # type: ignore[no-untyped-call]
    assert package.validate()
    assert list(package.extension_points) == ["jupyterlab_turnbook"]
    assert jupyterlab_turnbook.__version__
    (lab,) = jupyterlab_turnbook._jupyter_labextension_paths()
    assert lab == {"src": "labextension", "dest": "jupyterlab-turnbook"}


def test_settings_reach_it(turnbook: TurnbookApp, journal_dir: Path) -> None:
    assert turnbook.journal_dir == str(journal_dir)
    assert turnbook.default_model == "test/scripted"
    assert "test" in turnbook.providers
    assert turnbook.registry.get("test").name == "test"


def test_the_journal_is_in_the_data_directory_by_default(
    jp_environ: Any, jp_data_dir: Path
) -> None:
    assert TurnbookApp().journal_dir == str(jp_data_dir / "turnbook")


async def test_a_live_run_keeps_the_server_awake(
    api: Api, provider: ThreadedScriptedProvider, jp_serverapp: ServerApp, turnbook: TurnbookApp
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"wait": "go"}, {"finish": "stop"}]})
    manager: Any = jp_serverapp.extension_manager
    web_app: Any = jp_serverapp.web_app
    times = web_app.settings["last_activity_times"]
    assert not manager.any_activity()
    asked = new_run()
    await api("createRun", body=asked)
    await provider.requested(1)
    assert manager.any_activity()
    assert turnbook.current_activity() == {asked["id"]: CHAT}
    before = times["turnbook"]
    provider.release("go")
    await ended(api, asked["id"])
    while manager.any_activity():
        await asyncio.sleep(0.01)
    assert times["turnbook"] > before
    assert web_app.last_activity() >= times["turnbook"]


async def test_a_waiting_retry_keeps_the_server_awake(
    api: Api, provider: ThreadedScriptedProvider, jp_serverapp: ServerApp, turnbook: TurnbookApp
) -> None:
    provider.script({"status": 429, "headers": {"Retry-After": "3600"}, "steps": []})
    manager: Any = jp_serverapp.extension_manager
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    while turnbook.engine.live or not manager.any_activity():
        await asyncio.sleep(0.01)
    assert turnbook.current_activity() == {asked["pair"]: CHAT}
    await api("stopRun", asked["id"], params=of(asked))
    while manager.any_activity():
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "script",
    [
        {"steps": [{"headers": True}, {"stall": True}]},
        {"status": 429, "headers": {"Retry-After": "3600"}, "steps": []},
    ],
    ids=["a run for which nothing arrives", "a wait for the next attempt"],
)
async def test_a_silent_server_says_that_it_is_active(
    api: Api,
    provider: ThreadedScriptedProvider,
    jp_serverapp: ServerApp,
    turnbook: TurnbookApp,
    script: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The culler of a hub knows only this time.
    monkeypatch.setattr("jupyterlab_turnbook.app.ACTIVITY_SECONDS", 0.05)
    provider.script(script)
    times = jp_serverapp.web_app.settings["last_activity_times"]
    asked = new_run()
    await api("createRun", body=asked)
    await provider.requested(1)
    if "status" in script:
        await ended(api, asked["id"])
        while turnbook.engine.live or not turnbook.engine.scheduler.waiting:
            await asyncio.sleep(0.01)
    else:
        while (await api("getRun", asked["id"])).body["run"]["state"] != "streaming":
            await asyncio.sleep(0.01)
    for _ in range(3):
        before = times["turnbook"]
        while times["turnbook"] == before:
            await asyncio.sleep(0.01)
    await api("stopRun", asked["id"], params=of(asked))
    while turnbook._beat is not None:
        await asyncio.sleep(0.01)
    assert turnbook.current_activity() is None


async def test_a_wait_that_is_found_late_is_activity_too(
    api: Api,
    provider: ThreadedScriptedProvider,
    jp_serverapp: ServerApp,
    turnbook: TurnbookApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jupyterlab_turnbook.app.ACTIVITY_SECONDS", 0.05)
    waiting, go = turns.waiting, threading.Event()

    def late(*of: Any, **options: Any) -> Any:
        assert go.wait(60)
        return waiting(*of, **options)

    # The run has ended, and nobody knows yet that another attempt follows.
    monkeypatch.setattr(turns, "waiting", late)
    provider.script({"status": 429, "headers": {"Retry-After": "3600"}, "steps": []})
    asked = new_run()
    await api("createRun", body=asked)
    await provider.requested(1)
    while turnbook._beat is not None:
        await asyncio.sleep(0.01)
    times = jp_serverapp.web_app.settings["last_activity_times"]
    before = times["turnbook"]
    go.set()

    async def noted() -> None:
        while times["turnbook"] == before:
            await asyncio.sleep(0.01)

    await asyncio.wait_for(noted(), 10)
    await api("stopRun", asked["id"], params=of(asked))


async def test_stopping_the_server_ends_live_runs(
    api: Api, provider: ThreadedScriptedProvider, turnbook: TurnbookApp, journal_dir: Path
) -> None:
    provider.script({"steps": [{"delta": "a"}, {"stall": True}]})
    asked = new_run()
    await api("createRun", body=asked)
    while (await api("getRun", asked["id"])).body["run"]["events"] == 0:
        await asyncio.sleep(0.01)
    await turnbook.stop_extension()
    await provider.hung_up()
    with sqlite3.connect(journal_dir / "journal.sqlite") as db:
        assert db.execute("SELECT state FROM runs").fetchall() == [("interrupted",)]
        assert db.execute("SELECT count(*) FROM events").fetchall() == [(1,)]
        # The next server to start resumes it.
        assert db.execute("SELECT auto, retry_at > 0 FROM turns").fetchall() == [(1, 1)]
    db.close()
    answer = await api("createRun", body=new_run())
    assert (answer.status, answer.body["code"]) == (503, "journal")
    await turnbook.stop_extension()


async def test_a_journal_that_cannot_be_opened_is_told(
    api: Api, journal_dir: Path, turnbook: TurnbookApp, provider: ThreadedScriptedProvider
) -> None:
    journal_dir.write_text("in the way")
    await turnbook.engine.open()
    answer = await api("createRun", body=new_run())
    assert (answer.status, answer.body["code"]) == (503, "journal")
    assert "journal_dir" in answer.body["message"]
    assert (await api("listRuns")).status == 503
    assert provider.requests == []


async def test_the_embedded_model_must_be_there(
    api: Api, turnbook: TurnbookApp, monkeypatch: Any
) -> None:
    monkeypatch.setattr(turnbook.local, "missing", lambda model: "Fetch it first.")
    answer = await api("createRun", body=new_run(provider="local"))
    assert (answer.status, answer.body["code"]) == (424, "local-missing")
    assert (await api("listRuns")).body["runs"] == []


async def test_what_messages_need_is_read_at_the_start_beside_the_event_loop(
    turnbook: TurnbookApp, jp_serverapp: ServerApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    for part in (contract, turnbook.events):
        monkeypatch.setattr(part, "load", lambda: threads.append(threading.current_thread()))
    monkeypatch.setattr(app, "spare_loaded", lambda: None)
    await turnbook._start_jupyter_server_extension(jp_serverapp)
    assert len(threads) == 2
    assert threading.current_thread() not in threads


def test_a_server_starts_without_the_modules_of_reruns() -> None:
    look = "import sys, jupyterlab_turnbook.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert "jupyterlab_turnbook.app" in done.stdout.split()
    assert "jupyterlab_turnbook.rerun" not in done.stdout.split()
