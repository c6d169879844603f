"""The table in the documentation is that of the last run, and that run was clean."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faults import catalog, table


@pytest.fixture
def results() -> dict[str, Any]:
    """What the last `make faults` wrote."""
    kept: dict[str, Any] = json.loads(table.RESULTS.read_text())
    return kept


def test_the_page_quotes_the_last_run(results: dict[str, Any]) -> None:
    assert table.quoted(table.PAGE.read_text()) == table.block(results)


def test_last_run_had_every_fault(results: dict[str, Any]) -> None:
    rows = [(row["fault"], row["client"]) for row in results["faults"]]
    assert rows == [(one.name, one.client) for one in catalog.FAULTS]


def test_last_run_was_large_enough(results: dict[str, Any]) -> None:
    assert len(results["faults"]) >= 65
    assert table.total(results["faults"])["injected"] >= 10_000


def test_the_page_says_whether_all_rows_are_from_one_run() -> None:
    assert str(table.Run(7, 1830, everything=True)) == (
        "All rows are from one run. It took 30 minutes, with the seed 7."
    )
    assert str(table.Run(7, 42, everything=False)) == (
        "The last run was of some rows. It took 42 s, with the seed 7."
    )


def test_last_run_was_clean(results: dict[str, Any]) -> None:
    for row in results["faults"]:
        assert row["injected"] > 0, row
        assert [row[name] for name in ("lost", "duplicates", "extra", "wrong")] == [0, 0, 0, 0], row
