"""`/loopback`: model servers on this machine that could be providers."""

from __future__ import annotations

from ..providers.loopback import find_servers
from .base import Route
from .providers import ChangeHandler


class LoopbackHandler(ChangeHandler):
    """`/loopback`."""

    async def get(self) -> None:
        """Ask the configured ports of loopback, and return those that list models."""
        parts = self.turnbook
        found = await find_servers(parts.registry, parts.loopback_ports, parts.loopback_timeout)
        self.answer({"servers": found})


def handlers() -> list[Route]:
    """The routes of this module."""
    return [(r"/loopback", LoopbackHandler, {})]
