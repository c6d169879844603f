"""Keys are in a file that only the user can read, and are bound to their base URL."""

from __future__ import annotations

import json
import logging
import stat
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from jupyterlab_turnbook.local.manager import LocalModel
from jupyterlab_turnbook.providers.keys import FileKeyStore, KeyringKeyStore, open_key_store
from jupyterlab_turnbook.providers.private_file import PrivateFile, PrivateFileError
from jupyterlab_turnbook.providers.registry import ProviderRegistry

from .conftest import only

LOG = logging.getLogger("turnbook-test")
URL = "https://api.example.com/v1"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "turnbook" / "keys.json"


def test_file_and_folder_are_private(path: Path) -> None:
    keys = FileKeyStore(path, LOG)
    keys.set("a", URL, "sk-secret")
    assert keys.get("a", URL) == "sk-secret"
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert [p.name for p in path.parent.iterdir() if p.suffix == ".json"] == ["keys.json"]
    keys.delete("a")
    assert keys.get("a", URL) is None
    assert b"sk-secret" not in path.read_bytes()


def test_a_key_is_not_found_for_another_base_url(path: Path) -> None:
    keys = FileKeyStore(path, LOG)
    keys.set("a", URL, "sk-secret")
    assert keys.get("a", "https://evil.example.com/v1") is None


def test_open_modes_are_repaired_and_logged(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    keys = FileKeyStore(path, LOG)
    keys.set("a", URL, "sk-secret")
    path.chmod(0o644)
    path.parent.chmod(0o755)
    with caplog.at_level(logging.WARNING):
        assert keys.get("a", URL) == "sk-secret"
    assert mode(path) == 0o600
    assert "had mode 644" in caplog.text
    keys.set("b", URL, "sk-other")
    assert mode(path.parent) == 0o700


def test_a_symbolic_link_is_neither_read_nor_replaced(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.json"
    target.write_text("{}")
    path.parent.mkdir()
    path.symlink_to(target)
    keys = FileKeyStore(path, LOG)
    with pytest.raises(PrivateFileError, match="symbolic link"):
        keys.get("a", URL)
    with pytest.raises(PrivateFileError, match="symbolic link"):
        keys.set("a", URL, "sk-secret")
    assert target.read_text() == "{}" and path.is_symlink()


@pytest.mark.parametrize("content", ["{broken", "[1]"])
def test_a_broken_file_is_reported_and_kept(path: Path, content: str) -> None:
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(PrivateFileError, match=r"keys\.json"):
        FileKeyStore(path, LOG).set("a", URL, "sk-secret")
    assert path.read_text() == content


def test_writers_do_not_lose_each_other(path: Path) -> None:
    # Two stores with one file, like two servers of one user.
    stores = [FileKeyStore(path, LOG), FileKeyStore(path, LOG)]
    threads = [
        threading.Thread(target=stores[n % 2].set, args=(f"p{n}", URL, f"sk-{n}"))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(json.loads(path.read_text())) == 20


def test_a_failed_write_leaves_the_old_file(path: Path) -> None:
    file = PrivateFile(path, LOG)
    file.update(lambda value: value.update(a=1))
    with pytest.raises(TypeError):
        file.update(lambda value: value.update(b=object()))
    assert file.read() == {"a": 1}
    assert len(list(path.parent.iterdir())) == 2


class Keyring(types.ModuleType):
    """A keyring's interface over a dictionary, which can be locked."""

    def __init__(self) -> None:
        super().__init__("keyring")
        self.passwords: dict[tuple[str, str], str] = {}
        self.unlocked = threading.Event()
        self.unlocked.set()

    def get_password(self, service: str, user: str) -> str | None:
        self.unlocked.wait()
        return self.passwords.get((service, user))

    def set_password(self, service: str, user: str, password: str) -> None:
        self.unlocked.wait()
        self.passwords[service, user] = password

    def delete_password(self, service: str, user: str) -> None:
        del self.passwords[service, user]


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[Keyring]:
    fake = Keyring()
    monkeypatch.setitem(sys.modules, "keyring", fake)
    yield fake
    fake.unlocked.set()


def test_keyring_holds_keys(path: Path, keyring: Keyring) -> None:
    keys = open_key_store("keyring", path, LOG)
    keys.set("a", URL, "sk-secret")
    assert keys.get("a", URL) == "sk-secret"
    assert keys.get("a", "https://evil.example.com") is None
    assert "keyring" in keys.description and not path.exists()
    keys.delete("a")
    assert keyring.passwords == {} and keys.get("a", URL) is None


def test_the_keyring_drops_a_key_when_its_base_url_changes(path: Path, keyring: Keyring) -> None:
    keys = open_key_store("keyring", path, LOG)
    keys.set("a", URL, "sk-old")
    keys.set("a", "https://other.example.com/v1", "sk-new")
    assert "sk-old" not in keyring.passwords.values()
    assert keys.get("a", URL) is None
    assert keys.get("a", "https://other.example.com/v1") == "sk-new"
    keys.set("a", "https://other.example.com/v1", "sk-newer")
    assert keys.get("a", "https://other.example.com/v1") == "sk-newer"
    keys.delete("a")
    assert keyring.passwords == {}


@pytest.mark.parametrize("kind", ["file", "keyring"])
async def test_a_provider_that_moves_leaves_no_key_behind(
    path: Path, keyring: Keyring, kind: Literal["file", "keyring"]
) -> None:
    def stored() -> str:
        return repr(keyring.passwords) + (path.read_text() if path.exists() else "")

    keys = open_key_store(kind, path, LOG)
    local = only(LocalModel("", path.parent, 900, LOG))
    store = path.parent / "providers.json"
    registry = ProviderRegistry({}, [], keys, store, local, {}, LOG)
    await registry.put("a", {"baseUrl": URL, "key": "sk-first"})
    assert "sk-first" in stored()
    await registry.put("a", {"baseUrl": "https://other.example.com/v1"})
    assert "sk-first" not in stored()
    await registry.put("a", {"baseUrl": URL, "key": "sk-second"})
    await registry.put("a", {"baseUrl": "https://other.example.com/v1", "key": "sk-third"})
    assert "sk-second" not in stored() and "sk-third" in stored()
    await registry.put("a", {"baseUrl": "https://other.example.com/v1", "key": None})
    await registry.delete("a")
    assert "sk-" not in stored()


def test_a_key_that_the_user_removed_from_the_keyring_does_no_harm(
    path: Path, keyring: Keyring
) -> None:
    keys = open_key_store("keyring", path, LOG)
    keys.set("a", URL, "sk-old")
    keyring.delete_password("jupyterlab-turnbook", f"a {URL}")
    keys.set("a", "https://other.example.com/v1", "sk-new")
    keys.delete("a")
    assert "keyring" in keys.description and keyring.passwords == {} and not path.exists()


def test_a_key_moves_from_the_file_to_the_keyring(path: Path, keyring: Keyring) -> None:
    FileKeyStore(path, LOG).set("a", URL, "sk-file")
    keys = open_key_store("keyring", path, LOG)
    assert keys.get("a", URL) == "sk-file"
    keys.set("a", URL, "sk-ring")
    assert keys.get("a", URL) == "sk-ring"
    assert json.loads(path.read_text()) == {}


def test_a_key_stored_while_the_keyring_was_locked_is_the_newer_one(
    path: Path, keyring: Keyring
) -> None:
    open_key_store("keyring", path, LOG).set("a", URL, "sk-old")
    keyring.unlocked.clear()
    KeyringKeyStore(FileKeyStore(path, LOG), LOG, timeout=0.1).set("a", URL, "sk-new")
    keyring.unlocked.set()
    assert open_key_store("keyring", path, LOG).get("a", URL) == "sk-new"


def test_the_file_replaces_a_locked_keyring(path: Path, keyring: Keyring) -> None:
    keyring.unlocked.clear()
    keys = KeyringKeyStore(FileKeyStore(path, LOG), LOG, timeout=0.1)
    keys.set("a", URL, "sk-secret")
    assert keys.get("a", URL) == "sk-secret"
    assert "locked" in keys.description and str(path) in keys.description


def test_the_file_replaces_a_missing_keyring(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    keys = open_key_store("keyring", path, LOG)
    keys.set("a", URL, "sk-secret")
    assert keys.get("a", URL) == "sk-secret"
    assert "pip install keyring" in keys.description
