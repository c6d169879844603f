"""Every model of every provider, for the model chooser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..base.outcome import Outcome
from .ask import AskError, ModelInfo, Price, list_models
from .prices import PriceList
from .provider import LOCAL, Provider
from .registry import ProviderRegistry

FRESH = 60.0
FRESH_ERROR = 10.0
PREFERRED = "gpt-4o-mini"


@dataclass(frozen=True)
class Answer:
    """One provider's models or error, with the settings and time of the request."""

    settings: Provider
    at: float
    models: list[ModelInfo]
    error: Outcome | None


class ModelCatalog:
    """Asks all providers concurrently and caches models for a minute, errors for 10 seconds."""

    def __init__(
        self,
        registry: ProviderRegistry,
        default_model: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._default = default_model
        self._clock = clock
        self._prices = PriceList()
        self._answers: dict[str, Answer] = {}
        self._asking: dict[str, asyncio.Task[Answer]] = {}

    async def view(self, *, refresh: bool = False) -> dict[str, Any]:
        """The contract's `ModelList`."""
        providers = await asyncio.to_thread(self._registry.all)
        answers = await asyncio.gather(*(self._answer(each, refresh) for each in providers))
        return {
            "providers": [answer.settings.name for answer in answers],
            "models": [
                {
                    "id": f"{answer.settings.name}/{info.model}",
                    "provider": answer.settings.name,
                    "model": info.model,
                    "window": info.window,
                    "price": None if info.price is None else info.price.json(),
                }
                for answer in answers
                for info in answer.models
            ],
            "errors": [
                {"provider": answer.settings.name, "error": answer.error.json()}
                for answer in answers
                if answer.error is not None
            ],
            "default": self._choose(answers),
            "reasoning": {each.name: each.reasoning for each in providers},
        }

    def known_price(self, provider: str, model: str) -> Price | None:
        """A model's price, if its provider was asked before and the price is known."""
        known = self._answers.get(provider)
        listed = known.models if known is not None else []
        return next((each.price for each in listed if each.model == model), None)

    def _choose(self, answers: list[Answer]) -> str:
        if self._default:
            return self._default
        for answer in answers:
            names = [info.model for info in answer.models if info.for_chats]
            if answer.settings.source == "environment" and names:
                chosen = PREFERRED if PREFERRED in names else names[0]
                return f"{answer.settings.name}/{chosen}"
        return f"{LOCAL}/{self._registry.local.embedded.model}"

    async def _answer(self, provider: Provider, refresh: bool) -> Answer:
        if provider.name == LOCAL:
            found = await asyncio.to_thread(self._local_models)
            return Answer(provider, self._clock(), found, None)
        if provider.models is not None:
            fixed = [ModelInfo(model, None) for model in provider.models]
            fixed = await asyncio.to_thread(self._prices.fill, provider.base_url, fixed)
            return Answer(provider, self._clock(), fixed, None)
        provider = await self._registry.with_key(provider)
        known = self._answers.get(provider.name)
        if known is not None and known.settings == provider and not refresh:
            keep = FRESH if known.error is None else FRESH_ERROR
            if self._clock() - known.at < keep:
                return known
        return await self._ask_once(provider)

    def _local_models(self) -> list[ModelInfo]:
        return [ModelInfo(each.model, each.window()) for each in self._registry.local.listed()]

    async def _ask_once(self, provider: Provider) -> Answer:
        # Pages that load together share one request; it must not end when one of them closes.
        task = self._asking.get(provider.name)
        if task is None:
            task = asyncio.ensure_future(self._ask(provider))
            self._asking[provider.name] = task
            task.add_done_callback(lambda _: self._asking.pop(provider.name, None))
        answer = await asyncio.shield(task)
        if answer.settings != provider:
            return await self._ask(provider)
        return answer

    async def _ask(self, provider: Provider) -> Answer:
        try:
            models = await list_models(provider)
            models = await asyncio.to_thread(self._prices.fill, provider.base_url, models)
            answer = Answer(provider, self._clock(), models, None)
        except AskError as error:
            answer = Answer(provider, self._clock(), [], error.outcome)
        self._answers[provider.name] = answer
        return answer
