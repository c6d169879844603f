"""The references of records: made as the page makes them, and checked one by one."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.records.projection import payload_body, record_cells
from jupyterlab_turnbook.records.references import (
    MIME,
    attached_hashes,
    record_references,
    reference_problems,
)
from jupyterlab_turnbook.records.verify import digest_of, verify

# The page made it; its request refers to a cell, a file and a variable.
GOLDEN = json.loads(Path(__file__).with_name("golden-records.json").read_text(encoding="utf-8"))[-1]
TURNBOOK = GOLDEN["metadata"]["turnbook"]
REFERENCES = TURNBOOK["record"]["references"]
MESSAGES = payload_body(TURNBOOK["record"]["payload"])["messages"]

TEXT = "Cell: a.ipynb · cell 1\n\n```python\na = 1\n```"
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAEC"}}


def sha256(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def forged(to: Path, change: Callable[[str], str]) -> Path:
    """A record in which the payload was changed and all fits it but the references."""
    notebook = copy.deepcopy(GOLDEN)
    record, lineage = (notebook["metadata"]["turnbook"][key] for key in ("record", "lineage"))
    record["payload"] = change(record["payload"])
    record["hash"] = lineage["payloadHash"] = sha256(record["payload"])
    record["digest"] = digest_of(record, lineage)
    notebook["cells"] = record_cells(record, lineage)
    path = to / "forged.replay.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def test_the_one_that_differs_is_named(tmp_path: Path) -> None:
    assert verify(forged(tmp_path, str)).problems == []
    (problem,) = verify(forged(tmp_path, lambda text: text.replace("1,42", "1,43"))).problems
    assert problem.startswith("The reference work/rain.csv in message 2 does not match its hash: ")
    assert problem.endswith(f"the record says {REFERENCES[1]['sha256']}.")
    found = verify(forged(tmp_path, lambda text: text.replace("Variable: ", "Value: ")))
    assert found.problems == ["Message 4 does not have the reference rain.ipynb · total."]


@pytest.mark.parametrize(
    "references", [{}, [1], [{**REFERENCES[0], "part": -1}], [{**REFERENCES[0], "name": None}]]
)
def test_damaged_references_are_reported(references: Any, tmp_path: Path) -> None:
    notebook = copy.deepcopy(GOLDEN)
    notebook["metadata"]["turnbook"]["record"]["references"] = references
    path = tmp_path / "damaged.replay.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    (problem,) = verify(path).problems
    assert "record.references is not a list of references" in problem


def chat() -> Any:
    """The chat that the record comes from."""
    texts = [
        *MESSAGES[1]["content"].removesuffix("\n\nHow much?").split("\n\nFile: "),
        MESSAGES[3]["content"].removesuffix("\n\nAnd now?"),
    ]
    texts[1] = f"File: {texts[1]}"
    outputs = [
        {
            "output_type": "display_data",
            "data": {
                MIME: {
                    **{key: one[key] for key in one if key not in ("message", "part", "sha256")},
                    "size": 1,
                },
                "text/markdown": text.splitlines(keepends=True),
            },
            "metadata": {"turnbook": {"part": "attachment", "sha256": one["sha256"]}},
        }
        for one, text in zip(REFERENCES, texts, strict=True)
    ]
    session = TURNBOOK["lineage"]["replay_parent_session_id"]
    return {"cells": [{"outputs": outputs}], "metadata": {"turnbook": {"chatId": session}}}


def test_they_are_made_as_the_page_makes_them() -> None:
    assert record_references(MESSAGES, chat()) == REFERENCES
    assert record_references(MESSAGES, {"cells": [1, {}, {"outputs": [1, {}]}]}) == []


def test_one_that_was_edited_in_the_chat_keeps_its_hash(tmp_path: Path) -> None:
    messages, edited = (
        json.loads(json.dumps(each).replace("1,42", "1,41")) for each in (MESSAGES, chat())
    )
    references = record_references(messages, edited)
    assert references == REFERENCES
    (problem,) = reference_problems(messages, references)
    assert problem.startswith("The reference work/rain.csv in message 2 does not match its hash: ")


def test_which_of_several_replies_it_is_stays_with_a_reference() -> None:
    several = chat()
    mark = {"group": "11111111-2222-4333-8444-555555555555", "sibling": 1}
    several["cells"][0]["outputs"][0]["data"][MIME] |= mark
    assert record_references(MESSAGES, several)[0] == REFERENCES[0] | mark


def test_a_text_that_was_changed_in_the_chat_is_a_note(tmp_path: Path) -> None:
    path = forged(tmp_path, str)
    source = tmp_path / "source.chat.ipynb"
    source.write_text(json.dumps(chat()))
    assert "reference" not in str(verify(path).notes)
    source.write_text(json.dumps(chat()).replace("1,42", "1,41"))
    found = verify(path)
    assert found.problems == []
    assert any("another text of the reference work/rain.csv" in line for line in found.notes)


@pytest.mark.parametrize(
    ("content", "hashes"),
    [
        (f"{TEXT}\n\nWhy?", [sha256(TEXT)]),
        (f"{TEXT}\n\n{TEXT}", [sha256(TEXT)] * 2),
        (TEXT, [sha256(TEXT)]),
        (f"{TEXT}\n\n", []),
        (f"{TEXT}\n\n \t", []),
        (f"{TEXT}.", []),
        (f" {TEXT}", []),
        ("Why?", []),
        ("", []),
        (None, []),
        ([], []),
        ([PICTURE, {"type": "text", "text": "Why?"}], [sha256(b"\x00\x01\x02")]),
        ([{"type": "text", "text": TEXT}, PICTURE], [sha256(TEXT), sha256(b"\x00\x01\x02")]),
        ([{"type": "text", "text": "x"}, PICTURE], []),
        ([1, PICTURE], []),
    ],
)
def test_what_is_attached_is_read_from_a_message(content: Any, hashes: list[str]) -> None:
    assert attached_hashes(content) == hashes
