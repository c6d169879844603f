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
    delta_of,
    delta_text,
    partial_of,
    usage_of,
)
from jupyterlab_turnbook.runs.continuation import next_body as next_body_of
from jupyterlab_turnbook.runs.reasoning import reasoning_text

BODY = (
    b'{ "model" : "m", "temperature": 0.10, "seed": 12345678901234567890, "top_p": 1e0,'
    b' "messages": [ {"role": "user", "content": "a ] } \\" \\u00e9"} ] , "stream":true, "n":\t1 }'
)

THINKING_PART = '{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"x"}]}]}}]}'


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
        ('{"choices":[{"delta":{"content":"x","reasoning_content":"y"}}]}', "x"),
        ('{"choices":[{"delta":{"content":[{"type":"text","text":"x"},7,{"text":"z"}]}}]}', "x"),
        (THINKING_PART, ""),
    ],
)
def test_text_of_a_chunk(data: str, text: str) -> None:
    assert delta_text(data) == text


def test_half_a_tool_call_is_not_continued() -> None:
    call = {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": "f"}}]}}]}
    arrived = partial_of(['{"choices":[{"delta":{"content":"I will "}}]}', json.dumps(call)])
    assert arrived == Partial("I will ", tools=True)
    assert next_body_of(BODY, arrived, "prefill") == BODY


@pytest.mark.parametrize(
    ("delta", "text"),
    [
        ({"reasoning_content": "I think"}, "I think"),
        ({"reasoning": "I think", "reasoning_details": [{"text": "I think"}]}, "I think"),
        ({"reasoning_details": [{"type": "reasoning.text", "text": "a"}, {"summary": "b"}]}, "ab"),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "c2VjcmV0"}]}, ""),
        ({"thinking": "I think"}, "I think"),
        ({"content": [{"type": "thinking", "thinking": "I think"}]}, "I think"),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "a"}, 7]}]}, "a"),
    ],
)
@pytest.mark.parametrize("continuation", ["prefill", "instruct", "restart"])
def test_reasoning_is_no_text_and_cannot_be_continued(
    delta: dict[str, Any], text: str, continuation: Continuation
) -> None:
    data = json.dumps({"choices": [{"delta": delta}]})
    arrived = partial_of([data])
    assert arrived == Partial("", thought=True)
    assert arrived and reasoning_text(delta_of(data)) == text
    assert next_body_of(BODY, arrived, continuation) == BODY


@pytest.mark.parametrize(
    "delta",
    [
        {},
        {"content": "x"},
        {"reasoning_content": ""},
        {"reasoning_content": None, "reasoning_details": []},
        {"content": [{"type": "text", "text": "x"}, {"type": "thinking"}]},
    ],
)
def test_what_is_not_reasoning(delta: dict[str, Any]) -> None:
    assert not partial_of([json.dumps({"choices": [{"delta": delta}]})]).thought
    assert reasoning_text(delta) == ""


def test_the_last_token_usage_is_returned() -> None:
    assert usage_of(['{"usage":{"total_tokens":1}}', '{"usage":{"total_tokens":2}}', "{}"]) == {
        "total_tokens": 2
    }
    assert usage_of(['{"usage":null}', "[]"]) is None
