"""The commands ``rerun``, ``diff`` and ``inspect`` of ``jupyter turnbook``."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .costs import Costs, expected_output, input_tokens, parse_price, prices_of
from .diff import differences, report
from .here import Here
from .inspect_log import inspect_logs
from .limits import FAILURES, Budget
from .notebook import name_of, table, write_atomically
from .payload import CannotReplace, parse_change
from .plan import CannotRerun, Plan, Wanted, find_records, make_plan, read_record
from .progress import Progress
from .reading import NoResults, is_results, read_results
from .report import why_failed
from .runner import Backend, Options, Runner
from .session import Outputs, Session
from .settings import open_registry
from .stats import output_of
from .store import Store, StoreError, is_missing

GOOD, FAILED, USAGE, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes."""


def rerun(options: argparse.Namespace) -> int:
    """Run ``jupyter turnbook rerun``; returns the exit code."""
    try:
        return asyncio.run(_rerun(options))
    except (CannotRerun, CannotReplace, StoreError, NoResults, OSError) as error:
        print(f"jupyter turnbook rerun: {error}", file=sys.stderr)
        return USAGE


def diff(options: argparse.Namespace) -> int:
    """Run ``jupyter turnbook diff``: 0 if both have the same replies, 1 if not, 2 on errors."""
    try:
        a, b = read_results(options.a), read_results(options.b)
    except NoResults as error:
        print(f"jupyter turnbook diff: {error}", file=sys.stderr)
        return USAGE
    found = differences(a, b)
    if options.json:
        print(json.dumps([each.json() for each in found], indent=1))
    else:
        for line in report(a, b, found):
            print(line)
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
        print(f"jupyter turnbook inspect: {error}", file=sys.stderr)
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
    outputs = _outputs(options, plan)
    store = Store(options.store or _beside(options.out))
    if options.dry_run:
        return await _dry_run(plan, costs, store, options)
    await store.open()
    backend = await _backend(options, registry)
    try:
        runner = Runner(
            plan,
            store,
            backend,
            costs,
            Budget(options.max_requests, options.max_cost),
            Options(options.again, options.concurrency, max(options.most, options.concurrency)),
        )
        session = Session(runner, outputs, Progress(options.progress))
        ended = await session.run()
    finally:
        await backend.close()
        await store.close()
    entries = await asyncio.to_thread(session.report, ended.entries)
    code = _code(entries, outputs.fail_on, ended.interrupted)
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
    missing: Sequence[Wanted] = plan.wanted
    if store.path.exists():
        await store.open()
        known = await store.last(wanted.key for wanted in plan.wanted)
        await store.close()
        missing = [
            wanted
            for wanted in plan.wanted
            if is_missing(known.get(wanted.key), again=options.again)
        ]
    rows = []
    for target in plan.targets:
        mine = [wanted.request for wanted in missing if wanted.request.target == target]
        known_output = [expected_output(request) for request in mine]
        price = costs.price(target)
        rows.append(
            {
                "model": str(target),
                "requests": len(mine),
                "inputTokens": sum(map(input_tokens, mine)),
                "outputTokens": None if None in known_output else sum(filter(None, known_output)),
                "price": None if price is None else price.json(),
                "cost": None if price is None else sum(map(costs.expected, mine)),
            }
        )
    total = {"requests": len(missing), "had": len(plan.wanted) - len(missing), "models": rows}
    if options.progress == "json":
        print(json.dumps({"event": "dry-run", **total}))
        return GOOD
    print(
        f"{total['requests']} requests to send, {total['had']} are in the store. Nothing was sent."
    )
    for row in rows:
        output = (
            "an unknown number of" if row["outputTokens"] is None else f"~{row['outputTokens']}"
        )
        cost = "price unknown (--price)" if row["cost"] is None else f"~${row['cost']:.4f}"
        print(
            f"  {row['model']}: {row['requests']} requests, ~{row['inputTokens']} tokens in, "
            f"{output} tokens out, {cost}"
        )
    return GOOD


def _outputs(options: argparse.Namespace, plan: Plan) -> Outputs:
    out: Path = options.out
    if out.suffix != ".ipynb":
        raise CannotRerun(f"{out} is not the name of a notebook (.ipynb).")
    if out.exists() and not is_results(out):
        raise CannotRerun(f"{out} exists and is not a results notebook. Name another with --out.")
    if not out.parent.is_dir():
        raise CannotRerun(f"The folder {out.parent} does not exist.")
    baseline = None
    if options.against is not None:
        before = {
            (entry["record"], name_of(entry), int(entry["repeat"])): entry
            for entry in read_results(options.against).entries
            if entry["state"] == "done"
        }
        baseline = {}
        for wanted in plan.wanted:
            request = wanted.request
            entry = before.get((request.record.hash, str(request.target), wanted.repeat))
            if entry is not None:
                baseline[wanted.key] = output_of(_reply(entry))
    fail_on = _listed(options.fail_on)
    unknown = set(fail_on) - set(FAILURES)
    if unknown:
        raise CannotRerun(f"--fail-on takes {', '.join(FAILURES)}, not {', '.join(unknown)}.")
    return Outputs(
        notebook=out,
        json=options.json,
        junit=options.junit,
        schema=_schema(options.schema),
        baseline=baseline,
        checks=options.check,
        fail_on=tuple(fail_on),
    )


def _schema(path: Path | None) -> Any:
    if path is None:
        return None
    from jsonschema.exceptions import SchemaError

    from .stats import json_check

    try:
        schema = json.loads(path.read_text(encoding="utf-8"))
        json_check(schema)
    except (ValueError, SchemaError) as error:
        raise CannotRerun(f"{path} is not a JSON schema: {error}") from error
    return schema


def _reply(entry: dict[str, Any]) -> Any:
    from .answer import Reply

    return Reply.of(entry["reply"])


def _check_prices(plan: Plan, costs: Costs) -> None:
    for target in plan.targets:
        if costs.price(target) is None:
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
    print(table(told, entries))
    print(f"{options.out}: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
    if "unknown" in counts or "broken" in counts:
        print("Unknown and broken ones were not repeated. --again sends them once more.")


def _beside(out: Path) -> Path:
    return out.with_name(f"{out.stem}.rerun.sqlite")


def _listed(values: Sequence[str]) -> list[str]:
    return [each for value in values for each in value.split(",") if each]
