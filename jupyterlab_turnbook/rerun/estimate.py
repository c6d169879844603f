"""What a rerun would send: requests, tokens and price."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from .answer import Json
from .costs import Costs, expected_output, input_tokens
from .plan import Plan, Request, Target
from .reading import check_kept
from .store import Attempt, Store, is_missing


async def estimate(plan: Plan, costs: Costs, out: Path, store: Store, *, again: bool) -> Json:
    """What the store lacks, in total and for each model; what is not known is None.

    Raises `StoreError` if another process uses the store, or `CannotRerun` if the results in `out`
    belong to another store.
    """
    known: dict[str, Attempt] = {}
    keys: set[str] = set()
    if store.path.exists():
        await store.open()
        known = await store.last(wanted.key for wanted in plan.wanted)
        keys = await store.keys()
        await store.close()
    await asyncio.to_thread(check_kept, out, store.path, keys)
    missing = [wanted for wanted in plan.wanted if is_missing(known.get(wanted.key), again=again)]
    counts: dict[Target, Counter[Request]] = {target: Counter() for target in plan.targets}
    for wanted in missing:
        counts[wanted.request.target][wanted.request] += 1
    return {
        "requests": len(missing),
        "had": len(plan.wanted) - len(missing),
        "models": [_row(target, mine, costs) for target, mine in counts.items()],
    }


def _row(target: Target, counts: Counter[Request], costs: Costs) -> Json:
    output = [(expected_output(request), count) for request, count in counts.items()]
    known = [length * count for length, count in output if length is not None]
    price = costs.price(target)
    cost = sum(costs.expected(request) * count for request, count in counts.items())
    return {
        "model": str(target),
        "requests": counts.total(),
        "inputTokens": sum(input_tokens(request) * count for request, count in counts.items()),
        "outputTokens": sum(known) if len(known) == len(output) else None,
        "price": None if price is None else price.json(),
        "cost": None if price is None else cost,
    }
