"""Reads a provider's response event by event, until it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..base import classify, dialect
from ..base.outcome import Outcome
from . import continuation
from .sse import EventTooLarge, SseDecoder
from .states import Happening

DONE = "[DONE]"

End = tuple[Happening, Outcome]
"""How a reply ended: what happened to the run, and its outcome."""


class Reply:
    """Turns the bytes of a successful response into the data of its chunks, and detects its end.

    All data goes through `redact` before it is parsed or cut.
    """

    def __init__(self, status: int, content_type: str, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._status = status
        self._type = content_type.partition(";")[0].strip().lower()
        self._sse = SseDecoder()
        self._whole: bytearray | None = bytearray() if self._type == "application/json" else None
        self._chunks = 0
        self.finish: str | None = None
        self.end: End | None = None

    def feed(self, part: bytes) -> list[str]:
        """The chunks that these bytes complete. Stop reading once `end` is set."""
        if self._whole is not None:
            self._whole += part
            if len(self._whole) > self._sse.limit:
                self.end = self._malformed("The provider's answer is too large.")
            return []
        try:
            return self._accept(self._sse.feed(part))
        except EventTooLarge as error:
            self.end = self._malformed(f"The provider's answer cannot be read: {error}")
            return []

    def close(self) -> list[str]:
        """The provider closed the connection; `end` is set afterwards."""
        chunks = self._close_whole() if self._whole is not None else self._close_stream()
        if self.end is None:
            self.end = self.broken(
                "The provider closed the connection before the reply was finished."
            )
        return chunks

    def broken(self, message: str) -> End:
        """The end if the connection breaks here; a success if the model had finished."""
        if self.finish is not None:
            return self._good()
        return "lose", classify.network(
            f"{message} What arrived is kept; retry to go on.", self._status
        )

    def _accept(self, events: list[str]) -> list[str]:
        chunks: list[str] = []
        for data in map(self._redact, events):
            if data.strip() == DONE:
                self.end = self._good()
            elif data.strip():
                chunk = dialect.parse_chunk(data)
                if chunk is None:
                    self.end = self._malformed(
                        "The provider sent a chunk that is not a JSON object."
                    )
                elif chunk.get("error"):
                    self.end = "fail", classify.from_stream_error(chunk["error"], self._status)
                else:
                    self.finish = _finish(chunk) or self.finish
                    self._chunks += 1
                    chunks.append(dialect.storable(data, chunk))
            if self.end is not None:
                break
        return chunks

    def _close_stream(self) -> list[str]:
        rest = self._sse.rest()
        whole = rest is not None and (rest.strip() == DONE or dialect.parse_chunk(rest) is not None)
        chunks = self._accept([rest]) if rest is not None and whole else []
        if self.end is None and not self._chunks and self._type != "text/event-stream":
            self.end = self._malformed(
                f"The provider answered with {self._type or 'no type'}, not with a stream. "
                "Check its base URL."
            )
        return chunks

    def _close_whole(self) -> list[str]:
        # The provider ignored `stream`: its whole response becomes one chunk.
        text = bytes(self._whole or b"").decode("utf-8", "replace").removeprefix("\ufeff")
        answer = dialect.parse_chunk(self._redact(text))
        if answer is None or not (answer.get("error") or isinstance(answer.get("choices"), list)):
            self.end = self._malformed(
                "The provider's answer is not a chat completion. Check its base URL."
            )
            return []
        if answer.get("error"):
            self.end = "fail", classify.from_stream_error(answer["error"], self._status)
            return []
        choices = [_as_delta(choice) for choice in answer["choices"] if isinstance(choice, dict)]
        chunk = {**answer, "object": "chat.completion.chunk", "choices": choices}
        self.finish = _finish(chunk)
        self.end = self._good()
        return [json.dumps(chunk, allow_nan=False)]

    def _good(self) -> End:
        return "finish", Outcome(status=self._status, finish=self.finish)

    def _malformed(self, message: str) -> End:
        return "fail", replace(classify.malformed(message, self._status), finish=self.finish)


def _finish(chunk: dict[str, Any]) -> str | None:
    reason = continuation.first_choice(chunk).get("finish_reason")
    return reason if isinstance(reason, str) and reason else None


def _as_delta(choice: dict[str, Any]) -> dict[str, Any]:
    made = {key: value for key, value in choice.items() if key != "message"}
    message = choice.get("message")
    delta = dict(message) if isinstance(message, dict) else {}
    calls = delta.get("tool_calls")
    if isinstance(calls, list):
        # In a chunk, each call has its index.
        delta["tool_calls"] = [
            {"index": index, **call} for index, call in enumerate(calls) if isinstance(call, dict)
        ]
    return {**made, "delta": delta}
