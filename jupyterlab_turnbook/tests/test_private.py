"""All of Turnbook's folders and files are private, whichever part creates them."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyterlab_turnbook.base import private
from jupyterlab_turnbook.local import fetch
from jupyterlab_turnbook.local.manager import LocalModel
from jupyterlab_turnbook.providers.keys import FileKeyStore
from jupyterlab_turnbook.runs.journal import Journal, JournalError
from jupyterlab_turnbook.runs.owner import Owner
from jupyterlab_turnbook.runs.transaction import Tx

LOG = logging.getLogger("turnbook-test")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """A umask of 0, so that every mode is what Turnbook set."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def assert_private(folder: Path, *, least: int) -> None:
    """Check that the folder and everything in it is private."""
    found = [folder, *folder.rglob("*")]
    assert len(found) > least, found
    modes = {str(path): oct(mode(path)) for path in found}
    wanted = {str(path): oct(0o700 if path.is_dir() else 0o600) for path in found}
    assert modes == wanted


async def use_journal(folder: Path) -> Journal:
    journal = Journal(folder, recover=lambda tx: None, announce=lambda changes: None, log=LOG)
    await journal.write(lambda tx: tx.db.execute("INSERT INTO chats VALUES ('c', 'p', NULL)"))
    await journal.read(lambda db: db.execute("SELECT * FROM chats").fetchall())
    return journal


async def test_a_new_journal_and_sqlites_companion_files_are_private(
    tmp_path: Path,
) -> None:
    journal = await use_journal(tmp_path / "data" / "turnbook")
    try:
        names = {path.name for path in journal.directory.iterdir()}
        assert {"journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "owners"} <= names
        assert_private(journal.directory, least=4)
    finally:
        await journal.close()
    # A parent folder that is not ours gets the mode of the user's umask.
    assert mode(tmp_path / "data") == 0o777


async def test_a_readable_journal_of_an_older_version_is_made_private(tmp_path: Path) -> None:
    folder = tmp_path / "turnbook"
    first = await use_journal(folder)
    # As left by a killed server: with SQLite's log, and with a file set aside earlier.
    for name in ("journal.sqlite-wal", "journal.sqlite-shm"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    await first.close()
    for name in ("journal.sqlite-wal", "journal.sqlite-shm"):
        (tmp_path / name).rename(folder / name)
    for name in ("journal.damaged-1.sqlite", "journal.damaged-1.sqlite-wal", "keys.json"):
        (folder / name).write_text("{}")
    for name in (".keys.json.lock", "providers.json", ".providers.json.abc"):
        (folder / name).write_text("{}")
    (folder / "owners" / "x.lock").write_text("")
    for path in [*folder.rglob("*"), folder]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    journal = await use_journal_again(folder)
    try:
        assert_private(folder, least=9)
    finally:
        await journal.close()


async def use_journal_again(folder: Path) -> Journal:
    journal = Journal(folder, recover=lambda tx: None, announce=lambda changes: None, log=LOG)
    await journal.read(lambda db: db.execute("SELECT * FROM chats").fetchall())
    return journal


async def test_a_damaged_journal_is_set_aside_in_private(tmp_path: Path) -> None:
    folder = tmp_path / "turnbook"
    await (await use_journal(folder)).close()
    file = folder / "journal.sqlite"
    file.write_bytes(b"no journal at all" * 1000)
    file.chmod(0o644)
    journal = await use_journal_again(folder)
    try:
        assert (folder / "journal.damaged-1.sqlite").exists()
        assert_private(folder, least=3)
    finally:
        await journal.close()


async def test_reopening_a_journal_makes_its_folder_private_again(tmp_path: Path) -> None:
    journal = await use_journal(tmp_path / "turnbook")

    def meet_damage(tx: Tx) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")

    try:
        journal.directory.chmod(0o777)
        with pytest.raises(JournalError):
            await journal.write(meet_damage)
        await journal.write(lambda tx: None)
        assert mode(journal.directory) == 0o700
    finally:
        await journal.close()


def test_every_part_makes_the_folder_private(tmp_path: Path) -> None:
    Owner(tmp_path / "a" / "owners").release()
    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "owners")) == (0o700, 0o700)
    FileKeyStore(tmp_path / "b" / "keys.json", LOG).set("a", "http://h", "sk-secret")
    assert_private(tmp_path / "b", least=2)
    fetch._make_work_folder(tmp_path / "c")
    assert_private(tmp_path / "c", least=1)
    fetch._make_room(tmp_path / "d" / "models")
    assert_private(tmp_path / "d", least=1)
    gguf = tmp_path / "some.gguf"
    gguf.write_text("")
    LocalModel(str(gguf), tmp_path / "e", 0, LOG)._settings()
    assert_private(tmp_path / "e", least=0)


def test_other_files_are_not_changed(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    (folder / "public").mkdir(parents=True)
    (folder / "notes.txt").write_text("")
    (folder / "journal.sqlite").symlink_to(folder / "notes.txt")
    private.folder(folder, LOG)
    assert mode(folder) == 0o700
    assert (mode(folder / "public"), mode(folder / "notes.txt")) == (0o777, 0o666)


def test_models_and_folders_that_others_use_stay_open_to_them(tmp_path: Path) -> None:
    theirs = [tmp_path / "models" / "deep", tmp_path / "fetch-results", tmp_path / "owners" / "of"]
    for folder in theirs:
        folder.mkdir(parents=True)
        (folder / "file").write_text("")
    os.utime(tmp_path / "fetch-results", (0, 0))
    fetch._make_room(tmp_path / "models")
    fetch._make_work_folder(tmp_path)
    for folder in theirs:
        assert (mode(folder), mode(folder / "file")) == (0o777, 0o666)
    assert mode(tmp_path / "models") == 0o777


def test_files_may_vanish_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "owners").mkdir()
    for name in ("keys.json", "providers.json", "owners/a.lock"):
        (tmp_path / name).write_text("")
    lstat = Path.lstat

    def gone(path: Path) -> os.stat_result:
        # Another server deletes them after they were listed.
        if path.name == "keys.json":
            shutil.rmtree(tmp_path / "owners", ignore_errors=True)
            path.unlink(missing_ok=True)
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", gone)
    private.folder(tmp_path, LOG)
    assert mode(tmp_path / "providers.json") == 0o600


def test_a_shared_folder_stays_open_and_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "keys.json").write_text("{}")
    private.folder(shared, LOG)
    assert mode(shared) == 0o1777
    assert mode(shared / "keys.json") == 0o600
    assert "shared" in caplog.text and "c.TurnbookApp.journal_dir" in caplog.text


def test_a_folder_that_cannot_be_made_private_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "theirs").mkdir()

    def refuse(path: object, mode: int, **kwargs: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chmod", refuse)
    private.folder(tmp_path / "theirs", LOG)
    assert "not yours" in caplog.text
    (tmp_path / "keys.json").write_text("{}")
    with pytest.raises(private.PrivateFileError, match="not yours"):
        private.close(tmp_path / "keys.json")


def test_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(private.PrivateFileError, match="symbolic link"):
        private.file(tmp_path / "link")
    assert mode(target) == 0o666


async def test_two_servers_may_open_one_journal_while_it_is_made_private(tmp_path: Path) -> None:
    # Opening and closing the file would drop the locks of open connections.
    first = await use_journal(tmp_path / "j")
    second = Journal(tmp_path / "j", recover=lambda tx: None, announce=lambda c: None, log=LOG)
    await asyncio.gather(
        *(each.write(lambda tx: tx.db.execute("DELETE FROM chats")) for each in (first, second) * 5)
    )
    await second.close()
    await first.close()
