"""Signatures of notebooks are those that nbformat makes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat import NotebookNode
from nbformat.sign import MemorySignatureStore, NotebookNotary

from jupyterlab_turnbook.base.signature import signature_of

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
values = st.recursive(
    texts | st.integers() | st.floats() | st.none() | st.booleans() | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=10,
)


class Asked(NotebookNotary):
    """Notes what it is asked about."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)  # type: ignore[no-untyped-call]
        self.asked: list[Any] = []

    def compute_signature(self, nb: Any) -> str:
        """The usual signature."""
        self.asked.append(nb)
        return str(super().compute_signature(nb))  # type: ignore[no-untyped-call]


class Newer(Asked):
    """Signs in another way."""

    def compute_signature(self, nb: Any) -> str:
        """The usual signature, with something before it."""
        return f"newer:{super().compute_signature(nb)}"


def notary(kind: type[Asked] = Asked, **options: Any) -> Asked:
    """One that writes no file."""
    return kind(store_factory=MemorySignatureStore, secret=b"secret", **options)


@given(values, st.lists(values, max_size=5))
def test_any_notebook(value: Any, cells: list[Any]) -> None:
    notebook = {"nbformat": 4, "metadata": {"a": value}, "cells": cells}
    usual = notary()
    assert signature_of(usual, notebook) == usual.compute_signature(notebook)


@pytest.mark.parametrize("algorithm", ["sha256", "sha3_512", "blake2b"])
def test_a_long_notebook(algorithm: str) -> None:
    cells = [{"cell_type": "code", "source": ["ü😀\n"] * 99, "n": n} for n in range(300)]
    notebook = NotebookNode(cells=cells, metadata={})  # type: ignore[no-untyped-call]
    usual = notary(algorithm=algorithm)
    made = signature_of(usual, notebook)
    # The notary is asked about a sample, and not about the cells.
    assert notebook not in usual.asked
    assert made == usual.compute_signature(notebook)


def test_another_way_to_sign() -> None:
    notebook = {"metadata": {"a": 1}, "cells": ["b"]}
    newer = notary(Newer)
    made = signature_of(newer, notebook)
    assert notebook in newer.asked
    assert made == newer.compute_signature(notebook)


@pytest.mark.parametrize("odd", ["\ud800", {1: "a"}, {"a": 1, 2: "b"}, {None: 1}])
def test_what_has_no_signature(odd: Any) -> None:
    notebook = {"metadata": {}, "cells": [odd]}
    usual = notary()
    with pytest.raises((AssertionError, TypeError, UnicodeError)):
        usual.compute_signature(notebook)
    with pytest.raises((TypeError, UnicodeError)):
        signature_of(usual, notebook)
