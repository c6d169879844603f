"""The results notebook: a table of records and models, then each reply in a cell."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from ..records.javascript import canonical, dumps, well_formed
from ..records.projection import call_text, fenced, inline, notebook_of
from .answer import Json
from .stats import Stats, stats_of

KEY = "turnbook_result"

_SAID = {
    "missing": "*Not sent yet.*",
    "unknown": "*Unknown, not repeated.*",
    "refused": "*Refused.*",
    "broken": "*The reply ended early.*",
}
_HEAD = (
    "Record",
    "Model",
    "Replies",
    "Distinct",
    "Agreement",
    "Tool calls",
    "JSON",
    "Characters",
    "First token",
    "Time",
    "Tokens in",
    "Tokens out",
    "Price",
    "Changed",
    "Checks",
)


def make_notebook(results: Json, entries: Sequence[Json]) -> Json:
    """The notebook of these results; the same results give the same notebook."""
    kept = {**results, "digest": digest_of(results, entries)}
    return notebook_of(result_cells(results, entries), {"results": kept})


def digest_of(results: Json, entries: Sequence[Json]) -> str:
    """The digest that binds all results together."""
    bound = {key: value for key, value in results.items() if key != "digest"}
    return hashlib.sha256(canonical({"results": bound, "entries": entries}).encode()).hexdigest()


def result_cells(results: Json, entries: Sequence[Json]) -> list[Json]:
    """All cells, from what the notebook's metadata say."""
    names = {record["hash"]: record["name"] for record in results["records"]}
    cells = [_markdown("results-head", _head(results, entries))]
    cells.append(_markdown("results-table", table(results, entries)))
    place = 0
    for record, mine in groupby(entries, key=lambda entry: entry["record"]):
        cells.append(_markdown(f"record-{record[:12]}", f"## {_plain(names[record])}"))
        for entry in mine:
            place += 1
            cells.append(_reply_cell(entry, names[record], results, place))
    return cells


def groups(entries: Iterable[Json]) -> list[tuple[Json, Stats]]:
    """The first entry and the statistics of each record and model."""
    made = []
    for _, some in groupby(entries, key=lambda each: (each["record"], name_of(each))):
        listed = list(some)
        made.append((listed[0], stats_of(listed)))
    return made


def name_of(entry: Json) -> str:
    """An entry's model, as provider/model."""
    return f"{entry['provider']}/{entry['model']}"


def record_names(results: Json) -> dict[str, str]:
    """The name of each record by its hash; those that share one, as of two folders, get a part of it."""
    names = {record["hash"]: record["name"] for record in results["records"]}
    counts = Counter(names.values())
    return {key: name if counts[name] == 1 else f"{name}-{key[:8]}" for key, name in names.items()}


def table(results: Json, entries: Iterable[Json]) -> str:
    """The statistics as a table in Markdown; columns that say nothing are left out."""
    names = {record["hash"]: record["name"] for record in results["records"]}
    rows = [
        [_plain(names[first["record"]]), _plain(name_of(first)), *_numbers(stats)]
        for first, stats in groups(entries)
    ]
    shown = [n for n in range(len(_HEAD)) if n < 5 or any(row[n] for row in rows)]
    lines = [[_HEAD[n] for n in shown], ["---" if n < 2 else "--:" for n in shown]]
    lines += [[row[n] for n in shown] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write_atomically(path: Path, text: str) -> None:
    """Replace a file as a whole; on any failure the old one stays."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def written(notebook: Json) -> str:
    """The text of a notebook's file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _head(results: Json, entries: Sequence[Json]) -> str:
    states = [entry["state"] for entry in entries]
    lines = [
        "# Rerun",
        "",
        f"{_many(len(results['records']), 'record')}, "
        f"{_many(len({name_of(entry) for entry in entries}), 'model')}, "
        f"{_many(int(results['repeats']), 'repeat')}: "
        f"{states.count('done')} of {len(entries)} replies.",
    ]
    told = {
        "missing": "not sent yet",
        "refused": "refused",
        "broken": "ended early",
        "unknown": "unknown: sent, but no reply was stored; not repeated",
    }
    lines += [
        f"- {states.count(state)} {words}" for state, words in told.items() if state in states
    ]
    lines += [
        "",
        "Each request is a record's payload with only the model"
        + (" and these options" if results["options"] else "")
        + " replaced. `jupyter turnbook verify` checks this notebook.",
    ]
    if results["options"]:
        lines += ["", fenced("json", str(well_formed(dumps(results["options"], 2))))]
    return "\n".join(lines)


def _reply_cell(entry: Json, name: str, results: Json, place: int) -> Json:
    said = f"{name} · {name_of(entry)} · {int(entry['repeat'])} of {int(results['repeats'])}"
    shown = _shown(entry)
    return {
        "cell_type": "code",
        "id": f"reply-{place}-{entry['key'][:12]}",
        "metadata": {KEY: entry},
        "execution_count": None,
        "source": f"{well_formed(said)}\nrequest sha256 {entry['request']}",
        "outputs": [
            {"output_type": "display_data", "data": {"text/markdown": shown}, "metadata": {}}
        ],
    }


def _shown(entry: Json) -> str:
    reply, outcome = entry["reply"], entry["outcome"]
    parts = [] if entry["state"] == "done" else [_SAID[entry["state"]]]
    if outcome and outcome["message"]:
        parts.append(_plain(outcome["message"]))
    if reply["reasoning"]:
        parts.append("**Reasoning**\n\n" + fenced("", reply["reasoning"]))
    if reply["content"]:
        parts.append(reply["content"])
    for call in reply["tool_calls"]:
        parts += call_text({"function": call})
    failed = [check for check in entry["checks"] if not check["passed"]]
    parts += [f"**Check {inline(check['name'])}**: {_plain(check['message'])}" for check in failed]
    return "\n\n".join(parts) if parts else "*(empty reply)*"


def _numbers(stats: Stats) -> list[str]:
    tools = ", ".join(f"{_code(name)} {count}x" for name, count in stats.tools.items())
    length = stats.length
    return [
        f"{stats.done}/{stats.wanted}",
        str(stats.distinct),
        "" if stats.agreement is None else f"{stats.agreement:.0%}",
        tools,
        "" if stats.valid is None else f"{int(stats.valid)}/{stats.done}",
        "" if length is None else _range(*length),
        _seconds(stats.first_ms),
        _seconds(stats.took_ms),
        _count(stats.input),
        _count(stats.output),
        # Two bare dollar signs would make a formula of all that is between them.
        "" if stats.cost is None else _plain(f"${stats.cost:.6f}"),
        "" if stats.changed is None else f"{stats.changed}/{stats.done}",
        "" if stats.checks is None else f"{stats.checks[0]}/{stats.checks[1]}",
    ]


def _many(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def _range(least: int, middle: float, most: int) -> str:
    return f"{least}" if least == most else f"{middle:g} ({least} to {most})"


def _seconds(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds / 1000:.2f} s"


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _code(text: str) -> str:
    return inline(" ".join(text.split()).replace("|", "\\|"))


def _plain(text: Any) -> str:
    """One line that neither ends a table's cell nor begins anything in Markdown."""
    line = " ".join(str(well_formed(text)).split())
    return "".join(f"\\{sign}" if sign in "\\|*_<>[]#`$~" else sign for sign in line)


def _markdown(name: str, text: str) -> Json:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
