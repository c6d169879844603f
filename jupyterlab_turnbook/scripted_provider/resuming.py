"""What models say when they are asked to continue a partial reply."""

from __future__ import annotations

from typing import Literal, get_args

from .script import words

Resuming = Literal["goes on", "repeats", "overlaps", "apologises", "apologises and repeats"]
WAYS: tuple[Resuming, ...] = get_args(Resuming)

APOLOGY = "Sure! Here is the rest: "

_OVERLAP = 4


def resumed(way: Resuming, text: str, said: str) -> str:
    """What a model says after it has said `said` of `text`."""
    rest = text[len(said) :]
    if way == "repeats":
        return text
    if way == "overlaps":
        return "".join(words(said)[-_OVERLAP:]).lstrip() + rest
    if way == "apologises":
        return APOLOGY + rest
    if way == "apologises and repeats":
        return APOLOGY + text
    return rest
