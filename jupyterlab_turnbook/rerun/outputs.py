"""What the command writes and how it judges; all that can be wrong is found before it sends."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .answer import Reply
from .checks import probe_checks
from .limits import FAILURES
from .notebook import name_of
from .plan import CannotRerun, Plan
from .reading import check_out, read_results
from .recorded import recorded_reply
from .session import Outputs
from .stats import output_of


def outputs_of(options: argparse.Namespace, plan: Plan) -> Outputs:
    """The outputs that are asked for; raises `CannotRerun` if one of them cannot be had."""
    check_out(options.out)
    for path in (options.out, options.json, options.junit):
        if path is not None:
            _probe(path)
    baseline = None if options.against is None else _baseline(options.against, plan)
    fail_on = tuple(each for value in options.fail_on for each in value.split(",") if each)
    _check_fail_on(options, plan, baseline, fail_on)
    schema = None if options.schema is None else _schema(options.schema)
    if options.check is not None:
        probe_checks(options.check)
    return Outputs(
        notebook=options.out,
        json=options.json,
        junit=options.junit,
        schema=schema,
        baseline=baseline,
        checks=options.check,
        fail_on=fail_on,
    )


def _probe(path: Path) -> None:
    if path.is_dir():
        raise CannotRerun(f"{path} is a folder, not a file that can be written.")
    try:
        # Files are made beside it, and replace it.
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise CannotRerun(f"{path} cannot be written: {error.strerror}.") from error


def _baseline(path: Path, plan: Plan) -> dict[str, str]:
    before = {
        (entry["record"], name_of(entry), int(entry["repeat"])): entry
        for entry in read_results(path).entries
        if entry["state"] == "done"
    }
    found = {}
    for wanted in plan.wanted:
        request = wanted.request
        entry = before.get((request.record.hash, str(request.target), wanted.repeat))
        if entry is not None:
            found[wanted.key] = output_of(Reply.of(entry["reply"]))
    return found


def _check_fail_on(
    options: argparse.Namespace,
    plan: Plan,
    baseline: Mapping[str, str] | None,
    fail_on: tuple[str, ...],
) -> None:
    unknown = set(fail_on) - set(FAILURES)
    if unknown:
        raise CannotRerun(f"--fail-on takes {', '.join(FAILURES)}, not {', '.join(unknown)}.")
    if "check" in fail_on and options.check is None:
        raise CannotRerun("--fail-on check needs a file with checks. Name it with --check.")
    if "invalid" in fail_on and options.schema is None:
        raise CannotRerun("--fail-on invalid needs a JSON schema. Name it with --schema.")
    if "changed" not in fail_on:
        return
    if baseline is None:
        told = [wanted.request.record for wanted in plan.wanted if wanted.repeat == 1]
        alone = dict.fromkeys(each.name for each in told if recorded_reply(each) is None)
        if alone:
            raise CannotRerun(
                f"--fail-on changed: {', '.join(alone)} has no response to compare with. Name "
                "earlier results with --against."
            )
        return
    lacking = sum(wanted.key not in baseline for wanted in plan.wanted)
    if lacking:
        raise CannotRerun(
            f"--fail-on changed: {options.against} has nothing to compare with for {lacking} of "
            f"{len(plan.wanted)} replies. Rerun it with these records, models and repeats first."
        )


def _schema(path: Path) -> Any:
    from jsonschema.exceptions import SchemaError

    from .stats import probe_schema

    try:
        schema = json.loads(path.read_text(encoding="utf-8"))
        probe_schema(schema)
    except (ValueError, SchemaError) as error:
        raise CannotRerun(f"{path} is not a JSON schema: {error}") from error
    return schema
