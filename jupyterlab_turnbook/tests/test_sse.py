"""Server-sent events come out the same however their bytes are split."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_turnbook.runs.sse import EventTooLarge, SseDecoder


def decode(*parts: bytes) -> list[str]:
    decoder = SseDecoder()
    return [event for part in parts for event in decoder.feed(part)]


texts = st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), max_size=20)
ends = st.sampled_from(["\n", "\r", "\r\n"])


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[str]]:
    """A stream and the data of its events."""
    out = "\ufeff" if draw(st.booleans()) else ""
    expected = []
    for _ in range(draw(st.integers(0, 4))):
        # One kind of line end per event: a bare CR before a bare LF would be a CRLF.
        end = draw(ends)
        lines = draw(st.lists(texts, min_size=1, max_size=3))
        for line in lines:
            if draw(st.booleans()):
                out += f": {draw(texts)}{end}"
            if draw(st.booleans()):
                out += f"id: 7{end}event: x{end}"
            out += f"data: {line}{end}"
        out += end
        if end == "\r":
            out += ": so that a CR is not joined with an LF\r"
        expected.append("\n".join(lines))
    return out.encode(), expected


@given(streams(), st.lists(st.integers(0, 400), max_size=12))
def test_any_split_gives_the_same_events(stream: tuple[bytes, list[str]], cuts: list[int]) -> None:
    data, expected = stream
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    parts = [data[a:b] for a, b in pairwise(places)]
    assert decode(*parts) == expected


@given(streams())
def test_byte_by_byte(stream: tuple[bytes, list[str]]) -> None:
    data, expected = stream
    assert decode(*(bytes([byte]) for byte in data)) == expected


@given(st.binary(max_size=200), st.integers(0, 200))
def test_any_bytes_at_all_split_anywhere(data: bytes, cut: int) -> None:
    assert decode(data) == decode(data[:cut], data[cut:])


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data:x\n\n", ["x"]),
        (b"data:  x\n\n", [" x"]),
        (b"data\n\n", [""]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b": hello\n\n\n\ndata: x\n\n", ["x"]),
        (b"database: no\ndata: yes\n\n", ["yes"]),
        ("data: a\u2028b\x0cc\x85d\n\n".encode(), ["a\u2028b\x0cc\x85d"]),
        (b"data: x\n", []),
        (b"", []),
    ],
)
def test_lines(stream: bytes, events: list[str]) -> None:
    assert decode(stream) == events


def test_the_rest_without_a_blank_line() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\n\ndata: [DO") == ["a"]
    decoder.feed(b"NE]")
    assert decoder.rest() == "[DONE]"
    assert SseDecoder().rest() is None


def test_an_endless_event_is_refused() -> None:
    decoder = SseDecoder(limit=1000)
    decoder.feed(b"data: " + b"x" * 900)
    with pytest.raises(EventTooLarge):
        decoder.feed(b"x" * 200)
    lines = SseDecoder(limit=1000)
    with pytest.raises(EventTooLarge):
        for _ in range(200):
            lines.feed(b"data: xxxxx\n")


def test_many_events_and_comments_are_not_one_large_one() -> None:
    decoder = SseDecoder(limit=100)
    for _ in range(100):
        assert decoder.feed(b": a comment that keeps the connection alive\n") == []
        assert decoder.feed(b"data: twenty characters..\n\n") == ["twenty characters.."]
