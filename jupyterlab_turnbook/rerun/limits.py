"""How many requests go to a provider at once, and when to stop. Pure, but for their counts."""

from __future__ import annotations

from dataclasses import dataclass, field

START = 20
MOST = 100
SHRINK = 0.8
TRIES = 6
"""How often a request is tried that the provider refuses for now."""
LONGEST_WAIT = 600.0
"""Seconds beyond which a provider that asks to wait is not waited for."""
FAILURES = ("changed", "failed", "check", "invalid")
"""What `--fail-on` can name."""
IN_A_ROW = 10
"""After so many refusals of a model without any reply, no more are sent to it."""
LOSSES = 4
"""After so many times in a row that nothing came back from a model, no more are sent to it."""


@dataclass
class Pace:
    """The number of requests at once: it shrinks when the provider says it is too many.

    Requests that were under way together are refused together; that is one sign, not many.
    """

    limit: float = START
    most: int = MOST
    epoch: int = 0
    """How often it shrank. A request remembers it, to tell which sign it belongs to."""
    _good: int = 0

    @property
    def now(self) -> int:
        """How many may be under way."""
        return max(1, int(self.limit))

    def good(self) -> None:
        """A reply came; after as many as may be under way, one more may be."""
        self._good += 1
        if self._good >= self.now:
            self._good = 0
            self.limit = min(float(max(self.most, self.limit)), self.limit + 1)

    def limited(self, epoch: int) -> None:
        """A request that began in this epoch was refused as one too many."""
        if epoch == self.epoch:
            self.epoch += 1
            self._good = 0
            self.limit = max(1.0, self.limit * SHRINK)


@dataclass
class Budget:
    """What may be spent: requests, and US dollars."""

    max_requests: int | None = None
    max_cost: float | None = None
    sent: int = 0
    cost: float = 0.0
    _open: dict[str, float] = field(default_factory=dict)
    """What the requests under way are expected to cost."""

    def refuses(self, expected: float) -> str | None:
        """Why one more request may not be sent, whatever those under way cost; None if it may."""
        if self.max_requests is not None and self.sent >= self.max_requests:
            return f"{self.sent} requests were sent, which is the limit."
        if self._exceeds(self.cost + expected):
            return (
                f"${self.cost:.4f} were spent, and the next request could exceed the limit of "
                f"${self.max_cost:g}."
            )
        return None

    def waits(self, expected: float) -> bool:
        """Whether one more request has to wait until it is known what those under way cost."""
        return self._exceeds(self.cost + sum(self._open.values()) + expected)

    def _exceeds(self, cost: float) -> bool:
        # A sum of many parts may be off by the last digits.
        return self.max_cost is not None and cost > self.max_cost * (1 + 1e-9)

    def begin(self, attempt: str, expected: float) -> None:
        """A request is sent."""
        self.sent += 1
        self._open[attempt] = expected

    def end(self, attempt: str, cost: float | None) -> None:
        """It ended and cost this; None counts as what was expected."""
        expected = self._open.pop(attempt, 0.0)
        self.cost += expected if cost is None else cost
