"""Counting bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faults.tally import Tally, compare


@pytest.mark.parametrize(
    ("wanted", "got", "counted"),
    [
        ("", "", (0, 0)),
        ("abc", "abc", (0, 0)),
        ("abc", "ac", (1, 0)),
        ("abc", "", (3, 0)),
        ("abc", "abbc", (0, 1)),
        ("aaa", "aa", (1, 0)),
        ("abc", "abcabc", (0, 3)),
        ("é", "", (2, 0)),
        ("abc", "axc", (1, 1)),
    ],
)
def test_counts_bytes(wanted: str, got: str, counted: tuple[int, int]) -> None:
    assert compare(wanted, got) == counted


@given(st.text(), st.text(), st.text(min_size=1))
def test_what_is_taken_out_counts(head: str, tail: str, middle: str) -> None:
    whole, part = head + middle + tail, head + tail
    size = len(whole.encode("utf-8", "surrogatepass")) - len(part.encode("utf-8", "surrogatepass"))
    assert compare(whole, part) == (size, 0)
    assert compare(part, whole) == (0, size)


def test_nothing_injected_is_not_clean() -> None:
    assert not Tally("x").clean
    assert Tally("x", injected=1).clean
    assert not Tally("x", injected=1, lost=1).clean
