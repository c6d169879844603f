"""How a request ended, as the journal stores it and the API returns it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from . import dialect

ErrorType = Literal["auth", "rate", "network", "server", "unknown"]


@dataclass(frozen=True)
class Outcome:
    """How a run ended; `type` is None if it finished normally or was stopped."""

    type: ErrorType | None = None
    code: str | None = None
    status: int | None = None
    message: str = ""
    retry_after: float | None = None
    finish: str | None = None

    def json(self) -> dict[str, Any]:
        """The contract's `Outcome`."""
        shown = asdict(self)
        shown["retryAfter"] = shown.pop("retry_after")
        return shown

    @classmethod
    def from_text(cls, text: str) -> Outcome:
        """Parse the JSON text that the journal stores."""
        shown = dialect.parse_lenient(text)
        return cls(
            type=shown["type"],
            code=shown["code"],
            status=shown["status"],
            message=shown["message"],
            retry_after=shown["retryAfter"],
            finish=shown["finish"],
        )
