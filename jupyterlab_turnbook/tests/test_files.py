"""`/files`: what a message may refer to."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from jupyterlab_turnbook.base.places import NoPlace, Places, kind_of

from .conftest import Api


@pytest.fixture
def tree(jp_root_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.txt").write_text("secret")
    (jp_root_dir / "data").mkdir()
    (jp_root_dir / "data" / "a b.csv").write_text("a,b")
    (jp_root_dir / ".hidden").mkdir()
    (jp_root_dir / ".hidden" / "x.txt").write_text("x")
    (jp_root_dir / ".env").write_text("KEY=1")
    (jp_root_dir / "inside.csv").symlink_to(jp_root_dir / "data" / "a b.csv")
    (jp_root_dir / "out.txt").symlink_to(outside / "secret.txt")
    (jp_root_dir / "out").symlink_to(outside)
    (jp_root_dir / "unhidden.txt").symlink_to(jp_root_dir / ".env")
    (jp_root_dir / "device").symlink_to(os.devnull)
    (jp_root_dir / "gone").symlink_to(jp_root_dir / "nothing")
    (jp_root_dir / "loop").symlink_to(jp_root_dir / "loop")
    os.mkfifo(jp_root_dir / "pipe")
    return jp_root_dir


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("data/a b.csv", "file"),
        ("/data/a b.csv", "file"),
        ("data", "file"),
        ("inside.csv", "file"),
        ("nothing.txt", "missing"),
        ("gone", "missing"),
        ("loop", "missing"),
        ("a\0b", "missing"),
        ("../x", "outside"),
        ("data/../../x", "outside"),
        ("out.txt", "outside"),
        ("out/secret.txt", "outside"),
        ("out/new.txt", "outside"),
        ("device", "outside"),
        (".env", "hidden"),
        (".hidden/x.txt", "hidden"),
        ("unhidden.txt", "hidden"),
        ("pipe", "special"),
    ],
)
async def test_says_what_a_path_leads_to(api: Api, tree: Path, path: str, kind: str) -> None:
    assert (await api("checkFile", params={"path": path})).body == {"kind": kind}


def test_a_link_to_another_drive_leads_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file.txt").write_text("x")
    manager = SimpleNamespace(
        root_dir=str(tmp_path), _get_os_path=lambda path: str(tmp_path / path)
    )
    assert kind_of(manager, "file.txt") == "file"
    assert Places(manager).place("new.txt") == tmp_path / "new.txt"

    def of_two_drives(paths: object) -> str:
        raise ValueError("Paths don't have the same drive")

    monkeypatch.setattr(os.path, "commonpath", of_two_drives)
    assert kind_of(manager, "file.txt") == "outside"
    assert kind_of(manager, "new.txt") == "outside"
    with pytest.raises(NoPlace):
        Places(manager).place("new.txt")


def test_leaves_a_manager_without_folders_alone() -> None:
    assert kind_of(SimpleNamespace(), "s3/file.txt") == "file"
