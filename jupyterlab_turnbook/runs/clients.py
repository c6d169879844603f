"""The engine's HTTP clients, kept for the lifetime of the server."""

from __future__ import annotations

import asyncio

import httpx

from ..base.http import is_loopback
from .wire import client_for


class Clients:
    """One client for all providers. While the proxy is unusable, one for loopback only."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._local: httpx.AsyncClient | None = None
        self._making = asyncio.Lock()

    async def get(self, base_url: str) -> httpx.AsyncClient:
        """The client for a base URL; raises `ProxyUnusable`."""
        async with self._making:
            if self._client is not None:
                return self._client
            if self._local is not None and is_loopback(base_url):
                return self._local
            client = await client_for(base_url)
            if client.trust_env:
                self._client = client
            else:
                self._local = client
            return client

    async def close(self) -> None:
        """Close the connections."""
        for client in (self._client, self._local):
            if client is not None:
                await client.aclose()
