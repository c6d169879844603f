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
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.local import download, part
from jupyterlab_turnbook.local.errors import FetchFailed, LocalFailed, LocalMissing
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
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(download, "PAUSES", (0.0, 0.0))
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
    assert "continue when the connection is back" in failed["message"]
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
        ({"size": 2 * len(DATA)}, "not 0.00 GB as listed"),
        ({"status": 403}, "does not give this file to everyone"),
        ({"status": 404}, "does not have this file any more"),
        ({"status": 418}, "answers 418"),
        ({"status": 503}, "answers 503"),
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
    ]
    assert offered([*bad, ENTRY, ENTRY], LOG) == [MODEL]


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


async def test_only_the_model_that_was_chosen_answers(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    models = LocalModels(LocalModel("", folder, 0, LOG), library)
    with pytest.raises(LocalMissing, match="Small is not on this machine"):
        await models.ensure("Small")
    assert [each.model for each in models.listed()] == ["SmolLM2-135M-Instruct"]
    await downloaded(library)
    assert [each.model for each in models.listed()][1:] == ["Small"]
    # It is no model, and says so itself.
    with pytest.raises(LocalFailed, match=r"(?s)ended while starting.*gguf"):
        await models.ensure("Small")
    with models.use("Small"), pytest.raises(FetchFailed, match="answering"):
        await models.remove("Small")
    await models.remove("Small")
    assert models.missing("Small") is not None
    await models.stop()


async def test_a_model_without_memory_for_it_is_not_started(hub: Hub, tmp_path: Path) -> None:
    large = HubModel(**{**ENTRY, "size": 10**15, "memory": 10**15})  # type: ignore[arg-type]
    library = Library(hub.url, [large], tmp_path, LOG)
    large.path(tmp_path).parent.mkdir()
    large.path(tmp_path).write_bytes(DATA)
    assert (await state(library))["fits"] is False
    models = LocalModels(LocalModel("", tmp_path, 0, LOG), library)
    with pytest.raises(LocalFailed, match=r"needs about 1000000\.0 GB of memory"):
        await models.ensure("Small")


async def test_an_unused_model_makes_room_for_another(embedded_data_dir: Path) -> None:
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
        begun = await api("downloadLocalModel", "Small")
        assert (begun.status, begun.body["models"][0]["state"]) == (202, "downloading")
        assert (await api("downloadLocalModel", "Small")).status == 202
        await half(turnbook.local.library)
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
