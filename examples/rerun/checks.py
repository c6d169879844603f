"""Checks of replies: functions whose names begin with ``check_``."""

from __future__ import annotations

from typing import Any


def check_finished(reply: dict[str, Any]) -> None:
    """The reply came to its own end."""
    assert reply["finish"] == "stop", f"it ended with {reply['finish']}"


def check_says_paris(reply: dict[str, Any]) -> bool:
    """A question about France's capital is answered with its name."""
    asked = reply["payload"]["messages"][-1]["content"]
    return "capital of France" not in asked or "Paris" in reply["content"]
