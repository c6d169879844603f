"""A chat as Markdown, in the words and the form of *Copy as Markdown* (``pairmarkdown.ts``)."""

from __future__ import annotations

import re

from .said import Said
from .shown import Shown

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")


def markdown(said: list[Said]) -> str:
    """Who said what, one after the other."""
    return "\n\n".join(f"**{_line(each.name)}:**\n\n{_body(each)}" for each in said)


def _body(said: Said) -> str:
    # What people wrote is Markdown too; what tools wrote is text.
    as_is = said.by in ("user", "system")
    parts = [_part(part, as_is) for part in said.parts]
    return "\n\n".join([*parts, *([said.ending] if said.ending else [])])


def _part(part: Shown, as_is: bool) -> str:
    if part.kind == "image":
        return f"![](data:{part.mime};base64,{''.join(part.text.split())})"
    if part.kind == "markdown" or as_is:
        return with_closed_fence(part.text.rstrip())
    return fenced(part.text)


def with_closed_fence(text: str) -> str:
    """Close a code block that a text leaves open: it would swallow what follows."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line.removesuffix("\r"))
        marks, rest = found.groups() if found else ("", "")
        if not fence:
            fence = "" if marks[:1] == "`" and "`" in rest else marks
        elif marks[:1] == fence[0] and len(marks) >= len(fence) and not rest.strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text


def fenced(text: str) -> str:
    """A text as a code block, with a fence that is longer than any in it."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`{3,}", text))])
    return f"{fence}\n{text}\n{fence}"


def _line(name: str) -> str:
    return " ".join(name.split())
