"""How providers are spoken to: no redirect, no cookie, nothing compressed."""

from __future__ import annotations

from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx

from .provider import Provider


def client_options() -> dict[str, Any]:
    """Options of every client; whatever a provider wants to be remembered is forgotten."""
    return {
        "follow_redirects": False,
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
    }


def request_headers(provider: Provider, **own: str) -> httpx.Headers:
    """Our own headers, then the provider's, with the key unless they already carry one."""
    headers = httpx.Headers({name.replace("_", "-"): value for name, value in own.items()})
    if provider.key:
        headers["Authorization"] = f"Bearer {provider.key}"
    headers.update(provider.headers)
    # Compression makes servers hold text back, and what is compressed is not read.
    headers["Accept-Encoding"] = "identity"
    return headers


def encoding_of(response: httpx.Response) -> str | None:
    """How a body is compressed, or None if it is not.

    A few bytes can unpack to gigabytes, so bodies are never unpacked: read them with `aiter_raw`.
    """
    named = response.headers.get("content-encoding", "")
    codings = [coding.strip() for coding in named.split(",")]
    plain = all(coding.lower() in ("", "identity") for coding in codings)
    return None if plain else named.strip()
