"""Classifies errors from the provider's response or from how the connection failed. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from . import dialect
from .outcome import Outcome

MESSAGE_LENGTH = 500
NO_IMAGES = "image_unsupported"
"""The code of an error that images in a request have caused, since the model takes none."""

_BILLING_CODES = re.compile(
    r"insufficient_(quota|balance|credits?|funds)|billing|exceeded_current_quota|credit_balance"
    r"|out_of_credits|payment_required",
    re.IGNORECASE,
)
_AUTH_CODES = re.compile(r"invalid_api_key|authentication|permission_(error|denied)|unauthorized")
_RATE_CODES = re.compile(r"rate_limit|too_many_requests|resource_exhausted", re.IGNORECASE)
_REFUSAL_CODES = re.compile(
    r"context_length|invalid_request|model_not_found|not_found_error|content_(filter|policy)|refusal"
    r"|string_above_max|invalid_argument",
    re.IGNORECASE,
)
_BILLING_WORDS = re.compile(
    r"insufficient[_ ](quota|balance|credits?|funds)|credit balance|out of credits"
    r"|billing hard limit|add (more )?credits",
    re.IGNORECASE,
)

# OpenAI, vLLM, llama.cpp, Ollama, OpenRouter, LM Studio, Mistral, DeepSeek and Groq, in this order.
# A picture that is broken or too large is another matter.
_NO_IMAGES = re.compile(
    r"image_url is only supported by|is not a multimodal model|at most 0 image"
    r"|image input is not (supported|enabled)|unsupported content part type: .{0,3}image_url"
    r"|(does|do) not support (any )?(image|vision|multimodal)|missing data required for image input"
    r"|no endpoints found that support image|unknown variant .{0,3}image_url"
    r"|images? (content )?(is|are) not supported|content must be a string",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Said:
    """The error code and message that the provider sent."""

    code: str | None
    message: str | None


def from_response(status: int, headers: Mapping[str, str], body: bytes, now: float) -> Outcome:
    """The outcome of an unsuccessful response; `now` is in seconds since 1970.

    `body` must already be redacted: the message is shortened, which could cut a key in two.
    """
    said = _said(body)
    wait = retry_after(headers, now)
    if 300 <= status < 400:
        return Outcome(
            "unknown",
            "redirect",
            status,
            f"The provider answered with a redirect{_target(headers)}, which is never followed. "
            "Set the provider's base URL to the address it serves.",
        )
    if status in (401, 403):
        text = said.message or "The provider refused the key."
        return Outcome("auth", "auth", status, short(f"{_sentence(text)} Check the API key."))
    if status == 402 or (status == 429 and _is_billing(said)):
        text = said.message or "The account has no credit left."
        return Outcome("rate", "quota", status, short(text), wait)
    if status == 429:
        text = said.message or "The provider asks to slow down."
        return Outcome("rate", "rate", status, short(text), wait)
    if said.message and _NO_IMAGES.search(said.message):
        # Also with a status of 500, which would be retried in vain.
        return _no_images(said.message, status)
    if status in (408, 409) or status >= 500:
        text = said.message or f"The provider failed with status {status}."
        return Outcome("server", str(status), status, short(text), wait)
    text = said.message or f"The provider refused the request with status {status}."
    return Outcome("unknown", said.code or str(status), status, short(text))


def from_stream_error(error: Any, status: int) -> Outcome:
    """The outcome of an error event inside a successful stream.

    Its code and message decide whether a retry can help; an error without either counts as a
    server error.
    """
    said = _from_error(error)
    text = short(said.message or "The provider broke off with an error.")
    code = said.code or ""
    number = _status(error)
    if said.message and _NO_IMAGES.search(said.message):
        return _no_images(said.message, status)
    if _is_billing(said) or number == 402:
        return Outcome("rate", "quota", status, text)
    if number in (401, 403) or _AUTH_CODES.search(code):
        return Outcome("auth", "auth", status, text)
    if number == 429 or _RATE_CODES.search(code):
        return Outcome("rate", "rate", status, text)
    if number in (400, 404, 413, 422) or _REFUSAL_CODES.search(code):
        return Outcome("unknown", said.code or str(number), status, text)
    return Outcome("server", "server", status, text)


def from_exception(error: Exception, host: str) -> Outcome:
    """The outcome of a connection that could not be made or broke.

    The exception's own text is not shown: it may quote a URL with credentials.
    """
    if isinstance(error, httpx.ConnectTimeout):
        why = f"{host} did not answer in time"
    elif isinstance(error, httpx.ConnectError):
        why = f"{host} {_connect_reason(error)}"
    elif isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.LocalProtocolError):
        return Outcome(
            "unknown",
            "bad-provider",
            None,
            "The provider's base URL or headers are not valid; correct them.",
        )
    else:
        why = f"The connection to {host} broke"
    return network(f"{why}. Check the network and the provider's base URL.")


def network(message: str, status: int | None = None) -> Outcome:
    """A connection that failed or ended early."""
    return Outcome("network", "network", status, message)


def bad_proxy(message: str) -> Outcome:
    """A proxy in the server's environment that cannot be used; nothing was sent."""
    return Outcome("unknown", "bad-proxy", None, message)


def malformed(message: str, status: int | None = 200) -> Outcome:
    """A response that does not follow the API."""
    return Outcome("server", "malformed", status, message)


def encoded(encoding: str, status: int) -> Outcome:
    """A response that is compressed although we asked for plain text; it was not read."""
    return Outcome(
        "unknown",
        "content-encoding",
        status,
        short(
            f"The provider's answer is compressed (Content-Encoding: {encoding[:40]}) and was not "
            "read. Turn compression off at the provider, or at the proxy in front of it."
        ),
    )


def too_large(limit: int, status: int) -> Outcome:
    """A response that exceeds the server's size limit."""
    return Outcome(
        "unknown",
        "too-large",
        status,
        f"The reply was ended after {limit:,} bytes. What arrived is kept. To allow more, set "
        "c.TurnbookApp.run_max_bytes on the Jupyter server.",
    )


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the provider asks to wait, from `Retry-After` in either form."""
    exact = headers.get("retry-after-ms")
    value = headers.get("retry-after")
    try:
        if exact is not None:
            seconds = float(exact) / 1000
        elif value is None:
            return None
        elif re.fullmatch(r"\s*[\d.]+\s*", value):
            seconds = float(value)
        else:
            seconds = parsedate_to_datetime(value).timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def short(text: str) -> str:
    """One line of well-formed text, cut to a length that fits a cell."""
    line = " ".join(dialect.well_formed(text).split())
    return line if len(line) <= MESSAGE_LENGTH else line[: MESSAGE_LENGTH - 1] + "…"


def _no_images(text: str, status: int) -> Outcome:
    advice = "Choose a model that takes images, or send without them."
    return Outcome("unknown", NO_IMAGES, status, short(f"{_sentence(text)} {advice}"))


def _sentence(text: str) -> str:
    # Another sentence will follow.
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _said(body: bytes) -> Said:
    text = body.decode("utf-8", "replace").strip()
    try:
        value = dialect.parse_lenient(text)
    except ValueError:
        # An HTML page, for instance a proxy's, has nothing that fits into one line.
        return Said(None, None if not text or text.startswith("<") else short(text))
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return Said(None, short(text) if text else None)
    return _from_error(value["error"] if value.get("error") else value)


def _from_error(error: Any) -> Said:
    if isinstance(error, str):
        return Said(None, short(error))
    if not isinstance(error, dict):
        return Said(None, None)
    code = next(
        (
            found
            for found in (error.get("code"), error.get("type"), error.get("status"))
            if isinstance(found, str) and found and not found.isdigit()
        ),
        None,
    )
    return Said(code and short(code), _message(error))


def _status(error: Any) -> int | None:
    # Some providers put an HTTP status into the error.
    for name in ("code", "status"):
        found = error.get(name) if isinstance(error, dict) else None
        if isinstance(found, int) or (
            isinstance(found, str) and found.isascii() and found.isdigit()
        ):
            return int(found)
    return None


def _message(error: dict[str, Any]) -> str | None:
    for name in ("message", "detail", "msg", "error_description"):
        found = error.get(name)
        if isinstance(found, list) and found and isinstance(found[0], dict):
            found = found[0].get("msg")
        if isinstance(found, dict):
            found = found.get("message")
        if isinstance(found, str) and found:
            return short(found)
    return None


def _is_billing(said: Said) -> bool:
    return bool(
        (said.code and _BILLING_CODES.search(said.code))
        or (said.message and _BILLING_WORDS.search(said.message))
    )


def _target(headers: Mapping[str, str]) -> str:
    try:
        host = httpx.URL(headers.get("location", "")).host
    except httpx.InvalidURL:
        return ""
    return f" to {host}" if host else ""


def _connect_reason(error: Exception) -> str:
    text = str(error).lower()
    if "name" in text or "getaddrinfo" in text or "nodename" in text:
        return "is not a known address"
    if "certificate" in text or "ssl" in text:
        return "has no certificate that this machine trusts"
    return "refuses connections"
