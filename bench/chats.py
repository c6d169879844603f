"""Chats of any length, as Turnbook writes them."""

from __future__ import annotations

import hashlib
import json
import random
import uuid
from pathlib import Path
from typing import Any

TOPICS = ("", "ml", "ml/nlp", "ml/vision", "travel/japan", "cooking")
MODELS = ("scripted/scripted", "scripted/gpt-4o-mini")
TEXT = (
    "the model reads what is visible and nothing else a filter hides pairs while notes stay "
    "each reply becomes one cell of an ordinary notebook with its topic its stars and its date"
)
WORDS = TEXT.split()
# The time of the first pair; the last one is a few months later, whatever the length.
BEGAN = 1_780_000_000_000
SPAN = 120 * 24 * 3600 * 1000


def write_chat(folder: Path, pairs: int, reply_bytes: int = 1000, seed: int = 0) -> str:
    """Write a chat of so many pairs, the same one for the same numbers, and give its name."""
    rng = random.Random(f"{pairs} {seed}")
    cells = [_system(), *(_pair(rng, n, pairs, reply_bytes) for n in range(pairs))]
    chat = {
        "cells": cells,
        "metadata": {
            "language_info": {"name": "markdown"},
            "turnbook": {"format": 1, "chatId": _uuid(rng), "model": MODELS[0]},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    name = f"pairs-{pairs}-{seed}.chat.ipynb"
    (folder / name).write_text(json.dumps(chat, indent=1))
    return name


def _system() -> dict[str, Any]:
    source = "Answer in plain sentences."
    return {"cell_type": "raw", "id": "system", "metadata": {}, "source": source}


def _pair(rng: random.Random, n: int, pairs: int, reply_bytes: int) -> dict[str, Any]:
    run = _uuid(rng)
    at = BEGAN + SPAN * n // pairs
    failed = n % 100 == 50
    info: dict[str, Any] = {
        "state": "error" if failed else "succeeded",
        "model": MODELS[n % 10 == 3],
        "createdAt": at,
        "updatedAt": at + 4000,
        "runId": run,
        "attempt": 1,
        "context": [["system", "system", 1]],
        "requestHash": hashlib.sha256(run.encode()).hexdigest(),
        "usage": {"prompt_tokens": 500, "completion_tokens": reply_bytes // 4},
    }
    if failed:
        info["error"] = {
            "type": "server",
            "code": "503",
            "status": 503,
            "message": "The provider was busy.",
        }
    marks = {"topic": TOPICS[rng.randrange(len(TOPICS))], "star": rng.choice((0, 0, 0, 0, 1, 2, 3))}
    output = {
        "output_type": "display_data",
        "data": {"text/markdown": _reply(rng, reply_bytes)},
        "metadata": {"turnbook": {"runId": run}},
    }
    return {
        "cell_type": "code",
        "id": f"pair-{n:05}",
        "metadata": {
            "turnbook": {key: value for key, value in marks.items() if value},
            "turnbook_run": info,
        },
        "source": f"Question {n}: {_words(rng, 12)}?",
        "outputs": [] if failed else [output],
        "execution_count": None,
    }


def _reply(rng: random.Random, size: int) -> str:
    """Paragraphs, one list, and in every fifth reply code; cut to the byte."""
    parts = [_words(rng, 40) + ".", f"- {_words(rng, 6)}\n- **{_words(rng, 3)}**"]
    if rng.random() < 0.2:
        parts.append("```python\nfor pair in visible:\n    send(pair)\n```")
    while sum(map(len, parts)) + 2 * len(parts) < size:
        parts.append(_words(rng, 45) + ".")
    return "\n\n".join(parts)[:size]


def _words(rng: random.Random, count: int) -> str:
    # One word in a thousand is rare, so that a search for it finds a few pairs.
    return " ".join(
        "zephyr" if rng.random() < 0.0002 else WORDS[rng.randrange(len(WORDS))]
        for _ in range(count)
    )


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
