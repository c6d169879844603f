"""Joins a partial reply with the text of the attempt that continued it.

The page joins by the same rules (`src/base/joining.ts`); `tests/golden-joins.json` tests both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GoesOn = Literal["prefill", "instruct"]
"""How the provider was asked to continue a partial reply."""

_LONGEST_OVERLAP = 4000
_LONGEST_PREFACE = 120
_HEAD = 20

# How many equal letters rule out coincidence. A model that was instructed to continue often
# repeats its last words; with a prefilled reply, a repetition is more likely meant.
_AGAIN = {"prefill": 20, "instruct": 10}
_OVERLAP = {"prefill": 12, "instruct": 3}


@dataclass(frozen=True)
class Joined:
    """A reply put together from two attempts."""

    text: str
    seam: int | None = None
    """Where the later attempt's text begins; None if all of the text is from one attempt."""
    removed: int = 0
    """How many characters of the later attempt were left out as repeated."""


def join(before: str, after: str, how: GoesOn, *, whole: bool) -> Joined:
    """The reply after an attempt that continues `before` brought `after`.

    A text that starts over replaces `before` once it is complete or longer; an overlap is left out.
    """
    if not before or not after:
        return Joined(before or after)
    if how == "instruct" and not whole and after in before:
        # So far it has only repeated what was there.
        return Joined(before)
    if _begins_again(before, after, how):
        return Joined(after if whole or units(after) > units(before) else before)
    for text in (after, after.lstrip()):
        overlap = _overlap(before, text, how)
        if overlap:
            removed = len(after) - len(text) + overlap
            return Joined(before + text[overlap:], len(before), removed)
    return Joined(before + after, len(before))


def units(text: str) -> int:
    """The length of a text in UTF-16 code units, as JavaScript counts it."""
    return len(text) + sum(char > "\uffff" for char in text)


def _begins_again(before: str, after: str, how: GoesOn) -> bool:
    shared = _common(before, after)
    if _letters(after[:shared]) >= (3 if shared == len(before) else _AGAIN[how]):
        return True
    head = _head(before)
    # "Sorry! Here is all of it: ..."
    return (
        how == "instruct"
        and _letters(head) >= 6
        and after.find(head, 0, _LONGEST_PREFACE + len(head)) >= 0
    )


def _overlap(before: str, after: str, how: GoesOn) -> int:
    for size in range(min(len(before), len(after), _LONGEST_OVERLAP), 2, -1):
        start = len(before) - size
        if before.startswith(after[:size], start) and _letters(after[:size]) >= _OVERLAP[how]:
            inside = start > 0 and before[start].isalnum() and before[start - 1].isalnum()
            # A phrase that the text already has twice may well come a third time.
            said_before = before.find(after[:size]) < start
            if not inside and not said_before and not _repeats(after[:size]):
                return size
    return 0


def _repeats(text: str) -> bool:
    return (text + text).find(text, 1) < len(text)


def _common(one: str, other: str) -> int:
    shorter = min(len(one), len(other))
    return next((n for n in range(shorter) if one[n] != other[n]), shorter)


def _head(text: str) -> str:
    letters = 0
    for n, char in enumerate(text):
        letters += char.isalnum()
        if letters == _HEAD:
            return text[: n + 1]
    return text


def _letters(text: str) -> int:
    return sum(char.isalnum() for char in text)
