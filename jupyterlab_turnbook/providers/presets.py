"""Well-known providers and their base URLs."""

from __future__ import annotations

from typing import Any, NamedTuple


class Preset(NamedTuple):
    """A provider for which the user has to enter at most a key."""

    name: str
    title: str
    base_url: str
    needs_key: bool

    def json(self) -> dict[str, Any]:
        """The contract's `Preset`."""
        return {
            "name": self.name,
            "title": self.title,
            "baseUrl": self.base_url,
            "needsKey": self.needs_key,
        }


PRESETS = (
    Preset("openai", "OpenAI", "https://api.openai.com/v1", True),
    Preset("ollama", "Ollama", "http://localhost:11434/v1", False),
    Preset("lmstudio", "LM Studio", "http://localhost:1234/v1", False),
    Preset("vllm", "vLLM", "http://localhost:8000/v1", False),
    Preset("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", True),
    Preset("litellm", "LiteLLM", "http://localhost:4000/v1", True),
)
