"""Text for a terminal."""

from __future__ import annotations

import re

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text without what would control a terminal: a file or a provider may have written it."""
    return _CONTROLS.sub("\ufffd", text)
