"""What came of one request."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from ..base import dialect
from ..records.javascript import well_formed
from ..runs import continuation
from ..runs.reasoning import reasoning_text

State = Literal["done", "broken", "unknown", "refused"]
"""`broken` replies ended early; `unknown` requests may have been answered; others were `refused`."""

Json = dict[str, Any]

NO_MODEL = "no-model"
"""The code of a model that this machine does not have, or cannot start."""


@dataclass(frozen=True)
class Reply:
    """A reply as its chunks say it."""

    content: str = ""
    reasoning: str = ""
    tool_calls: tuple[Json, ...] = ()
    finish: str | None = None
    model: str | None = None
    """The model that the provider says has answered."""
    usage: Json | None = None

    def json(self) -> Json:
        """The reply for a file."""
        return {**asdict(self), "tool_calls": list(self.tool_calls)}

    @classmethod
    def of(cls, value: Json) -> Reply:
        """The reply in a file."""
        return cls(**{**value, "tool_calls": tuple(value["tool_calls"])})


@dataclass(frozen=True)
class Answer:
    """The end of one attempt: its state, why it ended so, and what came."""

    state: State
    outcome: Json
    """The API's `Outcome`."""
    reply: Reply = field(default_factory=Reply)
    response: Json | None = None
    """Status, times in milliseconds, size and hash, as in a record; None if there was none."""
    body: bytes | None = field(default=None, repr=False)
    """The exact bytes of the response; None if they are not known."""

    def json(self) -> Json:
        """The answer as JSON, for a file or another process; without the bytes."""
        return {
            "state": self.state,
            "outcome": self.outcome,
            "reply": self.reply.json(),
            "response": self.response,
        }

    def packed(self) -> Json:
        """The answer as JSON, with the bytes."""
        body = None if self.body is None else base64.b64encode(zlib.compress(self.body)).decode()
        return {**self.json(), "body": body}

    @classmethod
    def of(cls, value: Json) -> Answer:
        """The answer that `json` or `packed` made."""
        body = value.get("body")
        return cls(
            state=value["state"],
            outcome=value["outcome"],
            reply=Reply.of(value["reply"]),
            response=value["response"],
            body=None if body is None else zlib.decompress(base64.b64decode(body)),
        )

    @property
    def waits(self) -> float | None:
        """Seconds that the provider asked to wait."""
        found: float | None = self.outcome.get("retryAfter")
        return found

    @property
    def is_good(self) -> bool:
        """Whether there is a whole reply."""
        return self.state == "done"

    @property
    def is_lost(self) -> bool:
        """Whether the request may have been billed, and nothing of a reply came."""
        came = self.reply.content or self.reply.reasoning or self.reply.tool_calls
        return self.state == "unknown" or (self.state == "broken" and not came)


def nothing_known(message: str) -> Answer:
    """The answer to a request that was begun and of which nothing came back."""
    outcome = {
        "type": "network",
        "code": "unknown",
        "status": None,
        "message": well_formed(message),
    }
    return Answer("unknown", {**outcome, "retryAfter": None, "finish": None})


def reply_of(chunks: Iterable[str]) -> Reply:
    """Put a reply together from the data of its events."""
    listed = list(chunks)
    text = continuation.partial_of(listed).text
    made = Reply(content=text, usage=continuation.usage_of(listed))
    thoughts: list[str] = []
    calls: dict[Any, Json] = {}
    for data in listed:
        delta = continuation.delta_of(data)
        chunk = dialect.parse_chunk(data) or {}
        choice = continuation.first_choice(chunk)
        thoughts.append(reasoning_text(delta))
        given = delta.get("tool_calls")
        for call in given if isinstance(given, list) else []:
            _add_call(calls, call)
        if isinstance(choice.get("finish_reason"), str):
            made = replace(made, finish=choice["finish_reason"])
        if isinstance(chunk.get("model"), str):
            made = replace(made, model=chunk["model"])
    return replace(
        made,
        reasoning=dialect.well_formed("".join(thoughts)),
        tool_calls=tuple(calls.values()),
        # Half a character can be in any text, and no file may hold it.
        finish=well_formed(made.finish),
        model=well_formed(made.model),
        usage=well_formed(made.usage),
    )


def _add_call(calls: dict[Any, Json], call: Any) -> None:
    if not isinstance(call, dict):
        return
    index = call.get("index")
    place = index if isinstance(index, int) else len(calls)
    known = calls.setdefault(place, {"id": "", "name": "", "arguments": ""})
    function = call.get("function")
    parts = {"id": call.get("id"), **(function if isinstance(function, dict) else {})}
    # A name or id comes once, arguments in parts.
    for name in ("id", "name"):
        if isinstance(parts.get(name), str) and not known[name]:
            known[name] = dialect.well_formed(parts[name])
    if isinstance(parts.get("arguments"), str):
        known["arguments"] = dialect.well_formed(known["arguments"] + parts["arguments"])
