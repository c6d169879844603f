"""Downloading models from a hub: real HTTP on loopback, real files."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import logging
import os
import stat
import threading
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.local import download, manager, memory, part
from jupyterlab_turnbook.local.errors import FetchFailed, LocalFailed, LocalMissing
from jupyterlab_turnbook.local.files import MODEL_FILE, has_engine
from jupyterlab_turnbook.local.hub import HUB, MODELS, HubModel, check_hub, may_visit, offered
from jupyterlab_turnbook.local.library import Library
from jupyterlab_turnbook.local.manager import LocalModel
from jupyterlab_turnbook.local.models import LocalModels
from jupyterlab_turnbook.scripted_provider.hub import Hub

from .conftest import Api, new_run

LOG = logging.getLogger("turnbook-test")
DATA = os.urandom(1 << 20) * 3
ENTRY = {
    "name": "Small",
    "parameters": "0.1B",
    "repo": "owner/name",
    "file": "model.gguf",
    "size": len(DATA),
    "memory": 4_000_000,
    "license": "MIT",
}
MODEL = HubModel(**ENTRY)  # type: ignore[arg-type]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(download, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(part, "MARGIN", 0)
    made = Hub(DATA)
    yield made
    made.stop()


@pytest.fixture
def library(hub: Hub, tmp_path: Path) -> Library:
    return Library(hub.url, [MODEL], tmp_path / "data", LOG)


async def state(library: Library) -> dict[str, Any]:
    found: dict[str, Any] = (await library.view())["models"][0]
    return found


async def downloaded(library: Library) -> dict[str, Any]:
    """The state after a download has ended."""
    await library.start("Small")
    await library.ended("Small")
    return await state(library)


async def half(library: Library) -> None:
    """Wait until something has arrived."""

    async def wait() -> None:
        while (await state(library))["received"] < len(DATA) // 4:
            await asyncio.sleep(0.01)

    await asyncio.wait_for(wait(), 60)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "models").glob("*"))


async def test_a_model_is_downloaded_checked_and_removed(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    before = await state(library)
    assert (before["state"], before["received"], before["page"]) == (
        "absent",
        0,
        f"{hub.url}/owner/name",
    )
    assert (await library.view())["engine"] == has_engine()
    # Looking at the list asks the hub nothing.
    assert hub.asked == []
    after = await downloaded(library)
    assert (after["state"], after["received"], after["message"]) == ("ready", len(DATA), "")
    path = MODEL.path(tmp_path / "data")
    assert path.read_bytes() == DATA
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert files(tmp_path / "data") == ["model.gguf"]
    assert hub.asked == [("GET", None)]
    # Once is enough.
    await downloaded(library)
    assert len(hub.asked) == 1
    await library.remove("Small")
    assert (await state(library))["state"] == "absent"
    assert files(tmp_path / "data") == []


async def test_a_connection_that_is_cut_is_resumed(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.cuts = [1_000_000, 700_000]
    assert (await downloaded(library))["state"] == "ready"
    assert MODEL.path(tmp_path / "data").read_bytes() == DATA
    asked = [int(each.removeprefix("bytes=")[:-1]) for _, each in hub.asked[1:] if each]
    assert len(asked) == 2 and 0 < asked[0] < asked[1] <= 1_700_000


async def test_a_hub_without_ranges_is_read_again(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.ranges, hub.cuts = False, [1_000_000]
    assert (await downloaded(library))["state"] == "ready"
    assert MODEL.path(tmp_path / "data").read_bytes() == DATA
    # One that breaks off each time is given up in the end.
    await library.remove("Small")
    hub.cuts = [1_000_000] * 10
    failed = await downloaded(library)
    assert failed["state"] == "partial" and "What arrived is kept" in failed["message"]


async def test_a_lost_hub_is_reported_and_what_arrived_is_continued_by_another_server(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.cuts = [1_000_000, 0, 0, 0]
    failed = await downloaded(library)
    assert failed["state"] == "partial" and 0 < failed["received"] <= 1_000_000
    assert "continue later, or discard it" in failed["message"]
    assert not MODEL.path(tmp_path / "data").exists()
    # As after a restart: another library on the same folder.
    again = Library(hub.url, [MODEL], tmp_path / "data", LOG)
    assert (await state(again))["received"] == failed["received"]
    assert (await downloaded(again))["state"] == "ready"
    assert hub.asked[-1] == ("GET", f"bytes={failed['received']}-")
    assert MODEL.path(tmp_path / "data").read_bytes() == DATA


async def test_nothing_arrives_from_a_hub_that_is_not_there(tmp_path: Path, hub: Hub) -> None:
    library = Library("http://127.0.0.1:9", [MODEL], tmp_path / "data", LOG)
    failed = await downloaded(library)
    assert failed["state"] == "absent"
    assert failed["message"].startswith("The connection to 127.0.0.1 failed")
    assert "try again" in failed["message"]


@pytest.mark.parametrize(
    ("status", "said", "body"),
    [
        (200, {}, b"<p>Log in to the network.</p>"),
        (206, {"Content-Range": f"bytes 5-9/{len(DATA)}"}, b"other"),
        (206, {"Content-Range": "bytes {start}-9999999/10000000"}, b"other"),
        (416, {"Content-Range": "bytes */5"}, b""),
    ],
)
async def test_one_wrong_response_to_a_range_loses_nothing(
    library: Library, hub: Hub, tmp_path: Path, status: int, said: dict[str, str], body: bytes
) -> None:
    hub.cuts = [1_000_000, 0, 0]
    start = (await downloaded(library))["received"]
    assert start > 0
    given = {name: value.format(start=start) for name, value in said.items()}
    hub.instead = [(status, given, body)]
    hub.asked.clear()
    assert (await downloaded(library))["state"] == "ready"
    assert MODEL.path(tmp_path / "data").read_bytes() == DATA
    assert hub.asked == [("GET", f"bytes={start}-")] * 2


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_hub_on_loopback_is_never_proxied(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    url = hub.url.replace("127.0.0.1", host)
    library = Library(url, [MODEL], tmp_path / "data", LOG)
    assert (await downloaded(library))["state"] == "ready"


async def test_another_file_on_the_hub_is_not_appended(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.cuts = [1_000_000, 0, 0, 0]
    assert (await downloaded(library))["state"] == "partial"
    hub.data = os.urandom(len(DATA))
    hub.sha256 = hashlib.sha256(hub.data).hexdigest()
    assert (await downloaded(library))["state"] == "ready"
    assert hub.asked[-1] == ("GET", None)
    assert MODEL.path(tmp_path / "data").read_bytes() == hub.data


async def test_other_bytes_are_deleted(library: Library, hub: Hub, tmp_path: Path) -> None:
    hub.sha256 = "0" * 64
    failed = await downloaded(library)
    assert failed["state"] == "absent"
    assert "SHA-256 differs" in failed["message"] and "deleted" in failed["message"]
    assert files(tmp_path / "data") == []


async def test_wrong_bytes_delete_nothing_but_themselves(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.sha256, hub.hold = "0" * 64, threading.Event()
    await library.start("Small")
    await half(library)
    target = MODEL.path(tmp_path / "data")
    target.write_bytes(DATA)
    hub.hold.set()
    await library.ended("Small")
    assert "SHA-256 differs" in (await state(library))["message"]
    assert files(tmp_path / "data") == ["model.gguf"] and target.read_bytes() == DATA


async def test_a_file_that_took_the_place_of_the_download_is_left_alone(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.hold = threading.Event()
    await library.start("Small")
    await half(library)
    target = MODEL.path(tmp_path / "data")
    part.part_of(target).unlink()
    part.part_of(target).write_bytes(b"half of it")
    hub.hold.set()
    await library.ended("Small")
    failed = await state(library)
    assert failed["state"] == "partial" and "deleted or replaced" in failed["message"]
    assert part.part_of(target).read_bytes() == b"half of it"


async def test_the_list_may_say_which_file_it_must_be(hub: Hub, tmp_path: Path) -> None:
    other = HubModel(**{**ENTRY, "sha256": "0" * 64})  # type: ignore[arg-type]
    library = Library(hub.url, [other], tmp_path / "data", LOG)
    assert "another version of this file" in (await downloaded(library))["message"]
    assert hub.asked == []
    same = HubModel(**{**ENTRY, "sha256": hub.sha256})  # type: ignore[arg-type]
    library = Library(hub.url, [same], tmp_path / "data", LOG)
    assert (await downloaded(library))["state"] == "ready"


async def test_more_bytes_than_announced_are_refused(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.size = len(DATA) - 1000
    assert "more than the file has" in (await downloaded(library))["message"]
    assert not MODEL.path(tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sha256": None}, "does not say which SHA-256"),
        ({"size": "9" * 400}, "does not say which SHA-256 and size"),
        ({"size": "9" * 5000}, "does not say which SHA-256 and size"),
        ({"size": 2 * len(DATA)}, "not 0.00 GB as listed"),
        ({"status": 403}, "does not give this file to everyone"),
        ({"status": 404}, "does not have this file any more"),
        ({"status": 418}, "refused the request (418)"),
        ({"status": 503}, "is not available now (503)"),
        ({"elsewhere": "http://example.com/file"}, "not encrypted"),
        ({"elsewhere": "/owner/name/resolve/main/model.gguf"}, "redirects too often"),
    ],
)
async def test_what_a_hub_does_not_give_is_reported(
    library: Library, hub: Hub, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    for name, value in change.items():
        setattr(hub, name, value)
    failed = await downloaded(library)
    assert (failed["state"], failed["received"]) == ("absent", 0)
    assert words in failed["message"]
    assert not MODEL.path(tmp_path / "data").exists()
    assert hub.asked == [] or not hub.sha256


async def test_a_disk_without_room_is_reported_before_anything_is_asked_for(
    library: Library, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part, "MARGIN", 10**18)
    failed = await downloaded(library)
    assert "Make room" in failed["message"]
    assert hub.asked == []


async def test_a_disk_that_gets_full_is_reported_and_what_arrived_is_kept(
    library: Library, hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = part.Part.write

    def full(self: part.Part, data: bytes) -> None:
        if self.size > 1_000_000:
            with part.in_words(tmp_path / "x"):
                raise OSError(errno.ENOSPC, "No space left on device")
        write(self, data)

    with monkeypatch.context() as during:
        during.setattr(part.Part, "write", full)
        failed = await downloaded(library)
    assert failed["state"] == "partial" and "The disk is full" in failed["message"]
    assert (await downloaded(library))["state"] == "ready"


def test_a_disk_that_takes_only_some_bytes_keeps_them(tmp_path: Path) -> None:
    class Full(FileIO):
        def write(self, data: Any) -> int:
            room = 1000 - self.tell()
            if not room:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data[:room])

    target = tmp_path / "models" / "model.gguf"
    made = part.Part(target, part.Wanted("0" * 64, len(DATA)))
    made.close()
    made._file = Full(part.part_of(target), "r+b")
    with pytest.raises(FetchFailed, match="The disk is full"):
        made.write(DATA)
    made.close()
    assert made.size == part.arrived(target) == 1000


@pytest.mark.parametrize(
    ("place", "error", "words"),
    [
        ("Part.write", RuntimeError("odd"), "unexpectedly (RuntimeError: odd)"),
        ("try_lock", OSError(errno.ENOLCK, "No locks available"), "No locks available"),
    ],
)
async def test_every_failure_is_reported_and_can_be_tried_again(
    library: Library, monkeypatch: pytest.MonkeyPatch, place: str, error: Exception, words: str
) -> None:
    def fail(*_: Any) -> None:
        raise error

    with monkeypatch.context() as during:
        during.setattr(f"{part.__name__}.{place}", fail)
        failed = await downloaded(library)
    assert failed["state"] == "absent" and words in failed["message"]
    assert (await downloaded(library))["state"] == "ready"


async def test_files_are_written_and_checked_off_the_event_loop(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: set[str] = set()

    def noted(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            threads.add(threading.current_thread().name)
            return method(*given)

        return call

    for name in ("__init__", "write", "finish", "close"):
        monkeypatch.setattr(part.Part, name, noted(getattr(part.Part, name)))
    assert (await downloaded(library))["state"] == "ready"
    assert len(threads) == 1 and threading.current_thread().name not in threads


async def test_two_pages_share_a_download_and_it_can_be_stopped(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.hold = threading.Event()
    await asyncio.gather(library.start("Small"), library.start("Small"))
    await half(library)
    assert (await state(library))["state"] == "downloading"
    assert hub.asked == [("GET", None)]
    # A second server on the same folder.
    other = Library(hub.url, [MODEL], tmp_path / "data", LOG)
    assert "Another Jupyter server" in (await downloaded(other))["message"]
    await library.stop("Small")
    stopped = await state(library)
    assert (stopped["state"], stopped["message"]) == ("partial", "")
    assert not MODEL.path(tmp_path / "data").exists()
    hub.hold.set()
    assert (await downloaded(other))["state"] == "ready"
    assert MODEL.path(tmp_path / "data").read_bytes() == DATA


async def test_a_download_that_is_stopped_at_once_can_be_started_again(library: Library) -> None:
    await library.start("Small")
    await library.stop("Small")
    assert (await state(library))["state"] == "absent"
    assert library.activity == {}
    assert (await downloaded(library))["state"] == "ready"


async def test_a_second_stop_waits_until_the_file_is_closed(
    library: Library, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing, go, close = threading.Event(), threading.Event(), part.Part.close

    def slowly(self: part.Part) -> None:
        closing.set()
        go.wait()
        close(self)

    monkeypatch.setattr(part.Part, "close", slowly)
    hub.hold = threading.Event()
    await library.start("Small")
    await half(library)
    first = asyncio.ensure_future(library.stop("Small"))
    await asyncio.to_thread(closing.wait)
    second = asyncio.ensure_future(library.stop("Small"))
    for _ in range(20):
        await asyncio.sleep(0)
    ended_early = first.done() or second.done()
    go.set()
    await asyncio.gather(first, second)
    assert not ended_early
    assert (await state(library))["state"] == "partial"


async def test_what_another_server_downloads_is_not_removed(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.hold = threading.Event()
    await library.start("Small")
    await half(library)
    other = Library(hub.url, [MODEL], tmp_path / "data", LOG)
    with pytest.raises(FetchFailed, match="Another Jupyter server is downloading"):
        await other.remove("Small")
    hub.hold.set()
    await library.ended("Small")
    assert (await state(library))["state"] == "ready"
    await other.remove("Small")
    assert files(tmp_path / "data") == []


async def test_a_download_is_discarded_while_it_runs(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.hold = threading.Event()
    await library.start("Small")
    await half(library)
    await library.remove("Small")
    assert (await state(library))["state"] == "absent"
    assert files(tmp_path / "data") == []


async def test_a_server_that_stops_keeps_what_arrived(
    library: Library, hub: Hub, tmp_path: Path
) -> None:
    hub.hold = threading.Event()
    await library.start("Small")
    await half(library)
    await library.close()
    assert files(tmp_path / "data") == [".model.gguf.part", ".model.gguf.part.json"]


def test_the_list_is_checked() -> None:
    assert [each.name for each in offered(MODELS, LOG)] == [each["name"] for each in MODELS]
    assert 4 <= len(MODELS) <= 5
    bad: list[Any] = [
        "x",
        {**ENTRY, "more": 1},
        {**ENTRY, "file": "../model.gguf"},
        {**ENTRY, "file": "model.bin"},
        {**ENTRY, "repo": "name"},
        {**ENTRY, "size": "1 GB"},
        {**ENTRY, "name": ""},
        {**ENTRY, "sha256": "0"},
        {**ENTRY, "file": MODEL_FILE.lower()},
    ]
    same_file = {**ENTRY, "name": "Other", "file": "Model.gguf"}
    assert offered([*bad, ENTRY, ENTRY, same_file], LOG) == [MODEL]


def test_hubs_are_encrypted_unless_they_are_this_machine() -> None:
    for good in (
        HUB,
        "https://hub.example/models/",
        "http://127.0.0.1:8000",
        "http://localhost",
        "",
    ):
        assert check_hub(good) == good.rstrip("/")
    for bad in ("http://hub.example", "ftp://127.0.0.1", "huggingface.co", "https://"):
        with pytest.raises(ValueError, match="local_hub"):
            check_hub(bad)
    assert may_visit("https://cdn.example/x", HUB)
    assert not may_visit("http://127.0.0.1/x", HUB)
    assert not may_visit("http://example.com/x", "http://127.0.0.1")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with memory for some models, on which llama.cpp seems to be installed."""
    monkeypatch.setattr(memory, "read", lambda: memory.Memory(8 * 10**9, 4 * 10**9))
    monkeypatch.setattr(manager, "has_engine", lambda: True)


async def test_only_the_model_that_was_chosen_answers(
    library: Library, tmp_path: Path, machine: None
) -> None:
    folder = tmp_path / "data"
    models = LocalModels(LocalModel("", folder, 0, LOG), library)
    with pytest.raises(LocalMissing, match="Small is not on this machine"):
        await models.ensure("Small")
    with pytest.raises(LocalMissing, match="no local model named Other"), models.use("Other"):
        await models.ensure("Other")
    assert models.missing("") == models.missing(models.embedded.model)
    assert [each.model for each in models.listed()] == ["SmolLM2-135M-Instruct"]
    await downloaded(library)
    assert [each.model for each in models.listed()][1:] == ["Small"]
    # It is no model, and says so itself.
    with pytest.raises(LocalFailed, match=r"^Small ended while starting"):
        await models.ensure("Small")
    with models.use("Small"), pytest.raises(FetchFailed, match="answering"):
        await models.remove("Small")
    await models.remove("Small")
    assert models.missing("Small") is not None
    await models.stop()


async def test_a_model_without_memory_for_it_is_not_started(
    hub: Hub, tmp_path: Path, machine: None
) -> None:
    large = HubModel(**{**ENTRY, "size": 10**15, "memory": 10**15})  # type: ignore[arg-type]
    library = Library(hub.url, [large], tmp_path, LOG)
    large.path(tmp_path).parent.mkdir()
    large.path(tmp_path).write_bytes(DATA)
    assert (await state(library))["fits"] is False
    models = LocalModels(LocalModel("", tmp_path, 0, LOG), library)
    with pytest.raises(LocalFailed, match=r"needs about 1000000\.0 GB of memory"):
        await models.ensure("Small")


async def test_an_unused_model_makes_room_for_another(
    embedded_data_dir: Path, machine: None
) -> None:
    copy = HubModel(**{**ENTRY, "size": 1000})  # type: ignore[arg-type]
    copy.path(embedded_data_dir).symlink_to(next(copy.path(embedded_data_dir).parent.iterdir()))
    library = Library("", [copy], embedded_data_dir, LOG)
    models = LocalModels(LocalModel("", embedded_data_dir, 0, LOG), library)
    embedded = models.embedded.model
    await models.ensure(embedded)
    pid = models.embedded.pid
    with models.use(embedded):
        await models.ensure("Small")
        assert models.embedded.pid == pid
    await models.remove("Small")
    copy.path(embedded_data_dir).symlink_to(next(copy.path(embedded_data_dir).parent.iterdir()))
    await models.ensure("Small")
    assert models.embedded.pid is None
    await models.stop()


class TestApi:
    @pytest.fixture
    def turnbook_config(
        self, turnbook_config: dict[str, Any], hub: Hub, jp_base_url: str
    ) -> dict[str, Any]:
        return {**turnbook_config, "local_hub": hub.url, "local_models": [ENTRY]}

    async def test_from_the_list_to_a_model_that_can_be_chosen(
        self, api: Api, turnbook: TurnbookApp, hub: Hub
    ) -> None:
        hub.hold = threading.Event()
        listed = (await api("listLocalModels")).body
        assert (listed["hub"], listed["models"][0]["state"]) == (hub.url, "absent")
        refused = await api("createRun", body=new_run("Hi", provider="local", body=_body("Small")))
        assert (refused.status, refused.body["code"]) == (424, "local-missing")
        assert "Local models…" in refused.body["message"]
        unknown = await api("createRun", body=new_run("Hi", provider="local", body=_body("Other")))
        assert (unknown.status, unknown.body["code"]) == (424, "local-missing")
        assert "no local model named Other" in unknown.body["message"]
        begun = await api("downloadLocalModel", "Small")
        assert (begun.status, begun.body["models"][0]["state"]) == (202, "downloading")
        assert (await api("downloadLocalModel", "Small")).status == 202
        await half(turnbook.local.library)
        # A server that nobody uses is not ended during a download.
        assert turnbook.current_activity() == {"Small": "download"}
        assert turnbook.serverapp is not None
        assert "turnbook" in turnbook.serverapp.web_app.settings["last_activity_times"]
        stopped = (await api("stopDownload", "Small")).body["models"][0]
        assert (stopped["state"], stopped["received"] > 0) == ("partial", True)
        assert (await api("stopDownload", "Small")).status == 200
        hub.hold.set()
        await api("downloadLocalModel", "Small")
        await turnbook.local.library.ended("Small")
        assert "local/Small" in [each["id"] for each in (await api("listModels")).body["models"]]
        removed = (await api("removeLocalModel", "Small")).body["models"][0]
        assert removed["state"] == "absent"
        assert "local/Small" not in [
            each["id"] for each in (await api("listModels")).body["models"]
        ]
        for operation in ("downloadLocalModel", "stopDownload", "removeLocalModel"):
            assert (await api(operation, "Other")).status == 404


class TestWithoutHub:
    @pytest.fixture
    def turnbook_config(self, turnbook_config: dict[str, Any]) -> dict[str, Any]:
        return {**turnbook_config, "local_hub": ""}

    async def test_nothing_is_downloaded(self, api: Api) -> None:
        listed = (await api("listLocalModels")).body
        assert listed["hub"] == "" and len(listed["models"]) == len(MODELS)
        refused = await api("downloadLocalModel", MODELS[0]["name"])
        assert (refused.status, refused.body["code"]) == (409, "download")


def _body(model: str) -> str:
    return f'{{"model": "{model}", "stream": true, "messages": []}}'
