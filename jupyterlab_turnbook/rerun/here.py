"""Sends from this process."""

from __future__ import annotations

from .answer import Answer
from .plan import Wanted
from .sending import Providers, Sender


class Here:
    """A `Backend` that sends from this process."""

    def __init__(self, registry: Providers) -> None:
        self._sender = Sender(registry)

    async def send(self, attempt: str, wanted: Wanted) -> Answer:
        """Send a request once."""
        target = wanted.request.target
        return await self._sender.send(target.provider, target.model, wanted.request.body)

    async def collect(self, attempts: list[str]) -> dict[str, Answer]:
        """Nothing outlives this process."""
        return {}

    async def forget(self, attempts: list[str]) -> None:
        """Nothing is kept."""

    async def close(self) -> None:
        """Close the connections."""
        await self._sender.close()
