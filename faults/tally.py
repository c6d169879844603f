"""What is counted for each fault."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Tally:
    """One row of the table."""

    fault: str
    client: str = "client"
    """Who played the page."""
    injected: int = 0
    lost: int = 0
    duplicated: int = 0
    extra: int = 0
    wrong: int = 0
    notes: list[str] = field(default_factory=list)
    """What was wrong, in words."""

    @property
    def clean(self) -> bool:
        """Whether the fault was injected and did no harm."""
        return self.injected > 0 and not (self.lost or self.duplicated or self.extra or self.wrong)

    def amiss(self, what: str) -> None:
        """Count a wrong final state."""
        self.wrong += 1
        self.notes.append(what)

    def row(self) -> dict[str, Any]:
        """The row as the results file has it."""
        return {
            "fault": self.fault,
            "client": self.client,
            "injected": self.injected,
            "lost": self.lost,
            "duplicates": self.duplicated,
            "extra": self.extra,
            "wrong": self.wrong,
        }


def compare(wanted: str, got: str) -> tuple[int, int]:
    """Bytes of `wanted` that are not in `got`, and bytes in `got` that should not be there."""
    one, other = wanted.encode("utf-8", "surrogatepass"), got.encode("utf-8", "surrogatepass")
    shorter = min(len(one), len(other))
    head = next((n for n in range(shorter) if one[n] != other[n]), shorter)
    left = shorter - head
    tail = next((n for n in range(left) if one[-1 - n] != other[-1 - n]), left)
    return len(one) - head - tail, len(other) - head - tail
