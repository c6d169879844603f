"""Providers from the server's configuration and environment."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from .base_url import check_allowed, check_base_url
from .presets import PRESETS
from .provider import (
    BadSettings,
    Provider,
    check_continuation,
    check_headers,
    check_key,
    check_models,
    check_name,
    check_reasoning,
    check_timeouts,
)

FIELDS = frozenset(
    {
        "base_url",
        "api_key",
        "api_key_env",
        "models",
        "headers",
        "timeouts",
        "continuation",
        "reasoning",
    }
)


def from_config(
    configured: Mapping[str, Any],
    environ: Mapping[str, str],
    allowed: list[str],
    log: logging.Logger,
) -> dict[str, Provider]:
    """The valid entries of `c.TurnbookApp.providers`; each invalid one is logged and skipped."""
    providers = {}
    for name, entry in configured.items():
        try:
            provider = _entry(check_name(name), entry, environ, log)
            check_allowed(provider.base_url, allowed)
            providers[name] = provider
        except BadSettings as error:
            log.error("turnbook: c.TurnbookApp.providers[%r] is left out: %s", name, error)
    return providers


def from_environment(
    environ: Mapping[str, str], allowed: list[str], log: logging.Logger
) -> dict[str, Provider]:
    """Provider `openai`, when OPENAI_API_KEY or OPENAI_BASE_URL is set."""
    key, url = environ.get("OPENAI_API_KEY"), environ.get("OPENAI_BASE_URL")
    if not key and not url:
        return {}
    try:
        base_url = check_base_url(url or PRESETS[0].base_url)
        check_allowed(base_url, allowed)
        return {
            "openai": Provider(
                name="openai",
                base_url=base_url,
                key=check_key(key),
                headers={},
                timeouts=check_timeouts(None),
                continuation=check_continuation(None),
                source="environment",
                models=None,
                reasoning=check_reasoning(None),
            )
        }
    except BadSettings as error:
        log.error("turnbook: OPENAI_API_KEY and OPENAI_BASE_URL are not used: %s", error)
        return {}


def _entry(name: str, entry: Any, environ: Mapping[str, str], log: logging.Logger) -> Provider:
    if not isinstance(entry, Mapping):
        raise BadSettings("it must be a mapping with `base_url`.")
    unknown = sorted(str(field)[:40] for field in set(entry) - FIELDS)
    if unknown:
        raise BadSettings(f"unknown {', '.join(unknown)}; known are {', '.join(sorted(FIELDS))}.")
    return Provider(
        name=name,
        base_url=check_base_url(entry.get("base_url")),
        key=_key(name, entry, environ, log),
        headers=check_headers(entry.get("headers")),
        timeouts=check_timeouts(entry.get("timeouts")),
        continuation=check_continuation(entry.get("continuation")),
        source="config",
        models=check_models(entry.get("models")),
        reasoning=check_reasoning(entry.get("reasoning")),
    )


def _key(
    name: str, entry: Mapping[str, Any], environ: Mapping[str, str], log: logging.Logger
) -> str | None:
    variable = entry.get("api_key_env")
    if variable is None:
        return check_key(entry.get("api_key"))
    if "api_key" in entry:
        raise BadSettings("it has both `api_key` and `api_key_env`; keep one.")
    if not isinstance(variable, str):
        raise BadSettings("`api_key_env` must be the name of an environment variable.")
    if not environ.get(variable):
        log.warning(
            "turnbook: provider %s has no key, because the environment variable %s is not set",
            name,
            variable,
        )
    return check_key(environ.get(variable))
