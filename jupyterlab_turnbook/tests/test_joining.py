"""A reply joined from two attempts contains everything once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyterlab_turnbook.runs.joining import GoesOn, join, units

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "golden-joins.json").read_text("utf-8")
)

texts = st.text(st.sampled_from("ab c\n🌍"), max_size=60)
ways = st.sampled_from(["prefill", "instruct"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_golden(case: dict[str, Any]) -> None:
    made = join(case["before"], case["after"], case["how"], whole=case["whole"])
    seam = None if made.seam is None else units(made.text[: made.seam])
    assert (made.text, seam, made.removed) == (case["text"], case["seam"], case["removed"])


@given(texts, texts, ways, st.booleans())
def test_no_character_is_added_or_lost(before: str, after: str, how: GoesOn, whole: bool) -> None:
    made = join(before, after, how, whole=whole)
    if made.seam is None:
        assert made.text in (before, after)
    else:
        assert made.text[: made.seam] == before
        assert made.text[made.seam :] == after[made.removed :]
        # The text left out is at the end of the earlier text.
        assert before.endswith(after[: made.removed].lstrip())
