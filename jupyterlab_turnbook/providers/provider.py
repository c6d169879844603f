"""What a provider is, and the rules its settings must keep."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, cast, get_args
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

Continuation = Literal["prefill", "instruct", "restart"]
Source = Literal["local", "config", "environment", "user"]

LOCAL = "local"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PRINTABLE = re.compile(r"[\x20-\x7e]*")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LONGEST_KEY = 8192


class BadSettings(ValueError):
    """Settings that cannot be used; the text says which and why, and never holds a secret."""


@dataclass(frozen=True)
class Timeouts:
    """How long to wait for a provider, in seconds."""

    connect: float = 10.0
    first_byte: float = 300.0
    between_bytes: float = 30.0


@dataclass(frozen=True)
class Provider:
    """An OpenAI-compatible service with all that is needed to send it a request."""

    name: str
    base_url: str
    key: str | None = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    timeouts: Timeouts
    continuation: Continuation
    source: Source
    models: tuple[str, ...] | None


def check_name(name: Any) -> str:
    """A provider's name, or why it is none."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise BadSettings(
            "A provider's name has 1 to 64 letters, digits, dots, dashes and underscores, and "
            "begins with a letter or digit."
        )
    if name == LOCAL:
        raise BadSettings("The name `local` belongs to the embedded model; choose another.")
    return name


def check_base_url(value: Any) -> str:
    """A base URL in its one spelling: lower-case host, no default port, no slash at its end."""
    if not isinstance(value, str) or not value.strip():
        raise BadSettings("The base URL is missing; write for instance https://api.openai.com/v1.")
    text = value.strip()
    if re.search(r"[\s\\]|[^\x21-\x7e]", text):
        raise BadSettings("The base URL has a space, a backslash or a non-ASCII character.")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise BadSettings("The base URL's host or port cannot be read.") from error
    if parts.scheme not in _DEFAULT_PORTS:
        raise BadSettings("The base URL must begin with http:// or https://.")
    if "@" in parts.netloc:
        raise BadSettings("The base URL must not hold a user or password; put the key in `key`.")
    if "?" in text or "#" in text:
        raise BadSettings("The base URL must not have a query or a fragment.")
    if not host:
        raise BadSettings("The base URL has no host.")
    if any(unquote(segment) in (".", "..") for segment in parts.path.split("/")):
        raise BadSettings("The base URL must not have `.` or `..` in its path.")
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        netloc += f":{port}"
    return urlunsplit(SplitResult(parts.scheme, netloc, parts.path.rstrip("/"), "", ""))


def check_allowed(base_url: str, allowed: list[str]) -> None:
    """Refuse a base URL that the administrator's list does not have; an empty list allows all."""
    if allowed and not any(matches(base_url, pattern) for pattern in allowed):
        raise BadSettings(
            "This server allows only these base URLs: "
            + ", ".join(allowed)
            + ". Ask its administrator to add yours to c.TurnbookApp.allowed_base_urls."
        )


def matches(base_url: str, pattern: str) -> bool:
    """Whether a checked base URL fits a pattern with `*`.

    Scheme, host and path are matched apart, so that a star for a host cannot reach into a path;
    a pattern without a path allows all paths of its host.
    """
    url, wanted = _split(base_url), _split(pattern.strip())
    path = wanted[2].rstrip("/")
    return (
        _glob(wanted[0]).fullmatch(url[0]) is not None
        and _glob(wanted[1]).fullmatch(url[1]) is not None
        and (not path or _glob(path).fullmatch(url[2]) is not None)
    )


def _split(url: str) -> tuple[str, str, str]:
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return scheme.lower(), host.lower(), slash + path


def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")))


def check_key(value: Any) -> str | None:
    """A key without the blanks around it; nothing counts as no key."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadSettings("The key must be text.")
    key = value.strip()
    if not _PRINTABLE.fullmatch(key) or len(key) > _LONGEST_KEY:
        raise BadSettings("The key has characters that no key has; copy it again.")
    return key or None


def check_headers(value: Any) -> dict[str, str]:
    """Extra headers for every request."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadSettings("`headers` must be a mapping of names to texts.")
    for name, text in value.items():
        if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
            raise BadSettings("`headers` has a name that is no header's name.")
        if not isinstance(text, str) or not _PRINTABLE.fullmatch(text):
            raise BadSettings(f"The header {name} must be one line of plain text.")
    return dict(value)


def check_timeouts(value: Any) -> Timeouts:
    """Time limits; what is not given keeps its default."""
    if value is None:
        return Timeouts()
    if not isinstance(value, Mapping):
        raise BadSettings("`timeouts` must be a mapping of names to seconds.")
    known = {each.name for each in fields(Timeouts)}
    for name, seconds in value.items():
        if name not in known:
            raise BadSettings(f"`timeouts` knows {', '.join(sorted(known))}, not {str(name)[:40]}.")
        good = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not good or not math.isfinite(seconds) or seconds <= 0:
            raise BadSettings(f"`timeouts`: {name} must be a number of seconds above 0.")
    return Timeouts(**{name: float(seconds) for name, seconds in value.items()})


def check_continuation(value: Any) -> Continuation:
    """How a broken reply is gone on with; `instruct` unless said otherwise."""
    if value is None:
        return "instruct"
    if value not in get_args(Continuation):
        raise BadSettings("`continuation` is one of prefill, instruct and restart.")
    return cast("Continuation", value)


def check_models(value: Any) -> tuple[str, ...] | None:
    """A fixed list of models, or None to ask the provider."""
    if value is None:
        return None
    if not isinstance(value, list | tuple) or not all(isinstance(m, str) and m for m in value):
        raise BadSettings("`models` must be a list of model names.")
    return tuple(value)
