"""What the provider says: one reply for each model, in attempts that break as a fault wants."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyterlab_turnbook.runs.continuation import INSTRUCTION
from jupyterlab_turnbook.scripted_provider.resuming import Resuming, resumed
from jupyterlab_turnbook.scripted_provider.script import Script, words

Step = dict[str, Any]


class Thought(str):
    """A word of a model's reasoning, which comes before its reply."""

    __slots__ = ()


Attempt = Callable[[list[str]], Script]
"""Makes the script of one attempt from the words that are still to be said."""

END: list[Step] = [{"finish": "stop"}, {"done": True}]

_SYLLABLES = ("ba", "kö", "мир", "lu", "日本", "né", "🌍", "שלום", "ta", "wo")


def some_text(random_: random.Random, count: int) -> str:
    """Numbered words of one to four bytes a character, so that every byte has its place."""
    made = ["".join(random_.choices(_SYLLABLES, k=2)) + str(n) for n in range(count)]
    return " ".join(made)


def deltas(pieces: Sequence[str]) -> list[Step]:
    """One event for each piece."""
    return [
        {"reasoning": str(piece)} if isinstance(piece, Thought) else {"delta": piece}
        for piece in pieces
    ]


def whole(rest: list[str]) -> Script:
    """All that is left, and a good end."""
    return {"steps": deltas(rest) + END}


def broken_after(count: int, *ending: Step) -> Attempt:
    """Some words, then these steps instead of the rest."""
    return lambda rest: {"steps": [{"headers": True}, *deltas(rest[:count]), *ending]}


def refusal(status: int, error: Any = None, headers: dict[str, str] | None = None) -> Attempt:
    """An answer that is no reply."""
    body = {"error": error or {"message": f"scripted {status}"}}
    return lambda rest: {"status": status, "headers": headers or {}, "steps": [{"body": body}]}


@dataclass
class Reply:
    """What one model says, and how its first attempts go."""

    text: str
    attempts: list[Attempt] = field(default_factory=list)
    paced: bool = False
    """Whether each word waits until the page has the one before."""
    resumes: Resuming = "goes on"
    """What it says when it is asked to go on."""
    thoughts: str = ""
    """What it thinks first, unless it is asked to go on."""
    requests: int = 0
    wrong_prefix: int = 0
    """Requests that asked to go on from a text that was never said."""


class Replies:
    """The replies of all models of a run of the harness."""

    def __init__(self) -> None:
        self._replies: dict[str, Reply] = {}

    def __setitem__(self, model: str, reply: Reply) -> None:
        self._replies[model] = reply

    def __getitem__(self, model: str) -> Reply:
        return self._replies[model]

    def script(self, request: Any) -> Script:
        """The script for a request; the scripted provider asks for it."""
        model = request["model"]
        reply = self._replies[model]
        reply.requests += 1
        said = _said(request)
        if not reply.text.startswith(said):
            reply.wrong_prefix += 1
            said = ""
        rest = words(resumed(reply.resumes, reply.text, said) if said else reply.text)
        if not said:
            rest = [*map(Thought, words(reply.thoughts)), *rest]
        attempt = reply.attempts.pop(0) if reply.attempts else whole
        script = attempt(rest)
        return _paced(script, self.gate(model)) if reply.paced else script

    def gate(self, model: str) -> str:
        """The beginning of the names of the gates that the newest request of a model waits at."""
        return f"{model}/{self._replies[model].requests}/"


def _said(request: Any) -> str:
    *before, last = request["messages"]
    if before and last == {"role": "user", "content": INSTRUCTION}:
        last = before[-1]
    return str(last["content"]) if last["role"] == "assistant" else ""


def _paced(script: Script, gate: str) -> Script:
    steps: list[Step] = []
    for step in script["steps"]:
        if step.keys() & {"delta", "reasoning", "finish"}:
            said = sum("delta" in one or "reasoning" in one for one in steps)
            if said:
                steps.append({"wait": f"{gate}{said}"})
        steps.append(step)
    return {**script, "steps": steps}
