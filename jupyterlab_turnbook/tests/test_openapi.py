"""The contract is a valid OpenAPI document, and its validators work."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, get_args

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from openapi_core import OpenAPI

from jupyterlab_turnbook import contract, events
from jupyterlab_turnbook.base.outcome import ErrorType
from jupyterlab_turnbook.runs.joining import GoesOn
from jupyterlab_turnbook.runs.states import State


def test_the_document_is_valid() -> None:
    OpenAPI.from_dict(contract.document()).check_spec()


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML was built without libyaml")
def test_the_quick_parser_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = yaml.safe_load(contract.FILE.read_text("utf-8"))
    monkeypatch.setattr(yaml, "SafeLoader", None)
    contract.document.cache_clear()
    assert contract.document() == slow


@pytest.mark.parametrize("message", [{"watchAll": True}, {"watchAll": "all"}])
def test_the_first_check_reads_nothing(message: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    contract.load()
    monkeypatch.setattr(contract, "_as_json_schema", None)
    monkeypatch.setattr(yaml, "load", None)
    with suppress(contract.ContractError):
        contract.check("ClientMessage", message)
    with suppress(contract.ContractError):
        contract.check("NewRun", message)


def test_every_operation_is_named_once() -> None:
    methods = sum(
        method in ("get", "put", "post", "delete")
        for item in contract.document()["paths"].values()
        for method in item
    )
    assert len(contract.operations()) == methods


def test_nullable_and_exclusive_bounds_are_translated() -> None:
    contract.check("ProviderInput", {"baseUrl": "x", "key": None, "timeouts": {"connect": 0.1}})
    with pytest.raises(contract.ContractError, match=r"\$\.timeouts\.connect"):
        contract.check("ProviderInput", {"baseUrl": "x", "timeouts": {"connect": 0}})
    with pytest.raises(contract.ContractError, match=r"\$\.baseUrl"):
        contract.check("ProviderInput", {"baseUrl": None})


def test_an_error_does_not_quote_the_value() -> None:
    for value in ({"baseUrl": "x", "models": "sk-canary"}, "sk-canary", {"key": "sk-canary"}):
        with pytest.raises(contract.ContractError) as caught:
            contract.check("ProviderInput", value)
        assert "sk-canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [("RunState", State), ("ErrorType", ErrorType), ("GoesOn", GoesOn)],
)
def test_the_server_and_the_contract_list_the_same_values(name: str, words: Any) -> None:
    assert list(get_args(words)) == contract.document()["components"]["schemas"][name]["enum"]


def test_a_page_may_emit_every_event_except_the_servers_own() -> None:
    names = contract.document()["components"]["schemas"]["EventName"]["enum"]
    assert set(names) == set(events.NAMES) - events.OF_SERVER


def test_a_message_of_one_kind_is_checked_as_that_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    run = "00000000-0000-4000-8000-000000000000"
    good: dict[str, Any] = {"subscribe": run, "after": 3}
    contract.check("ClientMessage", good)
    wrong: list[Any] = [{**good, "ping": 1}, {**good, "more": 1}, {"subscribe": "no run"}]
    for bad in [*wrong, {"after": 3}, {}, [], None]:
        with pytest.raises(contract.ContractError):
            contract.check("ClientMessage", bad)
    # A message of the server is known by several keys, so that all kinds are tried.
    contract.check("ServerMessage", {"run": run, "events": []})
    with pytest.raises(contract.ContractError):
        contract.check("ServerMessage", {"run": run})
    monkeypatch.setattr(contract, "validator", None)
    assert contract.check("ClientMessage", good) is good


ID = "00000000-0000-4000-8000-00000000000a"
WHOLE: dict[str, Any] = {
    "id": ID,
    "chat": ID,
    "pair": "a",
    "cell": {"id": "a", "metadata": {}},
    "after": None,
    "provider": "test",
    "body": "{}",
    "resend": False,
    "autoRetry": True,
    "requestHash": "0" * 64,
    "draft": {"sections": {"user": 1}, "edited": 0, "deleted": 2, "version": 3, "debugName": "a"},
    "group": ID,
    "sibling": 0,
    "siblings": [
        {"id": ID, "sibling": 1, "provider": "other", "body": "", "requestHash": "0" * 64}
    ],
}
"""A message with all that one can have."""

ODD: list[Any] = [
    None, True, False, 0, 1, 1.0, -1, 0.5, 9999, 10**4, 10**30, float("nan"), float("inf"),
    "", "a", "a" * 64, "a" * 65, "0" * 64, ID, ID.upper(), f"{ID}\n", "x\n", "\x00", "\ud800",
    [], {}, [[]], [None], {"a": 1}, {"user": 1.0}, {"id": ID}, WHOLE["siblings"] * 31, WHOLE["siblings"] * 32,
]  # fmt: skip
GONE = object()
KEYS = [*WHOLE, *WHOLE["draft"], "user", "metadata", "", "$ref", "__proto__"]


def parts(value: Any) -> Iterator[Any]:
    """The containers in a value, and it itself."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from parts(inner)


def with_odd(at: int, key: str, odd: Any, value: Any = WHOLE) -> Any:
    """A copy in which one part has something odd at a key, or lacks it; lists get one item more."""
    made = copy.deepcopy(value)
    inside = [*parts(made), {}][at]
    if isinstance(inside, list):
        inside.append(copy.deepcopy(odd))
    elif odd is GONE:
        inside.pop(key, None)
    else:
        inside[key] = copy.deepcopy(odd)
    return made


def assert_no_more_is_allowed(value: Any) -> None:
    before = repr(value)
    if contract._surely_fits("NewRun", value):
        assert contract.validator("NewRun").is_valid(value), value
    # Not even a default was added.
    assert repr(value) == before


def test_the_quick_check_of_a_message_allows_nothing_else() -> None:
    for at, _ in enumerate(parts(WHOLE)):
        for key in KEYS:
            for odd in [*ODD, GONE]:
                assert_no_more_is_allowed(with_odd(at, key, odd))


@settings(max_examples=int(os.environ.get("TURNBOOK_EXAMPLES", "300")))
@given(st.data())
def test_the_quick_check_of_a_message_allows_no_several_odd_parts(data: st.DataObject) -> None:
    value: Any = WHOLE
    for _ in range(data.draw(st.integers(2, 5))):
        at = data.draw(st.integers(0, len([*parts(value)])))
        odd = data.draw(st.sampled_from([*ODD, GONE]))
        value = with_odd(at, data.draw(st.sampled_from(KEYS)), odd, value)
    assert_no_more_is_allowed(value)


@pytest.mark.parametrize("value", [*ODD, [WHOLE]])
def test_the_quick_check_of_a_message_reads_no_odd_value_as_one(value: Any) -> None:
    assert not contract._surely_fits("NewRun", value)


def test_a_usual_message_needs_only_the_quick_check(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = contract.document()["components"]["schemas"]["NewRun"]["required"]
    monkeypatch.setattr(contract, "validator", None)
    for message in (WHOLE, {key: WHOLE[key] for key in needed}):
        assert contract.check("NewRun", message) is message


def _looks_up(name: str) -> bool:
    schema = contract.validator(name).schema
    assert isinstance(schema, Mapping)
    return "$ref" in repr({**schema, "components": {}})


def test_a_message_is_checked_without_looking_up_references() -> None:
    for name in ("NewRun", "ClientMessage"):
        assert not _looks_up(name)
    # A run can be in an error that is about it, which cannot be written out.
    assert _looks_up("Error")
    with pytest.raises(contract.ContractError, match=r"\$\.run"):
        contract.check("Error", {"code": "chat-busy", "message": "Wait.", "run": {}})
