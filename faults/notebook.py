"""A chat's notebook as a protocol-level page holds it: pairs, and replies that land once."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

Run = dict[str, Any]

_STATES = {
    "claimed": "sending",
    "sending": "sending",
    "streaming": "awaiting",
    "done": "succeeded",
    "stopped": "canceled",
}


def new_notebook(chat: str) -> dict[str, Any]:
    """A chat without a pair."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"turnbook": {"format": 1, "chatId": chat}},
        "cells": [],
    }


def pair_cell(pair: str, source: str) -> dict[str, Any]:
    """A pair that has no reply."""
    return {
        "cell_type": "code",
        "id": pair,
        "source": source,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }


def pair_state(run: Run) -> str:
    """The state of a pair whose newest run this is."""
    return _STATES.get(run["state"], "error")


def cells_of(notebook: dict[str, Any], pair: str) -> list[dict[str, Any]]:
    """The cells with a pair's id; there should be one."""
    return [cell for cell in notebook["cells"] if cell.get("id") == pair]


def replies_of(notebook: dict[str, Any], pair: str) -> list[str]:
    """The texts of a pair's replies; there should be at most one."""
    return [
        "".join(output["data"]["text/markdown"])
        for cell in cells_of(notebook, pair)
        for output in cell["outputs"]
        if "runId" in output["metadata"].get("turnbook", {})
    ]


def land(
    notebook: dict[str, Any], run: Run, text: str, seams: Sequence[dict[str, int]] = ()
) -> None:
    """Write a run's reply and state into its pair; doing it again changes nothing."""
    if run["dropped"]:
        return
    found = cells_of(notebook, run["pair"])
    if not found:
        ids = [cell.get("id") for cell in notebook["cells"]]
        at = ids.index(run["after"]) + 1 if run["after"] in ids else len(ids)
        notebook["cells"].insert(at, {**deepcopy(run["cell"]), "outputs": []})
        found = cells_of(notebook, run["pair"])
    cell = found[0]
    known = cell["metadata"].get("turnbook_run", {})
    if known.get("runId") != run["id"] and known.get("attempt", 0) > run["attempt"]:
        return
    partial = {} if run["state"] == "done" else {"partial": True}
    kept = [one for one in cell["outputs"] if "runId" not in one["metadata"].get("turnbook", {})]
    if text:
        kept.append(
            {
                "output_type": "display_data",
                "data": {"text/markdown": text},
                "metadata": {"turnbook": {"runId": run["id"], **partial}},
            }
        )
    cell["outputs"] = kept
    cell["metadata"]["turnbook_run"] = {
        "state": pair_state(run),
        "model": f"{run['provider']}/{run['model']}",
        "runId": run["id"],
        "attempt": run["attempt"],
        "requestHash": run["hash"],
        "context": [],
        "createdAt": run["createdAt"],
        "updatedAt": run["updatedAt"],
        **({"seams": list(seams)} if seams else {}),
    }
