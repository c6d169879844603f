"""One dialect of JSON; `src/runs/__tests__/dialect.spec.ts` tests the browser's side."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from jupyterlab_turnbook.base import dialect
from jupyterlab_turnbook.runs import continuation
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .conftest import Api, ended, new_run, text_of

CASES = json.loads(Path(__file__).with_name("json_cases.json").read_text("utf-8"))
SUITE = Path(
    os.environ.get("TURNBOOK_JSON_SUITE", Path(__file__).parents[2] / "../shared/json-suite")
)


def _takes(text: str) -> bool:
    try:
        dialect.parse(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_json_cases(case: dict[str, Any]) -> None:
    assert _takes(case["text"]) is case["strict"]
    chunk = dialect.parse_chunk(case["text"])
    assert chunk == case["chunk"]
    if chunk is not None:
        # Every strict parser reads the stored text, with the same result.
        assert dialect.parse(dialect.storable(case["text"], chunk)) == chunk


@pytest.mark.parametrize(
    "value",
    [
        '"4f431e97 1e999 NaN Infinity"',
        '"' + "1" * 400 + '"',
        "1e9",
        "1e-999",
        "1" * 300,
        "12.5E+02",
    ],
)
def test_what_can_be_expressed_is_stored_as_it_is_written(value: str) -> None:
    text = '{ "a":' + value + "}"
    chunk = dialect.parse_chunk(text)
    assert chunk is not None and dialect.storable(text, chunk) == text


@pytest.mark.parametrize(
    "value", ["1e999", "-1E+0400", "NaN", "-Infinity", "1" * 310, "1" * 250 + "e99", "[1.0e400]"]
)
def test_what_cannot_be_expressed_is_stored_as_null(value: str) -> None:
    text = '{ "a":' + value + "}"
    chunk = dialect.parse_chunk(text)
    assert chunk is not None
    assert json.loads(dialect.storable(text, chunk))["a"] in (None, [None])


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_depth(pair: str) -> None:
    key = '"a":' if pair == "{}" else ""

    def nested(depth: int) -> str:
        return (pair[0] + key) * (depth - 1) + pair + pair[1] * (depth - 1)

    assert _takes(nested(dialect.MAX_DEPTH))
    assert not _takes(nested(dialect.MAX_DEPTH + 1))
    assert not _takes(nested(100_000))
    # Neighbours are not nested, and brackets in strings do not count.
    assert _takes("[" + ",".join([pair] * 1000) + "]")
    assert _takes(json.dumps(["[" * 1000, '\\"{' * 1000]))


SIZES = 100_000
LONG_STRINGS = {
    "digits": "1" * SIZES,
    "runs of digits": ("1" * 299 + "x") * (SIZES // 300),
    "letters": "x" * SIZES,
    "exponents": "1e9 " * (SIZES // 4),
    "brackets": "[{" * (SIZES // 2),
    "quotes and brackets": '"[' * (SIZES // 2),
    "backslashes": "\\" * SIZES,
}


@pytest.mark.parametrize("text", LONG_STRINGS.values(), ids=LONG_STRINGS)
@pytest.mark.parametrize("cut", [0, 1, 2])
def test_long_strings_are_not_searched(text: str, cut: int) -> None:
    json_text = json.dumps({"a": [text]})
    called: list[str] = []

    def count(frame: Any, event: str, function: Any) -> None:
        if event in ("call", "c_call"):
            name = frame.f_code.co_name if event == "call" else function.__name__
            called.append(name)

    sys.setprofile(count)
    try:
        _takes(json_text[: len(json_text) - cut])
    finally:
        sys.setprofile(None)
    # It is decoded at most twice, and not searched with a regular expression.
    assert len(called) < 30
    assert not {"search", "findall", "finditer", "sub"} & set(called)
    assert called.count("count") <= 2 and called.count("raw_decode") <= 2


def test_the_depth_of_overridden_keys_counts() -> None:
    deep = "[" * (dialect.MAX_DEPTH + 1) + "]" * (dialect.MAX_DEPTH + 1)
    assert not _takes(f'{{"a": {deep}, "a": 1}}')


def test_numbers_too_long_for_python() -> None:
    assert dialect.parse("[" + "9" * 5000 + ", 12]") == [None, 12]


def test_lone_surrogates() -> None:
    assert dialect.well_formed("a\ud83d") + dialect.well_formed("\ude00b") == "a��b"
    assert dialect.well_formed("a\ud83d" + "\ude00b") == "a😀b"


def test_both_sides_take_and_refuse_the_same_files() -> None:
    if not SUITE.is_dir():
        pytest.skip("the suite is not here")
    files = sorted(SUITE.glob("*.json"))
    assert len(files) > 300
    for file in files:
        text = file.read_bytes().decode("utf-8", "replace")
        wanted = {"y": True, "n": False}.get(file.name[0], file.name not in REFUSED)
        assert _takes(text) is wanted, file.name


REFUSED = {
    "i_string_UTF-16LE_with_BOM.json",
    "i_string_utf16BE_no_BOM.json",
    "i_string_utf16LE_no_BOM.json",
    "i_structure_500_nested_arrays.json",
    "i_structure_UTF-8_BOM_empty_object.json",
}
"""Cases that the suite leaves open and both sides refuse."""


def chunk_text(text: str, more: str = "") -> str:
    content = json.dumps(text)
    return f'{{"choices": [{{"index": 0, "delta": {{"content": {content}}}{more}}}]}}'


async def test_a_chunk_with_nan_or_infinity_is_not_lost(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    odd = chunk_text("one ", ', "logprobs": {"content": [{"logprob": -Infinity}, NaN, 1e999]}')
    provider.script(
        {
            "steps": [
                {"raw": f"data: {odd}\n\n"},
                {"delta": "two"},
                {"finish": "stop"},
                {"done": True},
            ]
        }
    )
    asked = new_run()
    await api("createRun", body=asked)
    body = await ended(api, asked["id"])
    assert body["run"]["state"] == "done"
    assert text_of(body["events"]) == "one two"
    for event in body["events"][:-1]:
        dialect.parse(event["data"])


@pytest.mark.parametrize("odd", ["{'a': 1}", "[1]", "nan", '{"a": ' * 500 + "1" + "}" * 500])
async def test_a_chunk_that_cannot_be_parsed_is_reported(
    api: Api, provider: ThreadedScriptedProvider, odd: str
) -> None:
    provider.script({"steps": [{"delta": "one "}, {"raw": f"data: {odd}\n\n"}, {"done": True}]})
    asked = new_run()
    await api("createRun", body=asked)
    run = (await ended(api, asked["id"]))["run"]
    assert (run["state"], run["end"]["code"]) == ("failed", "malformed")


async def test_requests_are_parsed_strictly(api: Api) -> None:
    for raw in (
        json.dumps(new_run()).replace("null", "NaN"),
        json.dumps(new_run()).encode("utf-16"),
        b"\xef\xbb\xbf" + json.dumps(new_run()).encode(),
        b'{"a": "\xff"}',
        b"[" * 100_000,
    ):
        answer = await api("createRun", raw=raw)
        assert (answer.status, answer.body["code"]) == (400, "bad-json")


async def test_text_and_finish_come_from_the_same_choice(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    def choices(*each: dict[str, Any]) -> dict[str, Any]:
        return {"chunk": {"choices": list(each)}}

    provider.script(
        {
            "steps": [
                choices(
                    {"index": 1, "delta": {"content": "other"}, "finish_reason": "length"},
                    {"index": 0, "delta": {"content": "mine"}},
                ),
                choices({"index": True, "delta": {}, "finish_reason": "length"}),
                choices({"index": 0, "delta": {}, "finish_reason": "stop"}),
                choices({"index": 1, "delta": {}, "finish_reason": "content_filter"}),
                {"done": True},
            ]
        }
    )
    asked = new_run()
    await api("createRun", body=asked)
    body = await ended(api, asked["id"])
    assert body["run"]["end"]["finish"] == "stop"
    chunks = [event["data"] for event in body["events"] if "data" in event]
    assert continuation.partial_of(chunks).text == "mine"


async def test_a_whole_response_with_a_lone_surrogate(
    api: Api, provider: ThreadedScriptedProvider
) -> None:
    answer = '{"choices": [{"message": {"content": "a\\ud800"}, "logprobs": NaN}]}'
    provider.script({"content_type": "application/json", "steps": [{"raw": answer}]})
    asked = new_run()
    await api("createRun", body=asked)
    body = await ended(api, asked["id"])
    assert body["run"]["state"] == "done"
    assert continuation.partial_of([body["events"][0]["data"]]).text == "a�"


async def test_a_journal_with_nan_is_returned_as_valid_json(
    api: Api, provider: ThreadedScriptedProvider, journal_dir: Path
) -> None:
    asked = new_run()
    await api("createRun", body=asked)
    await ended(api, asked["id"])
    with closing(sqlite3.connect(journal_dir / "journal.sqlite")) as db:
        db.execute("UPDATE runs SET cell = json_object('id', id)")
        db.execute("UPDATE runs SET cell = replace(cell, '}', ', \"a\": -Infinity}')")
        db.execute(
            "UPDATE runs SET outcome = replace(outcome, '\"retryAfter\": null', '\"retryAfter\": NaN')"
        )
        db.commit()
    run = (await api("getRun", asked["id"])).body["run"]
    assert run["cell"]["a"] is None and run["end"]["retryAfter"] is None
