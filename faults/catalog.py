"""Every fault, in the order of the table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from . import clients, killing, posting
from .world import World


@dataclass(frozen=True)
class Fault:
    """A fault with the name that the table gives it."""

    name: str
    inject: Callable[[World], Awaitable[None]]


FAULTS = [
    Fault("page killed at every event", clients.killed_at_every_event),
    Fault("connection cut at every event", clients.cut_at_every_event),
    Fault("connection cut at 200 random bytes", clients.cut_at_random_bytes),
    Fault("half-open connection", clients.half_open),
    Fault("POST or its answer lost, and repeated", posting.answer_lost),
    Fault("message posted several times at once", posting.repeated),
    Fault("same id with another body", posting.another_body),
    Fault("server killed (SIGKILL) at every journal write", killing.killed),
    Fault("server ended (SIGTERM) at every journal write", killing.terminated),
]
