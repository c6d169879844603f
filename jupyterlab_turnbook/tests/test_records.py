"""Replay records: the second derivation of their cells, and ``jupyter turnbook verify``."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert import HTMLExporter, MarkdownExporter

from jupyterlab_turnbook.command import main
from jupyterlab_turnbook.records.javascript import dumps, loads, number
from jupyterlab_turnbook.records.projection import record_cells
from jupyterlab_turnbook.records.verify import verify

GOLDEN = json.loads(Path(__file__).with_name("golden-records.json").read_text(encoding="utf-8"))

Write = Callable[[Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(notebook: Any, name: str = "x.replay.ipynb") -> Path:
        path = tmp_path / name
        text = notebook if isinstance(notebook, str) else json.dumps(notebook)
        path.write_text(text, encoding="utf-8")
        return path

    return _write


def telling() -> Any:
    """A golden record with tool calls and a logged hash."""
    return copy.deepcopy(
        next(
            notebook
            for notebook in GOLDEN
            if "tool_calls" in notebook["metadata"]["turnbook"]["record"]["payload"]
            and "loggedHash" in notebook["metadata"]["turnbook"]["record"]
        )
    )


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from leaves(item, (*path, place))
    else:
        yield path


def other(value: Any) -> Any:
    if isinstance(value, str):
        return value[:-1] + ("1" if value.endswith("0") else "0") if value else "x"
    if isinstance(value, bool):
        return not value
    # Adding 1 would not change a large float.
    return 1 if value is None else value + max(1, abs(value))


@pytest.mark.parametrize("place", range(len(GOLDEN)))
def test_golden_record_is_valid(place: int, write: Write) -> None:
    found = verify(write(GOLDEN[place]))
    assert found.problems == []
    assert found.hash == GOLDEN[place]["metadata"]["turnbook"]["record"]["hash"]


@pytest.mark.parametrize("place", range(len(GOLDEN)))
def test_golden_record_is_a_valid_notebook(place: int, tmp_path: Path) -> None:
    notebook = nbformat.from_dict(GOLDEN[place])
    nbformat.validate(notebook)
    # A server writes texts as lists of lines.
    nbformat.write(notebook, tmp_path / "x.ipynb")
    assert verify(tmp_path / "x.ipynb").problems == []


def test_every_changed_value_is_found(write: Write) -> None:
    notebook = telling()
    count = 0
    for path in leaves(notebook):
        in_cells = path[0] == "cells" and len(path) > 2
        if not in_cells and path[:2] != ("metadata", "turnbook"):
            continue
        if path[-1] == "format":
            continue
        changed = copy.deepcopy(notebook)
        owner = changed
        for key in path[:-1]:
            owner = owner[key]
        owner[path[-1]] = other(owner[path[-1]])
        assert verify(write(changed)).problems, path
        count += 1
    assert count > 40


@pytest.mark.parametrize("place", ["payload", "digest", "hash", "cell", "lineage"])
def test_one_changed_byte_is_found(
    place: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = telling()
    entry = notebook["metadata"]["turnbook"]
    if place == "cell":
        notebook["cells"][1]["source"] += "."
    elif place == "lineage":
        entry["lineage"]["replay_parent_turn_id"] += "."
    else:
        entry["record"][place] = other(entry["record"][place])
    path = write(notebook)
    assert main(["verify", str(path)]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_the_message_names_what_was_changed(write: Write) -> None:
    notebook = telling()
    notebook["cells"][1]["source"] += "."
    assert verify(write(notebook)).problems == ["Cell 2 does not show what the payload says."]
    notebook = telling()
    notebook["cells"].pop()
    (problem,) = verify(write(notebook)).problems
    assert "cells where the payload gives" in problem
    notebook = telling()
    notebook["metadata"]["turnbook"]["record"]["payload"] += " "
    assert any("does not match its hash" in line for line in verify(write(notebook)).problems)
    notebook = telling()
    notebook["metadata"]["turnbook"]["lineage"]["version"] += 1
    problems = verify(write(notebook)).problems
    assert any("digest does not match" in line for line in problems)
    assert any("another version" in line for line in problems)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "not JSON"),
        ("[]", "no cells"),
        (
            '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
            "not a replay record",
        ),
        (
            '{"cells": [], "metadata": {"turnbook": {"record": 1}}, "nbformat": 4, "nbformat_minor": 5}',
            "damaged",
        ),
    ],
)
def test_foreign_and_damaged_files_are_reported(content: str, words: str, write: Write) -> None:
    problems = verify(write(content)).problems
    assert any(words in line for line in problems), problems


def test_a_missing_file_and_a_picture_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "p.ipynb"
    picture.write_bytes(b"\x89PNG\xff")
    assert main(["verify", str(tmp_path / "none.ipynb"), str(picture)]) == 1
    assert capsys.readouterr().out.count("cannot be read") == 2


@pytest.mark.parametrize("key", ["payload", "hash", "version", "sections", "digest", "at"])
def test_a_missing_field_is_named(key: str, write: Write) -> None:
    notebook = telling()
    del notebook["metadata"]["turnbook"]["record"][key]
    (problem,) = [line for line in verify(write(notebook)).problems if "damaged" in line]
    assert f"record.{key}" in problem


@pytest.mark.parametrize("key", ["debugName", "loggedHash"])
def test_a_field_of_another_type_is_named(key: str, write: Write) -> None:
    notebook = telling()
    notebook["metadata"]["turnbook"]["record"][key] = 7
    (problem,) = [line for line in verify(write(notebook)).problems if "damaged" in line]
    assert f"record.{key}" in problem


def parent(notebook: Any, logged: str, run: str) -> Any:
    lineage = notebook["metadata"]["turnbook"]["lineage"]
    return {
        "cells": [
            {
                "cell_type": "code",
                "id": lineage["replay_parent_turn_id"],
                "metadata": {"turnbook_run": {"runId": run, "requestHash": logged}},
            }
        ],
        "metadata": {"turnbook": {"chatId": lineage["replay_parent_session_id"]}},
    }


def test_the_parent_is_checked(write: Any) -> None:
    notebook = telling()
    record = notebook["metadata"]["turnbook"]["record"]
    path = write(notebook)
    assert "not in this folder" in str(verify(path).notes)
    run, logged = record["requestId"], record["loggedHash"]
    chat = write(parent(notebook, logged, run), "source.chat.ipynb")
    found = verify(path)
    assert found.problems == []
    assert not any("folder" in line for line in found.notes)
    write(parent(notebook, "0" * 64, run), "source.chat.ipynb")
    (problem,) = verify(path).problems
    assert "logged another request" in problem
    write(parent(notebook, "0" * 64, "another run"), "source.chat.ipynb")
    found = verify(path)
    assert found.problems == []
    assert "no longer holds" in str(found.notes)
    # Another chat named with --parent is refused.
    chat.write_text('{"metadata": {"turnbook": {"chatId": "other"}}}')
    (problem,) = verify(path, chat).problems
    assert "is not the chat" in problem


def test_the_command_is_one_of_jupyter(write: Write) -> None:
    path = write(telling())
    jupyter = shutil.which("jupyter", path=str(Path(sys.executable).parent))
    assert jupyter
    done = subprocess.run(
        [jupyter, "turnbook", "verify", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "OK" in done.stdout


@pytest.mark.parametrize("exporter", [HTMLExporter, MarkdownExporter])
def test_a_record_reads_well_through_nbconvert(exporter: Any) -> None:
    notebook = telling()
    text, _ = exporter().from_notebook_node(nbformat.from_dict(notebook))
    assert "Replayed prompt" in text
    assert notebook["metadata"]["turnbook"]["record"]["hash"] in text
    assert "Tool call" in text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_their_value(value: float) -> None:
    assert float(number(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (100.0, "100"),
        (1e21, "1e+21"),
        (123456789012345680000.0, "123456789012345680000"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-9, "1.5e-9"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
    ],
)
def test_numbers_are_written_as_javascript_writes_them(value: float, text: str) -> None:
    assert number(value) == text


def test_json_is_read_as_javascript_reads_it() -> None:
    value = loads('{"b": 1, "10": 2.0, "2": [], "a": {}, "01": "\\ud83d"}')
    assert dumps(value) == '{"2":[],"10":2,"b":1,"a":{},"01":"\\ud83d"}'
    assert (
        dumps({"a": [1, {"b": []}]}, 2)
        == '{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ]\n}'
    )
    with pytest.raises(ValueError, match="NaN"):
        loads("NaN")


def test_a_payload_that_is_not_a_request_has_no_cells() -> None:
    record = telling()["metadata"]["turnbook"]["record"]
    with pytest.raises(ValueError, match="no list of messages"):
        record_cells({**record, "payload": "{}"}, {})


def test_cells_that_were_added_are_found(write: Write) -> None:
    notebook = telling()
    notebook["cells"].append(
        {"cell_type": "markdown", "id": "forged", "source": "Never said.", "metadata": {}}
    )
    (problem,) = verify(write(notebook)).problems
    assert "cells where the payload gives" in problem


def test_requests_of_older_versions_of_the_parent_are_checked(write: Any) -> None:
    notebook = telling()
    record = notebook["metadata"]["turnbook"]["record"]
    path = write(notebook)
    source = parent(notebook, "0" * 64, "a later run")
    source["cells"][0]["metadata"]["turnbook_versions"] = [
        {"runId": record["requestId"], "requestHash": record["loggedHash"]}
    ]
    write(source, "source.chat.ipynb")
    found = verify(path)
    assert found.problems == []
    assert not any("no longer holds" in line for line in found.notes)
    source["cells"][0]["metadata"]["turnbook_versions"][0]["requestHash"] = "1" * 64
    write(source, "source.chat.ipynb")
    (problem,) = verify(path).problems
    assert "logged another request" in problem


odd_values = st.sampled_from([None, True, 7, "", "x\ud83d", [], {}, [None], {"url": 7}])
parts = st.sampled_from(
    [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {
            "type": "file",
            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,"},
        },
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
    ]
)
odd_parts = st.dictionaries(
    st.sampled_from(["type", "text", "image_url", "file", "thinking"]), odd_values
)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["system", "user", "assistant", "tool"]),
        "content": st.lists(parts | odd_parts | odd_values, max_size=4) | odd_values,
    },
    optional={
        "reasoning_content": st.just("I think, so") | odd_values,
        "reasoning": odd_values,
        "reasoning_details": st.lists(
            st.just({"type": "reasoning.encrypted", "data": "c2VjcmV0", "index": 0}) | odd_values
        )
        | odd_values,
        "images": odd_values,
    },
)


@given(st.lists(messages, max_size=5))
def test_any_content_and_reasoning_has_cells(said: list[Any]) -> None:
    record = copy.deepcopy(telling()["metadata"]["turnbook"]["record"])
    lineage = {"replay_parent_session_id": "a", "replay_parent_turn_id": "b"}
    record["payload"] = json.dumps({"model": "m", "messages": said})
    cells = record_cells(record, lineage)
    shown = [
        section for cell in cells for section in cell["metadata"]["turnbook_replay"]["sections"]
    ]
    assert [section["index"] for section in shown] == list(range(len(said)))
    for section, message in zip(shown, said, strict=True):
        extra = set(message) - {"role", "content"}
        assert set(section.get("rest", {})) == extra
    json.dumps(cells).encode()


def test_a_large_picture_is_named_and_not_shown() -> None:
    record = copy.deepcopy(telling()["metadata"]["turnbook"]["record"])
    url = "data:image/png;base64," + "iVBORw0K" * 500_000
    part = {"type": "image_url", "image_url": {"url": url}}
    said = [{"role": "user", "content": [part, {"type": "text", "text": "Look"}]}]
    record["payload"] = json.dumps({"model": "m", "messages": said})
    lineage = {"replay_parent_session_id": "a", "replay_parent_turn_id": "b"}
    source = record_cells(record, lineage)[1]["source"]
    assert len(source) < 200
    assert source.endswith("4000022 characters)*\n\nLook")
