"""The engine's HTTP clients, kept for the lifetime of the server."""

from __future__ import annotations

import asyncio
import ssl

import httpx

from ..base.http import ProxyUnusable, is_loopback
from .direct import is_direct
from .network import Network
from .wire import client_for


class Clients:
    """One client for all providers. While the proxy is unusable, one for loopback only."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._local: httpx.AsyncClient | None = None
        self._networks: dict[httpx.AsyncClient, Network] = {}
        self._making = asyncio.Lock()

    async def get(self, base_url: str) -> httpx.AsyncClient:
        """The client for a base URL; raises `ProxyUnusable`."""
        async with self._making:
            if self._client is not None:
                return self._client
            if self._local is not None and is_loopback(base_url):
                return self._local
            made: list[Network] = []

            def network(context: ssl.SSLContext) -> Network:
                made.append(Network(context))
                return made[-1]

            client = await client_for(base_url, network)
            self._networks[client] = made[-1]
            if client.trust_env:
                self._client = client
            else:
                self._local = client
            return client

    async def prepare(self, base_url: str, timeout: float) -> None:
        """Open a connection to a provider that is about to be used, unless that needs a proxy.

        A proxy would have to be told where the connection goes, and nothing is said before a request.
        """
        try:
            client = await self.get(base_url)
        except ProxyUnusable:
            return
        url = httpx.URL(base_url)
        if is_direct(client, url):
            await self._networks[client].prepare(url, timeout)

    async def close(self) -> None:
        """Close the connections."""
        for network in self._networks.values():
            network.close()
        for client in (self._client, self._local):
            if client is not None:
                await client.aclose()
