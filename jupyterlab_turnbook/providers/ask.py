"""Asks a provider for its list of models."""

from __future__ import annotations

import asyncio
import math
import re
import time
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from ..base import classify, dialect
from ..base.http import ProxyUnusable, encoding_of, is_loopback, new_client
from ..base.outcome import Outcome
from ..base.redact import redactor
from .http import request_headers
from .provider import Provider

LARGEST = 8 * 1024 * 1024
MOST_MODELS = 5000
LONGEST_NAME = 256
CONNECT_LIMIT = 5.0
WHOLE_LIMIT = 10.0

_WINDOW_FIELDS = (
    "context_length",
    "max_model_len",
    "max_context_length",
    "context_window",
    "loaded_context_length",
    "max_input_tokens",
    "n_ctx",
    "n_ctx_train",
)


_NOT_CHAT = re.compile(
    r"embed|whisper|tts|dall-e|moderation|image|audio|realtime|transcribe|davinci|babbage|sora"
    r"|rerank|instruct-0914",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float
    cached: float | None = None
    """For tokens that the provider read from its cache; None if that is unknown."""
    source: Literal["provider", "genai-prices"] = "provider"
    as_of: str | None = None
    """The date of the list."""

    def json(self) -> dict[str, Any]:
        """The contract's `Price`."""
        known = {"input": self.input, "output": self.output, "source": self.source}
        more = {"cached": self.cached, "asOf": self.as_of}
        return {**known, **{key: value for key, value in more.items() if value is not None}}


@dataclass(frozen=True)
class ModelInfo:
    """A model as its provider lists it."""

    model: str
    window: int | None
    price: Price | None = None

    @property
    def for_chats(self) -> bool:
        """Whether its name looks like that of a model for chats."""
        return _NOT_CHAT.search(self.model) is None


class AskError(Exception):
    """The provider did not list its models; `outcome` says why, without any key."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


async def list_models(provider: Provider, limit: float = WHOLE_LIMIT) -> list[ModelInfo]:
    """The provider's models, those for chats first, by one request; raises `AskError`."""
    redact = redactor(provider.key, provider.headers)
    try:
        status, headers, body = await asyncio.wait_for(_get(provider), limit)
    except asyncio.TimeoutError:
        raise AskError(
            classify.network(
                f"{_host(provider)} did not list its models within {limit:g} s. "
                "Check the network and the provider's base URL."
            )
        ) from None
    except ProxyUnusable as error:
        raise AskError(classify.bad_proxy(str(error))) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
        # `from None`: the exception may quote headers.
        raise AskError(classify.from_exception(error, _host(provider))) from None
    if status != 200:
        outcome = classify.from_response(status, headers, redact_bytes(body, redact), time.time())
        raise AskError(replace(outcome, message=redact(outcome.message)))
    return sorted(parse_models(body, redact), key=lambda info: not info.for_chats)


def parse_models(body: bytes, redact: Any = str) -> list[ModelInfo]:
    """The models in a response of `/models`, in any of the forms that services use."""
    try:
        value = dialect.parse_bytes(body)
    except ValueError:
        raise AskError(_malformed()) from None
    # Some services return a bare list, or use another name.
    listed = value
    if isinstance(value, dict):
        listed = next(
            (value[k] for k in ("data", "models") if isinstance(value.get(k), list)), None
        )
    if not isinstance(listed, list):
        raise AskError(_malformed())
    found: dict[str, ModelInfo] = {}
    # Reading more of them would hold up everything else that the server does.
    for entry in listed[:MOST_MODELS]:
        info = _model(entry, redact)
        if info is not None:
            found.setdefault(info.model, info)
    return list(found.values())


def redact_bytes(body: bytes, redact: Any) -> bytes:
    """A body with its secrets redacted."""
    text: str = redact(body.decode("utf-8", "replace"))
    return text.encode()


async def _get(provider: Provider) -> tuple[int, httpx.Headers, bytes]:
    connect = min(provider.timeouts.connect, CONNECT_LIMIT)
    timeout = httpx.Timeout(WHOLE_LIMIT, connect=connect)
    client = new_client(
        timeout=timeout,
        trust_env=not is_loopback(provider.base_url),
        # Loading certificates blocks the event loop, and plain http does not need them.
        verify=provider.base_url.startswith("https:"),
    )
    async with (
        client,
        client.stream(
            "GET", f"{provider.base_url}/models", headers=request_headers(provider)
        ) as response,
    ):
        body = b""
        encoding = encoding_of(response)
        if encoding is not None:
            if response.status_code != 200:
                return response.status_code, response.headers, body
            redact = redactor(provider.key, provider.headers)
            raise AskError(classify.encoded(redact(encoding), response.status_code))
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > LARGEST:
                raise AskError(
                    classify.malformed(
                        "The list of models is too long. Name the models in the provider's settings."
                    )
                )
        return response.status_code, response.headers, body


def _model(entry: Any, redact: Any) -> ModelInfo | None:
    fields = {"id": entry} if isinstance(entry, str) else entry
    if not isinstance(fields, dict):
        return None
    name = next((fields[k] for k in ("id", "name", "model") if isinstance(fields.get(k), str)), "")
    if not 0 < len(name) <= LONGEST_NAME:
        return None
    return ModelInfo(redact(name), window(fields), price(fields))


def window(entry: dict[str, Any]) -> int | None:
    """The context window in tokens, from whichever field this provider uses."""
    for place in (entry, entry.get("meta"), entry.get("top_provider"), entry.get("model_info")):
        if isinstance(place, dict):
            for field in _WINDOW_FIELDS:
                size = _tokens(place.get(field))
                if size is not None:
                    return size
    return None


def price(entry: dict[str, Any]) -> Price | None:
    """The price in the form that OpenRouter uses, as texts for one token."""
    pricing = entry.get("pricing")
    if not isinstance(pricing, dict):
        return None
    read, written, cached = (
        _dollars(pricing.get(field)) for field in ("prompt", "completion", "input_cache_read")
    )
    if read is None or written is None:
        return None
    return Price(read, written, cached, as_of=today())


def today() -> str:
    """The date in UTC."""
    return datetime.now(tz=timezone.utc).date().isoformat()


def _dollars(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        dollars = float(value) * 1e6
    except (ValueError, OverflowError):
        return None
    # A router whose price depends on the model that it chooses says -1.
    return round(dollars, 6) if math.isfinite(dollars) and 0 <= dollars < 1e6 else None


def _tokens(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    good = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**12
    return value if good else None


def _malformed() -> Outcome:
    return classify.malformed(
        "The answer is not a list of models. Check that the base URL ends where the API begins, "
        "often with /v1, or name the models in the provider's settings."
    )


def _host(provider: Provider) -> str:
    return urlsplit(provider.base_url).hostname or provider.base_url
