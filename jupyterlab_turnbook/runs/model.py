"""The journal's records and their JSON in the API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..base.outcome import Outcome
from .joining import GoesOn
from .states import ALIVE, State


class TurnKey(NamedTuple):
    """A turn: a pair of a chat and, if there are several replies to it, which one."""

    chat: str
    pair: str
    sibling: int = 0


@dataclass(frozen=True)
class Turn:
    """The retry state that all attempts of one pair share, of siblings those of one of them."""

    auto: bool
    retry_at: int | None
    failures: int
    generation: int
    """Incremented by every user decision, so that timers set earlier have no effect."""
    paused: str | None
    billed: int = 0
    """Consecutive attempts that may have been billed and brought no new text."""
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
    """What a page or a retry asks for: one request for one pair, with these bytes."""

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
    """The attempt number this must get; None takes the next one."""
    resend: bool = False
    """Whether the pair may have runs already."""
    auto: bool = True
    """Whether the server may retry it automatically."""
    generation: int | None = None
    """Set for automatic retries: the turn must still be in this generation."""
    replaces: str | None = None
    goes_on: GoesOn | None = None
    """How the provider is asked to continue the run in `continues`."""
    page_hash: str | None = None
    """The page's own hash of the bytes it meant to send."""
    draft: dict[str, Any] = field(default_factory=dict)
    """Counts and version of the draft behind the bytes; used only in events."""
    group: str | None = None
    """What the siblings of a pair share that were asked for together; None for a single reply."""
    sibling: int = 0
    """Which of them this is."""

    @property
    def automatic(self) -> bool:
        """Whether this is an automatic retry."""
        return self.generation is not None

    @property
    def turn_key(self) -> TurnKey:
        """What this is an attempt at."""
        return TurnKey(self.chat, self.pair, self.sibling)


@dataclass(frozen=True)
class Run:
    """One attempt as recorded in the journal, without its bytes and events."""

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
    """Without large outputs if `cell_cut`."""
    after: str | None
    turn: Turn
    owner: str
    automatic: bool = False
    """Whether it was an automatic retry."""
    replaces: str | None = None
    """The run whose partial reply this one replaces by starting over."""
    goes_on: GoesOn | None = None
    """How the provider was asked to continue; None if this run continues no other."""
    page_hash: str | None = None
    cell_cut: bool = False
    """Whether `cell` lacks outputs; `queries.whole_cell` has them."""
    group: str | None = None
    sibling: int = 0

    @property
    def turn_key(self) -> TurnKey:
        """What this is an attempt at."""
        return TurnKey(self.chat, self.pair, self.sibling)

    @property
    def alive(self) -> bool:
        """Whether more events may come. A run that is alive holds the chat's send lock."""
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
            **({"cellCut": True} if self.cell_cut else {}),
            **({"group": self.group, "sibling": self.sibling} if self.group else {}),
        }


class Event(NamedTuple):
    """One numbered event of a run: the data of a chunk or, as the last one, the end."""

    n: int
    data: str | None = None
    end: Outcome | None = None
    state: State | None = None

    def json(self) -> dict[str, Any]:
        """The contract's `Event`."""
        if self.end is not None:
            return {"n": self.n, "end": self.end.json(), "state": self.state}
        return {"n": self.n, "data": self.data}
