"""The results of a plan as entries: one for each reply that is wanted, as in the notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..records.javascript import well_formed
from .answer import Json, Reply
from .costs import Costs
from .plan import Plan, Request, Wanted
from .recorded import recorded_reply
from .stats import json_check, output_of
from .store import Attempt


def results_of(plan: Plan, *, schema: Any = None, store: str = "") -> Json:
    """What a results notebook says of the whole: records with their payloads, models, options."""
    results: Json = {
        "version": 1,
        "records": [
            {"name": each.name, "hash": each.hash, "payload": each.payload} for each in plan.records
        ],
        "options": {change.name: change.value for change in plan.changes},
        "repeats": plan.repeats,
        "store": store,
    }
    if schema is not None:
        results["schema"] = schema
    # Names of files and schemas may have half a character, which no file may hold.
    made: Json = well_formed(results)
    return made


def entries_of(
    plan: Plan,
    attempts: Mapping[str, Attempt],
    costs: Costs,
    *,
    schema: Any = None,
    baseline: Mapping[str, str] | None = None,
    checks: Mapping[str, Sequence[Json]] | None = None,
) -> list[Json]:
    """The entry of each wanted reply, in the order of the plan.

    `baseline` maps keys to outputs that they are compared with; without it, a reply is compared
    with the one in its record.
    """
    is_valid = json_check(schema)
    recorded: dict[Request, str | None] = {}
    made = []
    for wanted in plan.wanted:
        attempt = attempts.get(wanted.key)
        if baseline is not None:
            before = baseline.get(wanted.key)
        else:
            if wanted.request not in recorded:
                told = recorded_reply(wanted.request.record)
                recorded[wanted.request] = None if told is None else output_of(told)
            before = recorded[wanted.request]
        entry = _entry(wanted, attempt, costs)
        if attempt is not None and attempt.answer is not None and attempt.answer.is_good:
            reply = Reply.of(entry["reply"])
            valid = is_valid(reply.content)
            entry["valid"] = valid if valid or schema is not None else None
            entry["changed"] = None if before is None else output_of(reply) != before
            entry["checks"] = list((checks or {}).get(wanted.key, []))
        made.append(entry)
    return made


def _entry(wanted: Wanted, attempt: Attempt | None, costs: Costs) -> Json:
    entry: Json = {
        "key": wanted.key,
        "record": wanted.request.record.hash,
        "provider": wanted.request.target.provider,
        "model": wanted.request.target.model,
        "repeat": wanted.repeat,
        "request": wanted.request.hash,
        "state": "missing",
        "attempts": 0,
        "outcome": None,
        "reply": Reply().json(),
        "response": None,
        "cost": None,
        "valid": None,
        "changed": None,
        "checks": [],
    }
    if attempt is None or attempt.answer is None:
        return entry
    answer = attempt.answer
    cost = None
    if answer.state != "refused":
        cost = costs.cost(wanted.request.target, answer.reply.usage)
    return {
        **entry,
        "state": answer.state,
        "attempts": attempt.n,
        "outcome": answer.outcome,
        "reply": well_formed(answer.reply.json()),
        "response": answer.response,
        "cost": cost,
    }
