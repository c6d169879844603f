"""What the model says: a text for each message, found by the mark in it, in attempts that may break."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

from faults.replies import END, deltas
from jupyterlab_turnbook.scripted_provider.script import Script, words

MODEL = "soak"
"""The model of all chats here; those of `faults` have others."""

_MARK = re.compile(r"«(\w+)»")
_MOST_BREAKS = 2


def marks_of(text: str) -> list[str]:
    """The marks in a text."""
    return _MARK.findall(text)


class Talk:
    """Replies to marked messages, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._asked: Counter[str] = Counter()
        self.breaks = 0
        """How many replies did not come whole."""

    def text(self, mark: str) -> str:
        """What the model says to a message."""
        chance = random.Random(f"{self._seed}/{mark}")
        lines = [f"{mark}: {chance.randrange(10**9)}-{n}" for n in range(chance.randint(5, 60))]
        if chance.random() < 0.3:
            lines[2:2] = ["", "```python", f"print({mark!r})", "```", ""]
        return "\n".join(lines)

    def script(self, request: Any) -> Script:
        """The script for a request."""
        *before, last = request["messages"]
        said = ""
        if last["role"] == "assistant":
            said, last = str(last["content"]), before[-1]
        mark = marks_of(_plain(last["content"]))[-1]
        text = self.text(mark)
        rest = words(text[len(said) :] if text.startswith(said) else text)
        self._asked[mark] += 1
        chance = random.Random(f"{self._seed}/{mark}/{self._asked[mark]}")
        parts = deltas(rest)
        paced = [step for part in parts for step in (part, {"delay": chance.choice((0, 10, 40))})]
        if self._asked[mark] > _MOST_BREAKS or chance.random() < 0.7:
            return {"steps": [*paced, *END]}
        self.breaks += 1
        status = chance.choice((0, 0, 0, 429, 500, 503))
        if status:
            # Retried after a second.
            return {"status": status, "steps": [{"body": {"error": {"message": "scripted"}}}]}
        return {"steps": [{"headers": True}, *paced[: chance.randrange(len(paced))], {"cut": True}]}


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(str(part.get("text", "")) for part in content)
