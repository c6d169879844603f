"""One message and the chat it stands in."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from .notebook import pair_cell


@dataclass
class Turn:
    """One message of a chat of its own, with the model that answers it alone."""

    text: str
    """What the model says in the end."""
    model: str
    provider: str
    thoughts: str = ""
    """What it thinks before."""
    chat: str = field(default_factory=lambda: str(uuid.uuid4()))
    pair: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    run: str = field(default_factory=lambda: str(uuid.uuid4()))
    path: str = field(init=False)
    mark: str = field(init=False)
    """What no other message says."""
    question: str = "Häé?"
    posted: dict[str, Any] | None = None
    """What a page has posted."""

    def __post_init__(self) -> None:
        self.path = f"{self.pair}.chat.ipynb"
        self.mark = self.pair

    @property
    def message(self) -> str:
        """What the user says."""
        return f"{self.question} {self.mark}"

    def new_run(self) -> dict[str, Any]:
        """What `POST runs` takes: what a page has posted, or for those who ask without one."""
        if self.posted is not None:
            return self.posted
        said = {"role": "user", "content": self.message}
        body = {"model": self.model, "stream": True, "messages": [said]}
        return {
            "id": self.run,
            "chat": self.chat,
            "pair": self.pair,
            "cell": pair_cell(self.pair, "hi"),
            "after": None,
            "provider": self.provider,
            "body": json.dumps(body),
        }
