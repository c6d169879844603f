"""The headers of requests to providers."""

from __future__ import annotations

import httpx

from .provider import Provider


def request_headers(provider: Provider, **own: str) -> httpx.Headers:
    """Our own headers and the key, overridden by the provider's configured headers."""
    headers = httpx.Headers({name.replace("_", "-"): value for name, value in own.items()})
    if provider.key:
        headers["Authorization"] = f"Bearer {provider.key}"
    headers.update(provider.headers)
    # Compression makes servers buffer text, and we do not read compressed bodies.
    headers["Accept-Encoding"] = "identity"
    return headers
