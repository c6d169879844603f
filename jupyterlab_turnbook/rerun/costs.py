"""What replies cost, and what they are expected to cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..providers.ask import ModelInfo, Price
from ..providers.prices import PriceList
from ..providers.provider import LOCAL
from ..providers.registry import ProviderRegistry, UnknownProvider
from ..runs.usage import facts
from .answer import Reply
from .plan import CannotRerun, Plan, Request, Target
from .recorded import recorded_reply

_BYTES_OF_A_TOKEN = 4
_USUAL_OUTPUT = 1000
"""Tokens of a reply of which nothing is known."""


class Costs:
    """Prices of the models in a plan, and how many tokens their replies took so far."""

    def __init__(self, prices: Mapping[Target, Price | None]) -> None:
        self._prices = prices
        self._longest: dict[Target, float] = {}
        """The tokens of the longest reply; of several at once, those of one."""

    def price(self, target: Target) -> Price | None:
        """A model's price, if it is known."""
        return self._prices.get(target)

    def cost(self, target: Target, usage: dict[str, Any] | None) -> float | None:
        """What a reply cost in US dollars: as the provider says, else by its tokens."""
        read, cached, written, said = facts(usage or {})
        if said is not None:
            return said
        price = self.price(target)
        if price is None or read is None or written is None:
            return None
        cheap = min(cached or 0, read)
        cached_price = price.input if price.cached is None else price.cached
        spent = (read - cheap) * price.input + cheap * cached_price + written * price.output
        return spent / 1e6

    def learn(self, request: Request, reply: Reply) -> None:
        """A whole reply came; others of this model may be as long."""
        target = request.target
        written = facts(reply.usage or {})[2]
        if written is not None:
            written /= request.choices
        else:
            # The first one's, if there are several.
            calls = "".join(call["arguments"] for call in reply.tool_calls)
            written = len(f"{reply.reasoning}{reply.content}{calls}".encode()) // _BYTES_OF_A_TOKEN
        self._longest[target] = max(self._longest.get(target, 0), written)

    def is_known(self, request: Request) -> bool:
        """Whether it is known what a request may cost: by its limit, or by earlier replies."""
        price = self.price(request.target)
        has_price = price is not None and price.output > 0
        return not has_price or request.limit is not None or request.target in self._longest

    def expected(self, request: Request) -> float:
        """What a request may cost, going by its length and its limit or the longest reply so far."""
        price = self.price(request.target)
        if price is None:
            return 0.0
        if request.limit is None:
            longest = self._longest.get(request.target, 0.0) * request.choices
            written = longest or expected_output(request) or _USUAL_OUTPUT * request.choices
        else:
            written = request.limit * request.choices
        return (input_tokens(request) * price.input + written * price.output) / 1e6


def prices_of(plan: Plan, registry: ProviderRegistry, given: Mapping[str, Price]) -> Costs:
    """The prices of all models in a plan: those that the user gave, else those of the list."""
    listed = PriceList()
    found: dict[Target, Price | None] = {}
    for target in plan.targets:
        if str(target) in given or target.model in given:
            found[target] = given.get(str(target)) or given[target.model]
        elif target.provider == LOCAL:
            found[target] = Price(0.0, 0.0)
        else:
            try:
                base_url = registry.get(target.provider).base_url
            except UnknownProvider:
                # What goes to it is refused when it is sent; the others are sent.
                found[target] = None
                continue
            found[target] = listed.fill(base_url, [ModelInfo(target.model, None)])[0].price
    return Costs(found)


def unpriced(plan: Plan, costs: Costs) -> list[Target]:
    """The models whose price is not known."""
    return [target for target in plan.targets if costs.price(target) is None]


def parse_price(text: str) -> tuple[str, Price]:
    """Read ``MODEL=INPUT,OUTPUT``, in US dollars for a million tokens."""
    model, _, numbers = text.rpartition("=")
    try:
        read, written = (float(number) for number in numbers.split(","))
    except ValueError:
        raise CannotRerun(
            f"{text!r} is not a price. Write MODEL=INPUT,OUTPUT in dollars for a million tokens."
        ) from None
    if not model or not all(math.isfinite(each) and each >= 0 for each in (read, written)):
        raise CannotRerun(f"{text!r} is not a price of a model.")
    return model, Price(read, written)


def input_tokens(request: Request) -> int:
    """About how many tokens a request has; exactly, if the record's own response says so."""
    return _recorded(request, 0) or max(1, len(request.body) // _BYTES_OF_A_TOKEN)


def expected_output(request: Request) -> int | None:
    """How many tokens may come back: by the request's limit, or those of the recorded reply."""
    if request.limit is not None:
        return request.limit * request.choices
    recorded = _recorded(request, 2)
    return None if recorded is None else recorded * request.choices // request.record.choices


def _recorded(request: Request, place: int) -> int | None:
    reply = recorded_reply(request.record)
    count = facts(reply.usage or {})[place] if reply is not None else None
    return None if count is None else int(count)
