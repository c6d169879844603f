"""Adds the chunks of all runs that stream to the journal with one statement for each commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from . import commands
from .model import Event
from .received import Mark
from .transaction import Joined, Tx

# Rows of a statement: SQLite compiles each of these once. What is left over is NULL.
_SIZES = (1, 8, 32, 128)

Row = tuple[str | None, int | None, int | None, str | None, int | None, bytes | None]
_NOTHING: Row = (None, None, None, None, None, None)


@dataclass(frozen=True)
class Append(Joined):
    """Adds chunks to a run, whose last event has the number `after`."""

    run: str
    chat: str
    data: list[str]
    marks: Sequence[Mark]
    after: int

    def __call__(self, tx: Tx) -> int:
        """Add them after the last event, whatever its number is."""
        return commands.append(tx, self.run, self.chat, self.data, self.marks)

    @classmethod
    def together(cls, tx: Tx, works: Sequence[Append]) -> list[int] | None:
        """Add all; None if a run has ended or its last event is another."""
        rows = (row for work in works for row in work._rows())
        while portion := list(islice(rows, _SIZES[-1])):
            size = next(size for size in _SIZES if size >= len(portion))
            filled = _counted(portion) + [_NOTHING] * (size - len(portion))
            given = [value for row in filled for value in row]
            if tx.db.execute(_statement(size), given).rowcount != len(portion):
                return None
        for work in works:
            events = tuple(Event(n, data=each) for n, each in enumerate(work.data, work.after + 1))
            tx.changed(work.run, work.chat, state=False, events=events)
        return [work.after + len(work.data) for work in works]

    def _rows(self) -> Iterator[tuple[str, int, str, int | None, bytes | None]]:
        noted: Sequence[Any] = self.marks
        if len(noted) != len(self.data):
            noted = [(None, None)] * len(self.data)
        for n, (each, mark) in enumerate(zip(self.data, noted, strict=True), self.after + 1):
            yield (self.run, n, each, *mark)


def _counted(portion: list[Any]) -> list[Row]:
    """With each row, the number of the event before those that its statement adds to the run."""
    made: list[Row] = []
    run, before = None, 0
    for row in portion:
        if row[0] != run:
            run, before = row[0], row[1] - 1
        made.append((row[0], row[1], before, *row[2:]))
    return made


@cache
def _statement(rows: int) -> str:
    places = ", ".join(["(?, ?, ?, ?, ?, ?)"] * rows)
    return (
        # Python counts the rows only of what begins with INSERT.
        "INSERT INTO events (run, n, data, at, before)"
        f" WITH given (run, n, last, data, at, before) AS (VALUES {places})"
        " SELECT run, n, data, at, before FROM given"
        " WHERE EXISTS (SELECT 1 FROM runs WHERE id = given.run AND outcome IS NULL)"
        " AND last = (SELECT coalesce(max(n), 0) FROM events WHERE run = given.run)"
    )
