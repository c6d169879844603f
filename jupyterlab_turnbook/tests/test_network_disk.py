"""The journal on disks of the network: no shared memory, and one server at a time."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.vfs import Disk
from jupyterlab_turnbook.base import disks
from jupyterlab_turnbook.runs import commands, opening, queries
from jupyterlab_turnbook.runs import journal as journal_module
from jupyterlab_turnbook.runs.journal import Journal, JournalError
from jupyterlab_turnbook.runs.transaction import Tx

from .conftest import Api, new_run
from .test_journal import claim, opened

MOUNTS = r"""22 1 0:21 / / rw,relatime shared:1 - overlay overlay rw
23 22 0:22 / /home rw shared:2 master:1 - nfs4 files:/home rw,vers=4.2
24 23 8:1 / /home/ada/scratch rw - ext4 /dev/sda1 rw
25 22 0:23 / /mnt/my\040disk\134s rw - cifs //files/share rw
26 22 0:24 / /mnt/ssh rw - fuse.sshfs ada@files:/ rw
27 22 8:2 / /mnt/stick rw - fuseblk /dev/sdb1 rw
28 22 0:25 / /work rw - ext4 /dev/sdc1 rw
29 22 0:26 / /work rw - lustre mds@tcp:/work rw
30 22 0:27 / /host rw - 9p drvfs rw
broken line
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", None),
        ("/home/ada/.local/share/jupyter/turnbook", "nfs4"),
        ("/home", "nfs4"),
        ("/homes", None),
        ("/home/ada/scratch/turnbook", None),
        ("/mnt/my disk\\s/turnbook", "cifs"),
        ("/mnt/ssh/x", "fuse.sshfs"),
        ("/mnt/stick/x", None),
        ("/work/ada", "lustre"),
        ("/host/c", "9p"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such list")
def test_the_kind_of_disk_is_that_of_the_nearest_mount(
    folder: str, kind: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    monkeypatch.setattr(disks, "_MOUNTS", mounts)
    monkeypatch.setattr(Path, "resolve", lambda self: self)
    assert disks.network_disk(Path(folder)) == kind


def test_a_system_that_does_not_say_has_local_disks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disks, "_MOUNTS", tmp_path / "missing")
    assert disks.network_disk(tmp_path) is None


@pytest.fixture
def disk() -> Iterator[Disk]:
    """A disk without shared memory, below SQLite."""
    disk = Disk()
    disk.shared_memory = False
    disk.install()
    yield disk
    disk.remove()


@pytest.fixture
def on_nfs(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a disk, of which the system says that it is NFS."""
    monkeypatch.setattr(journal_module, "network_disk", lambda folder: "nfs4")


def _mode(file: Path) -> str:
    """How a file that nobody uses was written last."""
    return {1: "delete", 2: "wal"}[file.read_bytes()[18]]


async def _use(journal: Journal) -> None:
    """Write and read at the same time."""
    run, _ = await journal.write(
        lambda tx: commands.claim(tx, claim(), 1, retry=False), durable=True
    )
    for n in range(20):
        _, page = await asyncio.gather(
            journal.write(lambda tx, n=n: commands.append(tx, run.id, run.chat, [f"{n}"])),  # type: ignore[misc]
            journal.read(lambda db: queries.page(db, run.id, 0)),
        )
        assert [event.data for event in page.events][:n] == [f"{each}" for each in range(n)]


@pytest.mark.usefixtures("on_nfs")
async def test_it_is_used_without_shared_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def level(tx: Tx) -> int:
        found: int = tx.db.execute("PRAGMA synchronous").fetchone()[0]
        return found

    async with opened(tmp_path) as (journal, _):
        await _use(journal)
        assert journal.network_disk == "nfs4"
        # EXTRA: the deletion of the commit's journal is on disk too.
        assert await journal.write(level, durable=True) == 3
        assert await journal.write(level) == 2
    [warning] = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert "nfs4" in warning.getMessage() and "journal_dir" in warning.getMessage()
    assert {each.name for each in tmp_path.iterdir()} == {"journal.sqlite", "owners"}
    assert _mode(tmp_path / "journal.sqlite") == "delete"


@pytest.mark.usefixtures("disk")
async def test_a_disk_whose_kind_is_not_known(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        await _use(journal)
        assert journal.network_disk == "without shared memory"
    assert _mode(tmp_path / "journal.sqlite") == "delete"


async def test_a_journal_that_came_from_a_local_disk(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.shared_memory = True
    async with opened(tmp_path / "local") as (journal, _):
        await _use(journal)
        # As after a kill: what was said last is in the log alone.
        (tmp_path / "net").mkdir(0o700)
        for each in (tmp_path / "local").glob("journal.sqlite*"):
            if not each.name.endswith("-shm"):
                shutil.copy(each, tmp_path / "net")
        assert (tmp_path / "net" / "journal.sqlite-wal").stat().st_size > 4096
    disk.shared_memory = False
    monkeypatch.setattr(journal_module, "network_disk", lambda folder: "cifs")
    async with opened(tmp_path / "net") as (journal, _):
        page = await journal.read(lambda db: queries.page(db, claim().id, 0))
        assert [event.data for event in page.events][:20] == [f"{n}" for n in range(20)]
    assert _mode(tmp_path / "net" / "journal.sqlite") == "delete"
    # And back.
    disk.shared_memory = True
    monkeypatch.undo()
    async with opened(tmp_path / "net") as (journal, _):
        page = await journal.read(lambda db: queries.page(db, claim().id, 0))
        assert len(page.events) == 21
        assert journal.network_disk is None
    assert _mode(tmp_path / "net" / "journal.sqlite") == "wal"


@pytest.mark.usefixtures("on_nfs")
async def test_a_second_server_is_told_what_to_do_and_takes_over_later(tmp_path: Path) -> None:
    async with opened(tmp_path) as (first, _), opened(tmp_path) as (second, _):
        await first.write(lambda tx: commands.claim(tx, claim(), 1, retry=False))
        for _ in range(2):
            with pytest.raises(JournalError, match=r"nfs4.*End that server, or set .*journal_dir"):
                await second.open()
        assert second.network_disk is None
        # The refused one does not stand in the way of the other.
        assert first._owner is not None and first._owner.neighbours() == []
        await first.close()
        runs = await second.read(lambda db: queries.select(db, open_only=False))
        assert [run.state for run in runs] == ["interrupted"]


@pytest.mark.usefixtures("disk")
async def test_a_refused_server_holds_nothing_if_only_sqlite_knew_the_disk(tmp_path: Path) -> None:
    async with opened(tmp_path) as (first, _), opened(tmp_path) as (second, _):
        await first.open()
        with pytest.raises(JournalError, match="another one does"):
            await second.open()
        assert (second.owner, second.network_disk) == (None, None)
        await first.close()
        async with opened(tmp_path) as (third, _):
            await third.open()
            with pytest.raises(JournalError, match="another one does"):
                await second.open()
        await second.open()
        assert second.network_disk == "without shared memory"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python does not give the reason")
async def test_a_full_local_disk_is_no_network_disk(tmp_path: Path, disk: Disk) -> None:
    disk.shared_memory = True
    disk.no_room = 1
    async with opened(tmp_path) as (journal, _):
        with pytest.raises(JournalError, match="Free disk space"):
            await journal.open()
        assert (journal.owner, journal.network_disk) == (None, None)
        await _use(journal)
        assert journal.network_disk is None
    assert _mode(tmp_path / "journal.sqlite") == "wal"


@pytest.mark.parametrize("again", [False, True], ids=["at the start", "later"])
async def test_what_cannot_be_opened_without_shared_memory_either_is_no_network_disk(
    tmp_path: Path,
    disk: Disk,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    again: bool,
) -> None:
    def full(db: sqlite3.Connection, file: Path) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    disk.shared_memory = True
    async with opened(tmp_path) as (journal, _):
        if again:
            await journal.open()
        owner = journal.owner
        disk.shared_memory = False
        monkeypatch.setattr(opening, "prepare", full)
        if again:
            # What meets damage is opened again by the next use.
            with pytest.raises(JournalError):
                await journal.write(meet_damage)
        with pytest.raises(JournalError, match="Free disk space"):
            await journal.open()
        assert (journal.owner, journal.network_disk) == (owner, None)
        disk.shared_memory = True
        monkeypatch.undo()
        await _use(journal)
        assert journal.network_disk is None
    assert _mode(tmp_path / "journal.sqlite") == "wal"
    assert "network disk" not in caplog.text


def meet_damage(tx: Tx) -> None:
    raise sqlite3.DatabaseError("database disk image is malformed")


async def test_a_server_that_takes_the_disk_for_a_local_one_is_not_disturbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as (local, _), opened(tmp_path) as (remote, _):
        await local.open()
        monkeypatch.setattr(journal_module, "network_disk", lambda folder: "nfs4")
        with pytest.raises(JournalError, match="another one does"):
            await remote.open()
        assert await local.read(lambda db: db.execute("PRAGMA journal_mode").fetchone()[0]) == "wal"


@pytest.mark.usefixtures("on_nfs")
async def test_a_damaged_journal_is_saved_there_too(tmp_path: Path) -> None:
    async with opened(tmp_path) as (journal, _):
        for number in range(1, 60):
            await journal.write(
                lambda tx, number=number: commands.claim(tx, claim(number), 1, retry=False)  # type: ignore[misc]
            )
    file = tmp_path / "journal.sqlite"
    db = sqlite3.connect(file)
    [page] = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'runs_age'").fetchone()
    db.close()
    whole = bytearray(file.read_bytes())
    whole[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    file.write_bytes(whole)
    async with opened(tmp_path) as (journal, _):
        assert len(await journal.read(lambda db: queries.select(db, open_only=False))) == 59
        assert len(journal.set_aside()) == 1
    assert _mode(file) == "delete"


@pytest.mark.usefixtures("on_nfs")
async def test_the_api_says_so(api: Api) -> None:
    assert (await api("createRun", body=new_run())).status == 201
    assert (await api("getJournal")).body["networkDisk"] == "nfs4"


async def test_local_disks_are_no_news(api: Api) -> None:
    assert (await api("getJournal")).body["networkDisk"] is None
