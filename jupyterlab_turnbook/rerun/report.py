"""Reports of results for programs: JSON and JUnit's XML."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree

from .answer import Json
from .notebook import groups, name_of, record_names

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def why_failed(entry: Json, on: Sequence[str]) -> list[str]:
    """Why a result counts as failed."""
    found = []
    if "failed" in on and entry["state"] != "done":
        message = entry["outcome"]["message"] if entry["outcome"] else ""
        found.append(f"{entry['state']}: {message}".rstrip(": "))
    if "changed" in on and entry["changed"]:
        found.append("changed: it is not the reply that it is compared with")
    if "changed" in on and entry["state"] == "done" and entry["changed"] is None:
        found.append("not compared: there is no reply that it can be compared with")
    if "invalid" in on and entry["valid"] is False:
        found.append("invalid: it is not JSON that the schema allows")
    if "check" in on:
        found += [
            f"{check['name']}: {check['message']}"
            for check in entry["checks"]
            if not check["passed"]
        ]
    return found


def json_report(results: Json, entries: Sequence[Json], on: Sequence[str]) -> str:
    """Statistics of each record and model, and all replies."""
    names = record_names(results)
    report = {
        "options": results["options"],
        "repeats": results["repeats"],
        "groups": [
            {
                "record": names[first["record"]],
                "payload": first["record"],
                "model": name_of(first),
                **stats.json(),
            }
            for first, stats in groups(entries)
        ],
        "replies": [
            {**entry, "recordName": names[entry["record"]], "failures": why_failed(entry, on)}
            for entry in entries
        ],
    }
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"


def junit_report(results: Json, entries: Sequence[Json], on: Sequence[str]) -> str:
    """One suite for each record and model, one case for each reply.

    Without `on`, what has no whole reply is an error and a failed check is a failure.
    """
    names = record_names(results)
    root = ElementTree.Element("testsuites", name="jupyter turnbook rerun")
    for (record, model), some in groupby(entries, lambda each: (each["record"], name_of(each))):
        mine = list(some)
        suite = ElementTree.SubElement(root, "testsuite", name=_clean(f"{names[record]} {model}"))
        errors = failed = 0
        for entry in mine:
            response = entry["response"] or {}
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=_clean(f"{names[record]}.{model}"),
                name=f"repeat {int(entry['repeat'])}",
                time=f"{(response.get('ended') or 0) / 1000:.3f}",
            )
            reasons = why_failed(entry, [*on, "failed", "check"])
            if reasons:
                is_error = entry["state"] != "done"
                errors, failed = errors + is_error, failed + (not is_error)
                kind = "error" if is_error else "failure"
                ElementTree.SubElement(
                    case, kind, message=_clean("; ".join(reasons))
                ).text = _clean(f"request sha256 {entry['request']}\n\n{entry['reply']['content']}")
        suite.set("tests", str(len(mine)))
        suite.set("errors", str(errors))
        suite.set("failures", str(failed))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
