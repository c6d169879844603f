"""Finds model servers that run on this machine and are not providers yet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import httpx

from ..base.http import is_loopback
from .ask import AskError, list_models
from .presets import PRESETS
from .provider import BadSettings, Provider, check_name
from .registry import ProviderRegistry

PORTS = {"ollama": 11434, "lmstudio": 1234, "vllm": 8000, "llama.cpp": 8080}

# The second one is for administrators who allow only that name.
_HOSTS = ("127.0.0.1", "localhost")
_TITLES = {preset.name: preset.title for preset in PRESETS}


def valid_ports(ports: Mapping[str, int], log: logging.Logger) -> dict[str, int]:
    """Those ports whose names a provider may have."""
    valid = {}
    for name, port in ports.items():
        try:
            valid[check_name(name)] = port
        except BadSettings as error:
            log.warning("turnbook: %r is left out of `loopback_ports`: %s", name, error)
    return valid


async def find_servers(
    registry: ProviderRegistry, ports: Mapping[str, int], limit: float
) -> list[dict[str, Any]]:
    """The contract's `LoopbackServer` for each port of loopback where models are listed.

    Ports of existing providers, and those that the administrator does not allow, are not asked.
    """
    providers = await asyncio.to_thread(registry.all)
    known = {
        _port(each.base_url) for each in providers if each.base_url and is_loopback(each.base_url)
    }
    taken = await asyncio.to_thread(registry.names)
    asked = [
        provider
        for name, port in ports.items()
        if port not in known and (provider := _server(registry, name, port)) is not None
    ]
    found = await asyncio.gather(*(_models(provider, limit) for provider in asked))
    servers = []
    for provider, models in zip(asked, found, strict=True):
        if models is not None:
            name = _free(provider.name, taken)
            taken.add(name)
            servers.append(
                {
                    "name": name,
                    "title": _TITLES.get(provider.name, provider.name),
                    "baseUrl": provider.base_url,
                    "model": models[0] if models else None,
                    "count": len(models),
                }
            )
    return servers


def _server(registry: ProviderRegistry, name: str, port: int) -> Provider | None:
    for host in _HOSTS:
        try:
            return registry.unsaved(name, {"baseUrl": f"http://{host}:{port}/v1"})
        except BadSettings:
            # Not allowed under this name of the machine.
            continue
    return None


async def _models(provider: Provider, limit: float) -> list[str] | None:
    try:
        return [info.model for info in await list_models(provider, limit)]
    except AskError:
        # Nothing runs there, or something else.
        return None


def _port(base_url: str) -> int | None:
    url = httpx.URL(base_url)
    return url.port or (443 if url.scheme == "https" else 80)


def _free(name: str, taken: set[str]) -> str:
    """A name that no provider has."""
    names = (name if n == 1 else f"{name[:56]}-{n}" for n in range(1, len(taken) + 2))
    return next(each for each in names if each not in taken)
