"""HTTP clients: no redirects, no cookies, no compression."""

from __future__ import annotations

import os
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ipaddress import ip_address
from typing import Any

import httpx

_PROXIES = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY")


class ProxyUnusable(Exception):
    """The environment names a proxy that cannot be used; the message says what to do."""


def new_client(**options: Any) -> httpx.AsyncClient:
    """A client with `client_options` and these options; raises `ProxyUnusable`."""
    try:
        return httpx.AsyncClient(**client_options(), **options)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        # The address of a proxy may contain a password, so name only the variables.
        named = [
            name
            for upper in _PROXIES
            for name in (upper, upper.lower())
            if os.environ.get(name) and options.get("trust_env", True)
        ]
        if not named:
            raise
        names = " and ".join(named)
        if isinstance(error, ImportError):
            advice = (
                f"{names} in the environment of the Jupyter server names a SOCKS proxy, which needs "
                'the package socksio. Install it with pip install "httpx[socks]", or unset the '
                "variable; then restart the server."
            )
        else:
            advice = (
                f"{names} in the environment of the Jupyter server is not the address of a proxy. "
                "Correct or unset it; then restart the server."
            )
        raise ProxyUnusable(advice) from None


def client_options() -> dict[str, Any]:
    """Options of every client: no redirect is followed and no cookie kept."""
    return {
        "follow_redirects": False,
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
    }


def is_loopback(base_url: str) -> bool:
    """Whether the address is this machine, which is never reached through a proxy."""
    host = httpx.URL(base_url).host
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def encoding_of(response: httpx.Response) -> str | None:
    """The content encoding of a compressed body, or None.

    A few bytes can decompress to gigabytes, so bodies are never decompressed: use `aiter_raw`.
    """
    named = response.headers.get("content-encoding", "")
    codings = [coding.strip() for coding in named.split(",")]
    plain = all(coding.lower() in ("", "identity") for coding in codings)
    return None if plain else named.strip()
