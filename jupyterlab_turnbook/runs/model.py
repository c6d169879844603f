"""The records of the journal and how the API shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..base.outcome import Outcome
from .joining import GoesOn
from .states import ALIVE, State


@dataclass(frozen=True)
class Turn:
    """The retry state that all attempts of one pair share."""

    auto: bool
    retry_at: int | None
    failures: int
    generation: int
    """Changes with every decision of the user; a timer of an older one is without effect."""
    paused: str | None
    billed: int = 0
    """Attempts in a row that may have been billed and brought no new text."""
    reached: int = 0
    """Characters of the longest reply so far."""

    def json(self) -> dict[str, Any]:
        """The contract's `TurnState`."""
        return {
            "auto": self.auto,
            "retryAt": self.retry_at,
            "failures": self.failures,
            "generation": self.generation,
            "paused": self.paused,
        }


@dataclass(frozen=True)
class Claim:
    """What a browser (or a retry) asks for: one request, for one pair, with these bytes."""

    id: str
    chat: str
    pair: str
    cell: dict[str, Any] = field(repr=False)
    after: str | None
    provider: str
    model: str
    body: bytes = field(repr=False)
    continues: str | None = None
    attempt: int | None = None
    """The attempt this must become; None takes the next, whichever it is."""
    resend: bool = False
    """Whether the pair may have runs already."""
    auto: bool = True
    """Whether the server may retry it by itself."""
    generation: int | None = None
    """Set by the server's own retrying: the turn must still have this one."""
    replaces: str | None = None
    goes_on: GoesOn | None = None
    """How the provider is asked to go on from the run that this one continues."""
    page_hash: str | None = None
    """The hash that the page made of the bytes it meant to send."""
    draft: dict[str, Any] = field(default_factory=dict)
    """Counts and version of the draft that the bytes were rendered from, for events alone."""

    @property
    def automatic(self) -> bool:
        """Whether the server begins it by itself."""
        return self.generation is not None


@dataclass(frozen=True)
class Run:
    """One attempt as the journal has it, without its bytes and events."""

    id: str
    chat: str
    pair: str
    attempt: int
    provider: str
    model: str
    state: State
    hash: str
    size: int
    created_at: int
    updated_at: int
    events: int
    end: Outcome | None
    continues: str | None
    landed: bool
    dropped: bool
    cell: dict[str, Any] = field(repr=False)
    after: str | None
    turn: Turn
    owner: str
    automatic: bool = False
    """Whether the server began it by itself."""
    replaces: str | None = None
    """The run whose partial reply this one does not go on from but begins anew."""
    goes_on: GoesOn | None = None
    """How the provider was asked to go on; None for a run that continues none."""
    page_hash: str | None = None

    @property
    def alive(self) -> bool:
        """Whether it may still bring events; while it may, it holds the chat's send lock."""
        return self.state in ALIVE

    def json(self) -> dict[str, Any]:
        """The contract's `Run`."""
        return {
            "id": self.id,
            "chat": self.chat,
            "pair": self.pair,
            "attempt": self.attempt,
            "provider": self.provider,
            "model": self.model,
            "state": self.state,
            "hash": self.hash,
            "size": self.size,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
            "events": self.events,
            "end": self.end.json() if self.end else None,
            "continues": self.continues,
            "replaces": self.replaces,
            "goesOn": self.goes_on,
            "automatic": self.automatic,
            "pageHash": self.page_hash,
            "landed": self.landed,
            "dropped": self.dropped,
            "cell": self.cell,
            "after": self.after,
            "turn": self.turn.json(),
        }


class Event(NamedTuple):
    """One numbered event of a run: a chunk's data or, last, the end."""

    n: int
    data: str | None = None
    end: Outcome | None = None
    state: State | None = None

    def json(self) -> dict[str, Any]:
        """The contract's `Event`."""
        if self.end is not None:
            return {"n": self.n, "end": self.end.json(), "state": self.state}
        return {"n": self.n, "data": self.data}
