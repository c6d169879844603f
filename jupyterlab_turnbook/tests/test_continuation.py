"""Continuing a partial reply changes nothing else in the request."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_turnbook.providers.provider import Continuation
from jupyterlab_turnbook.runs.continuation import (
    INSTRUCTION,
    Partial,
    delta_text,
    partial_of,
    usage_of,
)
from jupyterlab_turnbook.runs.continuation import next_body as next_body_of

BODY = (
    b'{ "model" : "m", "temperature": 0.10, "seed": 12345678901234567890, "top_p": 1e0,'
    b' "messages": [ {"role": "user", "content": "a ] } \\" \\u00e9"} ] , "stream":true, "n":\t1 }'
)


def next_body(body: bytes, text: str, continuation: Continuation) -> bytes:
    """The next body after a partial reply of only text."""
    return next_body_of(body, Partial(text), continuation)


def test_same_bytes_without_text_or_with_restart() -> None:
    assert next_body(BODY, "", "prefill") == BODY
    assert next_body(BODY, "", "instruct") == BODY
    assert next_body(BODY, "partial", "restart") == BODY


def test_prefill_adds_the_partial_and_touches_nothing_else() -> None:
    made = next_body(BODY, 'par"tial ü', "prefill")
    added = '{"role": "assistant", "content": "par\\"tial ü"}'.encode()
    place = made.index(added)
    assert made[: place - 1] + made[place + len(added) :] == BODY


def test_instruct_asks_to_continue() -> None:
    messages = json.loads(next_body(BODY, "partial", "instruct"))["messages"]
    assert messages[1:] == [
        {"role": "assistant", "content": "partial"},
        {"role": "user", "content": INSTRUCTION},
    ]


@pytest.mark.parametrize(
    "body", [b'{"messages":[]}', b'{"messages": [ ]}', b'{"a":{"messages":[1]},"messages":[]}']
)
def test_empty_lists(body: bytes) -> None:
    made = json.loads(next_body(body, "p", "prefill"))
    assert made["messages"] == [{"role": "assistant", "content": "p"}]


def test_the_last_of_repeated_keys_counts() -> None:
    made = json.loads(next_body(b'{"messages":[1],"messages":[2]}', "p", "prefill"))
    assert made["messages"] == [2, {"role": "assistant", "content": "p"}]


def test_no_messages() -> None:
    for body in (b"{}", b'{"messages": 7}'):
        assert next_body(body, "p", "prefill") == body


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=8), values, max_size=4),
    st.lists(values, max_size=3),
    st.text(st.characters(codec="utf-8"), min_size=1),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
)
def test_law(
    others: dict[str, Any], messages: list[Any], partial: str, indent: Any, escaped: bool
) -> None:
    request = {**others, "messages": messages}
    try:
        body = json.dumps(request, indent=indent, ensure_ascii=escaped).encode()
    except UnicodeEncodeError:
        return
    made = json.loads(next_body(body, partial, "prefill"))
    assert list(made) == list(request)
    assert made == {**request, "messages": [*messages, {"role": "assistant", "content": partial}]}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('{"choices":[{"delta":{"content":"x"}}]}', "x"),
        ('{"choices":[{"delta":{"content":null}}]}', ""),
        ('{"choices":[{"delta":{}}]}', ""),
        ('{"choices":[]}', ""),
        ('{"choices":[7]}', ""),
        ('{"choices":{"0":1}}', ""),
        ('{"usage":{}}', ""),
    ],
)
def test_text_of_a_chunk(data: str, text: str) -> None:
    assert delta_text(data) == text


def test_half_a_tool_call_is_not_continued() -> None:
    call = {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "f"}}]}}]}
    arrived = partial_of(['{"choices":[{"delta":{"content":"I will "}}]}', json.dumps(call)])
    assert arrived == Partial("I will ", tools=True)
    assert next_body_of(BODY, arrived, "prefill") == BODY


def test_the_last_token_usage_is_returned() -> None:
    assert usage_of(['{"usage":{"total_tokens":1}}', '{"usage":{"total_tokens":2}}', "{}"]) == {
        "total_tokens": 2
    }
    assert usage_of(['{"usage":null}', "[]"]) is None
