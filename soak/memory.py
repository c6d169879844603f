"""How much is held over time, and whether that grows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ENOUGH = 5
"""So many samples of one life make a slope that says something."""
PAGE = ("heap", "listeners", "nodes", "documents", "timeouts", "intervals")
LIKE_A_NOTEBOOK = {"heap": 150_000, "listeners": 0, "nodes": 100}
"""What each chat that was opened may leave behind, beyond a plain notebook: JupyterLab keeps closed ones."""
NONE = {"documents": 0.05, "timeouts": 0.1, "intervals": 0.02}
"""What each chat that was opened may leave behind; below one, as those of the page itself come and go."""
SERVER_A_MINUTE = 2 * 2**20
"""Bytes by which the server may grow: it keeps what it read last."""


@dataclass(frozen=True)
class Sample:
    """What was held at one moment, with all chats closed."""

    minute: float
    opened: int
    """How many chats were opened until then."""
    life: int
    """Which process or page it was: a new one starts from nothing."""
    value: float


@dataclass(frozen=True)
class Growth:
    """What the samples of one thing say; a slope is None where they say nothing."""

    by_minute: float | None
    by_chat: float | None
    verdict: str
    """Empty if all is well."""


def growth(name: str, samples: Sequence[Sample], own: float | None) -> Growth:
    """Whether something grows; `own` is what a plain notebook leaves behind in JupyterLab."""
    by_minute = slope(samples)
    by_chat = slope(samples, lambda sample: sample.opened)
    judged, limit = by_chat, NONE.get(name, 0.0)
    if name not in PAGE:
        judged, limit = by_minute, SERVER_A_MINUTE
    elif name in LIKE_A_NOTEBOOK:
        limit = max(own or 0, 0) + LIKE_A_NOTEBOOK[name]
    if len(samples) < ENOUGH or len({sample.life for sample in samples}) > 1 or judged is None:
        return Growth(by_minute, by_chat, f"NO DATA: {len(samples)} looks")
    # Some timers more or less are no growth.
    span = max(sample.opened for sample in samples) - samples[1].opened
    is_one = name in NONE and judged * span < 4
    return Growth(by_minute, by_chat, "GROWS" if judged > limit and not is_one else "")


def slope(
    samples: Sequence[Sample], by: Callable[[Sample], float] = lambda sample: sample.minute
) -> float | None:
    """The growth per minute, or by something else, within lives; None where no life has three samples.

    The first sample of a life does not count: what is loaded when it is first used stays.
    """
    lives: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        lives[sample.life].append(sample)
    for life in lives.values():
        del life[0]
    over = under = 0.0
    for life in lives.values():
        if life:
            place = sum(by(each) for each in life) / len(life)
            value = sum(each.value for each in life) / len(life)
            over += sum((by(each) - place) * (each.value - value) for each in life)
            under += sum((by(each) - place) ** 2 for each in life)
    return over / under if under else None
