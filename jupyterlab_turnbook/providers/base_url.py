"""Checks base URLs: which are valid, and which the administrator allows."""

from __future__ import annotations

import re
import unicodedata
from typing import Any
from urllib.parse import unquote_to_bytes

import httpx

from .provider import BadSettings

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")
_PORT = re.compile(r"[0-9]{0,5}")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
# Some servers decode these before they split the path, others do not.
_NEVER_ESCAPED = frozenset("./\\%;?#")


def check_base_url(value: Any) -> str:
    """A base URL in canonical form: lower-case host, no default port, no trailing slash.

    URLs that parsers may interpret differently are refused.
    """
    if not isinstance(value, str) or not value.strip():
        raise BadSettings("The base URL is missing; write for instance https://api.openai.com/v1.")
    text = value.strip()
    if re.search(r"[\s\\]|[^\x21-\x7e]", text):
        raise BadSettings("The base URL has a space, a backslash or a non-ASCII character.")
    scheme, _, rest = text.partition("://")
    scheme = scheme.lower()
    if scheme not in _DEFAULT_PORTS:
        raise BadSettings("The base URL must begin with http:// or https://.")
    if "?" in text or "#" in text:
        raise BadSettings("The base URL must not have a query or a fragment.")
    place, slash, path = rest.partition("/")
    if "@" in place:
        raise BadSettings("The base URL must not hold a user or password; put the key in `key`.")
    origin = f"{scheme}://{_place(place.lower(), _DEFAULT_PORTS[scheme])}"
    _check_path(path)
    try:
        # The HTTP library refuses some further addresses.
        httpx.URL(origin)
    except httpx.InvalidURL as error:
        raise BadSettings("The base URL's host or port cannot be read.") from error
    return origin + (slash + path).rstrip("/")


def _place(place: str, default_port: int) -> str:
    host, colon, port = place.rpartition(":")
    if not colon or place.endswith("]"):
        host, port = place, ""
    if not host:
        raise BadSettings("The base URL has no host.")
    if not _HOST.fullmatch(host) or not _PORT.fullmatch(port) or int(port or 0) > 65535:
        raise BadSettings("The base URL's host or port cannot be read.")
    return host if not port or int(port) == default_port else f"{host}:{int(port)}"


def _check_path(path: str) -> None:
    for segment in path.split("/"):
        for escapes in _ESCAPES.findall(segment):
            _check_escapes(escapes)
        if "%" in _ESCAPES.sub("", segment):
            raise BadSettings("The base URL has a % that is not part of an escape.")
        # Some servers drop everything after a semicolon, and then see `..`.
        if segment.partition(";")[0] in (".", ".."):
            raise BadSettings("The base URL must not have `.` or `..` in its path.")


def _check_escapes(escapes: str) -> None:
    try:
        decoded = unquote_to_bytes(escapes).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadSettings("The base URL has escapes that are not UTF-8.") from error
    # Servers that normalize what they decode turn full-width dots and slashes into plain ones.
    plain = unicodedata.normalize("NFKC", decoded)
    if not plain.isprintable() or _NEVER_ESCAPED & set(plain):
        raise BadSettings(
            "The base URL has an escaped dot, slash, percent sign or other character that ends "
            "or changes a path. Write the path plainly."
        )


def check_allowed(base_url: str, allowed: list[str]) -> None:
    """Raise unless the administrator's patterns match this base URL; an empty list allows all."""
    if allowed and not any(matches(base_url, pattern) for pattern in allowed):
        raise BadSettings(
            "This server allows only these base URLs: "
            + ", ".join(allowed)
            + ". Ask its administrator to add yours to c.TurnbookApp.allowed_base_urls."
        )


def matches(base_url: str, pattern: str) -> bool:
    """Whether a checked base URL matches a pattern with `*`.

    Scheme, host and path are matched separately, so a `*` in the host cannot match into the path. A
    pattern without a path allows all paths of its host, and `/v1/*` allows `/v1` too.
    """
    url, wanted = _split(base_url), _split(pattern.strip())
    path = wanted[2].rstrip("/")
    return (
        _glob(wanted[0]).fullmatch(url[0]) is not None
        and _glob(wanted[1]).fullmatch(url[1]) is not None
        and (not path or any(_glob(path).fullmatch(url[2] + end) for end in ("", "/")))
    )


def _split(url: str) -> tuple[str, str, str]:
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return scheme.lower(), host.lower(), slash + path


def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")))
