"""Results notebooks that were copied, renamed or received: no reply is lost or asked for again."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.rerun.reading import verify_results
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api
from .rerun_support import Folder, settle
from .test_reruns import begin, over, put, wish


@pytest.fixture
def folder(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> Folder:
    return settle(Folder(tmp_path, provider), monkeypatch.setenv)


def store_of(out: Path) -> Path:
    return out.with_name(f"{out.stem}.rerun.sqlite")


@pytest.mark.parametrize("replies", [[], [{"steps": [{"cut": True}]}] * 2])
def test_results_without_their_store_are_neither_replaced_nor_paid_again(
    folder: Folder, replies: list[dict[str, Any]], capsys: Any
) -> None:
    folder.provider.script(*replies)
    record, copy = folder.record("Hi"), folder.home / "copy.ipynb"
    code = folder.rerun(record, "--repeat", 2)
    shutil.copy(folder.out, copy)
    before = copy.read_bytes()
    for more in ((), ("--dry-run",), ("--max-requests", 1), ("--again",)):
        capsys.readouterr()
        assert folder.rerun(record, "--repeat", 2, *more, out=copy) == 2
        assert "Copy its store results.rerun.sqlite to copy.rerun." in capsys.readouterr().err
        assert copy.read_bytes() == before
        # An empty store would be taken for that of the replies.
        assert not store_of(copy).exists()
    assert verify_results(copy).problems == []
    # The store was moved away.
    store_of(folder.out).rename(folder.home / "away")
    store_of(folder.out).with_suffix(".sqlite-wal").unlink(missing_ok=True)
    assert folder.rerun(record, "--repeat", 3) == 2
    assert "Put results.rerun.sqlite back" in capsys.readouterr().err
    assert folder.out.read_bytes() == before
    assert not store_of(folder.out).exists()
    assert len(folder.bodies()) == 2
    # As the error says.
    shutil.copy(folder.home / "away", store_of(copy))
    assert folder.rerun(record, "--repeat", 2, out=copy) == code
    assert len(folder.bodies()) == 2


def test_results_of_other_records_with_the_same_store_are_replaced(folder: Folder) -> None:
    one, two = folder.record("One"), folder.record("Two")
    assert folder.rerun(one) == 0
    assert folder.rerun(two) == 0
    assert folder.rerun(one) == 0
    assert len(folder.bodies()) == 2


def test_a_copy_is_verified_with_the_store_that_it_names_or_without(folder: Folder) -> None:
    record = folder.record("Hi")
    assert folder.rerun(record, "--repeat", 2) == 0
    beside, away = folder.home / "beside.ipynb", folder.home / "away/results.ipynb"
    away.parent.mkdir()
    for copy in (beside, away):
        shutil.copy(folder.out, copy)
    found = verify_results(beside)
    assert found.problems == [] and "2 responses in results.rerun.sqlite" in found.notes[-1]
    found = verify_results(away)
    assert found.problems == [] and "not beside it" in found.notes[-1]
    # Renamed with its store, it is rerun under its new name.
    renamed = away.with_name("renamed.ipynb")
    away.rename(renamed)
    shutil.copy(store_of(folder.out), store_of(renamed))
    assert verify_results(renamed).problems == []
    assert folder.rerun(record, "--repeat", 3, out=renamed) == 0
    assert len(folder.bodies()) == 3
    found = verify_results(renamed)
    assert found.problems == [] and "3 responses in renamed.rerun.sqlite" in found.notes[-1]


async def test_a_page_cannot_replace_results_without_their_store(
    api: Api, jp_root_dir: Path, provider: ThreadedScriptedProvider
) -> None:
    put(jp_root_dir, "a")
    rerun = (await begin(api, wish("a.replay.ipynb", out="results.ipynb")))["id"]
    assert (await over(api, rerun))["state"] == "done"
    shutil.copy(jp_root_dir / "results.ipynb", jp_root_dir / "copy.ipynb")
    preview = (await api("previewRerun", body=wish("a.replay.ipynb", out="copy.ipynb"))).body
    assert "Copy its store results.rerun.sqlite" in preview["problem"]
    assert preview["plan"] == ""
    # Nor by going on.
    before = (jp_root_dir / "results.ipynb").read_bytes()
    (jp_root_dir / "results.rerun.sqlite").rename(jp_root_dir / "away")
    await api("continueRerun", rerun, body={"again": False})
    found = await over(api, rerun)
    assert found["state"] == "failed" and "Put results.rerun.sqlite back" in found["message"]
    assert (jp_root_dir / "results.ipynb").read_bytes() == before
    assert not (jp_root_dir / "results.rerun.sqlite").exists()
    assert verify_results(jp_root_dir / "results.ipynb").problems == []
    assert len(provider.completions()) == 1
