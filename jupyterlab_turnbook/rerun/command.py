"""The commands ``rerun``, ``diff`` and ``inspect`` of ``jupyter turnbook``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from typing import Any

from ..base.terminal import printable
from .costs import Costs, parse_price, prices_of, unpriced
from .diff import differences, report
from .estimate import estimate
from .here import Here
from .inspect_log import inspect_logs
from .limits import Budget
from .notebook import table, write_atomically
from .outputs import outputs_of
from .payload import CannotReplace, parse_change
from .plan import CannotRerun, Plan, find_records, make_plan, read_record
from .progress import Progress
from .reading import NoResults, open_store, read_results
from .report import why_failed
from .runner import Backend, Options, Runner
from .session import Session
from .settings import open_registry
from .store import Store, StoreError, store_beside

GOOD, FAILED, USAGE, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes."""


def rerun(options: argparse.Namespace) -> int:
    """Run ``jupyter turnbook rerun``; returns the exit code."""
    try:
        return asyncio.run(_rerun(options))
    except (CannotRerun, CannotReplace, StoreError, NoResults, OSError) as error:
        print(printable(f"jupyter turnbook rerun: {error}"), file=sys.stderr)
        return USAGE


def diff(options: argparse.Namespace) -> int:
    """Run ``jupyter turnbook diff``: 0 if both have the same replies, 1 if not, 2 on errors."""
    try:
        a, b = read_results(options.a), read_results(options.b)
    except NoResults as error:
        print(printable(f"jupyter turnbook diff: {error}"), file=sys.stderr)
        return USAGE
    found = differences(a, b)
    if options.json:
        print(json.dumps([each.json() for each in found], indent=1))
    else:
        for line in report(a, b, found):
            print(printable(line))
    return GOOD if all(each.kind == "same" for each in found) else FAILED


def inspect(options: argparse.Namespace) -> int:
    """Run ``jupyter turnbook inspect``."""
    try:
        logs = inspect_logs(read_results(options.results))
        options.output.mkdir(parents=True, exist_ok=True)
        for name, log in logs.items():
            write_atomically(options.output / name, json.dumps(log, indent=2))
            print(f"{options.output / name}: {log['eval']['model']}")
    except (NoResults, OSError) as error:
        print(printable(f"jupyter turnbook inspect: {error}"), file=sys.stderr)
        return USAGE
    return GOOD


async def _rerun(options: argparse.Namespace) -> int:
    registry = open_registry()
    names = registry.names()
    plan = make_plan(
        [read_record(path) for path in find_records(options.records)],
        _listed(options.model),
        [parse_change(text) for text in options.set],
        options.repeat,
        lambda name: name in names,
    )
    costs = prices_of(plan, registry, dict(map(parse_price, options.price)))
    if options.max_cost is not None:
        _check_prices(plan, costs)
    outputs = outputs_of(options, plan)
    store = Store(options.store or store_beside(options.out))
    if options.dry_run:
        return await _dry_run(plan, costs, store, options)
    backend = await _backend(options, registry)
    problems: list[str] = []
    interrupted = False
    try:
        await open_store(store, options.out)
        runner = Runner(
            plan,
            store,
            backend,
            costs,
            Budget(options.max_requests, options.max_cost),
            Options(options.again, options.concurrency, max(options.most, options.concurrency)),
        )
        session = Session(runner, outputs, Progress(options.progress))
        try:
            interrupted = await session.run()
        except (StoreError, OSError) as error:
            if runner.tally.sent == 0:
                raise
            # What was sent is reported all the same.
            problems.append(str(error))
    finally:
        await backend.close()
        await store.close()
    entries, more = await asyncio.to_thread(session.report)
    problems += more
    for problem in problems:
        print(printable(f"jupyter turnbook rerun: {problem}"), file=sys.stderr)
    code = _code(entries, outputs.fail_on, interrupted)
    if code == GOOD and problems:
        code = INCOMPLETE
    _say_end(options, plan, entries, code)
    return code


async def _backend(options: argparse.Namespace, registry: Any) -> Backend:
    if options.dask is None:
        return Here(registry)
    # An extra: without it, all else works.
    from .cluster import Cluster

    return await Cluster.connect(
        options.dask, options.workers, max(options.most, options.concurrency)
    )


async def _dry_run(plan: Plan, costs: Costs, store: Store, options: argparse.Namespace) -> int:
    total = await estimate(plan, costs, options.out, store, again=options.again)
    if options.progress == "json":
        print(json.dumps({"event": "dry-run", **total}))
        return GOOD
    print(
        f"{total['requests']} requests to send, {total['had']} are in the store. Nothing was sent."
    )
    for row in total["models"]:
        output = (
            "an unknown number of" if row["outputTokens"] is None else f"~{row['outputTokens']}"
        )
        cost = "price unknown (--price)" if row["cost"] is None else f"~${row['cost']:.4f}"
        print(
            f"  {row['model']}: {row['requests']} requests, ~{row['inputTokens']} tokens in, "
            f"{output} tokens out, {cost}"
        )
    return GOOD


def _check_prices(plan: Plan, costs: Costs) -> None:
    for target in unpriced(plan, costs):
        raise CannotRerun(
            f"The price of {target} is not known, so --max-cost cannot be kept. Give it with "
            f"--price {target}=INPUT,OUTPUT (dollars for a million tokens)."
        )


def _code(entries: list[dict[str, Any]], fail_on: Sequence[str], interrupted: bool) -> int:
    if interrupted:
        return INTERRUPTED
    if any(why_failed(entry, fail_on) for entry in entries):
        return FAILED
    return GOOD if all(entry["state"] == "done" for entry in entries) else INCOMPLETE


def _say_end(
    options: argparse.Namespace, plan: Plan, entries: list[dict[str, Any]], code: int
) -> None:
    states = [entry["state"] for entry in entries]
    counts = {state: states.count(state) for state in dict.fromkeys(states)}
    if options.progress == "json":
        print(json.dumps({"event": "end", "code": code, "out": str(options.out), "states": counts}))
        return
    names = {record.hash: record.name for record in plan.records}
    told = {"records": [{"hash": key, "name": name} for key, name in names.items()]}
    print(printable(table(told, entries)))
    print(f"{options.out}: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
    if "unknown" in counts or "broken" in counts:
        print("Unknown and broken ones were not repeated. --again sends them once more.")


def _listed(values: Sequence[str]) -> list[str]:
    return [each for value in values for each in value.split(",") if each]
