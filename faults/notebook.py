"""A chat's notebook as its file has it."""

from __future__ import annotations

from typing import Any

Run = dict[str, Any]

REASONING = "application/vnd.turnbook.reasoning+json"

_STATES = {
    "claimed": "sending",
    "sending": "sending",
    "streaming": "awaiting",
    "done": "succeeded",
    "stopped": "canceled",
}


def new_notebook(chat: str, model: str) -> dict[str, Any]:
    """A chat without a pair."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"turnbook": {"format": 1, "chatId": chat, "model": model}},
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
        if "runId" in output["metadata"].get("turnbook", {}) and "text/markdown" in output["data"]
    ]


def thoughts_of(notebook: dict[str, Any], pair: str) -> str:
    """What the model thought before its reply, as the file has it."""
    return "".join(
        output["data"][REASONING].get("text", "")
        for cell in cells_of(notebook, pair)
        for output in cell["outputs"]
        if REASONING in output["data"]
    )
