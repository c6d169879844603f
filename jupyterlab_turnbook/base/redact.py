"""Keeps a provider's secrets out of everything that is stored, shown or logged."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping

MARK = "[key]"

_LONG = 12
_SHORTEST = 4
# Dummy keys for servers that require some key but do not check it; a reply may contain them.
_PLACEHOLDERS = frozenset(
    [
        "api-key",
        "apikey",
        "changeme",
        "dummy",
        "empty",
        "fake",
        "ignored",
        "key",
        "lm-studio",
        "lmstudio",
        "local",
        "no-key",
        "nokey",
        "none",
        "not-needed",
        "null",
        "ollama",
        "placeholder",
        "test",
        "token",
        "unused",
        "vllm",
    ]
)
_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)
_ALONE = r"(?<![A-Za-z0-9]){}(?![A-Za-z0-9])"
# A lone surrogate decodes to itself.
_ESCAPE = re.compile(
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|u(?P<code>[0-9a-fA-F]{4})|(?P<sign>[\"\\/bfnrt]))"
)
_SIGNS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# Tool arguments are JSON inside JSON, and may contain JSON in turn.
_LAYERS = 3


def redactor(key: str | None, headers: Mapping[str, str]) -> Callable[[str], str]:
    """A function that replaces the key, and secrets in headers, with `[key]`.

    A key of fewer than 12 characters may be part of a word, so it is replaced only where it stands
    alone. Placeholders, and keys of fewer than 4 characters, protect nothing and are kept.
    """
    values = [key] if key else []
    for name, value in headers.items():
        if _SECRET_HEADER.search(name):
            values += [value, value.partition(" ")[2]]
    secrets = {
        value for value in values if len(value) >= _SHORTEST and value.lower() not in _PLACEHOLDERS
    }
    if not secrets:
        return lambda text: text
    pattern = re.compile("|".join(_found(v) for v in sorted(secrets, key=len, reverse=True)))

    def redact(text: str) -> str:
        # Nearly always; the pattern takes much longer to say so.
        if "\\" not in text and not any(secret in text for secret in secrets):
            return text
        pieces, end = [], 0
        for start, stop in sorted(_places(pattern, text, _LAYERS)):
            if start >= end:
                pieces += [text[end:start], MARK]
            end = max(end, stop)
        return "".join([*pieces, text[end:]]) if pieces else text

    return redact


def _found(secret: str) -> str:
    literal = re.escape(secret)
    return literal if len(secret) >= _LONG else _ALONE.format(literal)


def _places(pattern: re.Pattern[str], text: str, layers: int) -> list[tuple[int, int]]:
    """Where secrets are in a text, both as it is and with its JSON escapes decoded."""
    found = [match.span() for match in pattern.finditer(text)]
    if layers and "\\" in text:
        decoded = _Decoded(text)
        inside = _places(pattern, decoded.text, layers - 1) if decoded.text != text else []
        found += [(decoded.place(start), decoded.place(stop)) for start, stop in inside]
    return found


class _Decoded:
    """A text with its JSON escapes decoded, and where each character comes from."""

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        length = end = 0
        self._at, self._from = [0], [0]
        for match in _ESCAPE.finditer(text):
            length += match.start() - end + 1
            pieces += [text[end : match.start()], _character(match)]
            end = match.end()
            # Outside escapes, positions in both texts advance together.
            self._at += [length - 1, length]
            self._from += [match.start(), end]
        self.text = "".join([*pieces, text[end:]])

    def place(self, at: int) -> int:
        known = bisect_right(self._at, at) - 1
        return self._from[known] + at - self._at[known]


def _character(match: re.Match[str]) -> str:
    high, low, code, sign = match.group("high", "low", "code", "sign")
    if high:
        pair = bytes.fromhex(high + low)
        return pair.decode("utf-16-be")
    return chr(int(code, 16)) if code else _SIGNS.get(sign, sign)
