"""Results as logs of Inspect (https://inspect.aisi.org.uk), one for each model.

A record is a sample, a repeat is an epoch, and the user's checks are scores.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

from ..base import dialect
from ..runs.usage import facts
from .answer import Json, Reply
from .notebook import name_of, record_names
from .payload import changes_in
from .plan import body_of
from .reading import Results

_STOPS = {
    "stop": "stop",
    "length": "max_tokens",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}


def inspect_logs(made: Results) -> dict[str, Json]:
    """The logs by file name."""
    models = dict.fromkeys(map(name_of, made.entries))
    logs = {}
    for model in models:
        log = _log(made, model, [entry for entry in made.entries if name_of(entry) == model])
        created = log["eval"]["created"].replace(":", "-")
        logs[f"{created}_rerun_{log['eval']['task_id']}.json"] = log
    return logs


def _log(made: Results, model: str, entries: Sequence[Json]) -> Json:
    records = {record["hash"]: record for record in made.results["records"]}
    changes = changes_in(made.results["options"])
    names = record_names(made.results)
    name = hashlib.sha256(f"{made.results['digest']} {model}".encode()).hexdigest()[:22]
    sent = [entry["response"]["sentAt"] for entry in entries if entry["response"]]
    samples = [
        _sample(
            entry,
            names[entry["record"]],
            body_of(records[entry["record"]]["payload"], entry["model"], changes),
        )
        for entry in entries
        if _was_sent(entry)
    ]
    completed = sum(entry["state"] == "done" for entry in entries)
    return {
        "version": 2,
        "status": "success" if completed == len(entries) else "error",
        "eval": {
            "eval_id": name,
            "run_id": name,
            "task_id": name,
            "task": "rerun",
            "task_version": 0,
            "created": _time(min(sent, default=0)),
            "dataset": {
                "name": "records",
                "samples": len(records),
                "sample_ids": list(names.values()),
            },
            "model": model,
            "config": {"epochs": int(made.results["repeats"])},
            "packages": {},
            "metadata": {
                "options": made.results["options"],
                "turnbook_digest": made.results["digest"],
            },
        },
        "plan": {"name": "plan", "steps": []},
        "results": {
            "total_samples": len(entries),
            "completed_samples": completed,
            "scores": [],
        },
        "stats": {
            "started_at": _time(min(sent, default=0)),
            "completed_at": _time(max(sent, default=0)),
            "model_usage": {},
        },
        "samples": samples,
        **({} if completed == len(entries) else {"error": _error("Some replies are missing.")}),
    }


def _sample(entry: Json, name: str, body: bytes) -> Json:
    messages = _messages(json.loads(body)["messages"])
    output = _output(entry)
    usage = output["usage"]
    sample: Json = {
        "id": name,
        "epoch": int(entry["repeat"]),
        "input": messages,
        "target": "",
        "messages": [*messages, *(choice["message"] for choice in output["choices"])],
        "output": output,
        "metadata": {
            "payload_sha256": entry["record"],
            "request_sha256": entry["request"],
            "response_sha256": (entry["response"] or {}).get("hash"),
            "key": entry["key"],
            "state": entry["state"],
            "changed": entry["changed"],
        },
        "store": {},
        "events": [],
        "model_usage": {name_of(entry): usage} if usage else {},
        "attachments": {},
    }
    if entry["checks"]:
        sample["scores"] = {check["name"]: _score(check) for check in entry["checks"]}
    if entry["state"] != "done":
        sample["error"] = _error(entry["outcome"]["message"] or entry["state"])
    return sample


def _output(entry: Json) -> Json:
    reply = Reply.of(entry["reply"])
    content: Any = reply.content
    if reply.reasoning:
        content = [
            {"type": "reasoning", "reasoning": reply.reasoning},
            {"type": "text", "text": reply.content},
        ]
    message: Json = {
        "role": "assistant",
        "content": content,
        "source": "generate",
        "model": reply.model or entry["model"],
    }
    if reply.tool_calls:
        message["tool_calls"] = [
            _call(call["id"], call["name"], call["arguments"]) for call in reply.tool_calls
        ]
    read, cached, written, _ = facts(reply.usage or {})
    usage = None
    if read is not None and written is not None:
        usage = {
            "input_tokens": int(read),
            "output_tokens": int(written),
            "total_tokens": int(read + written),
            "input_tokens_cache_read": None if cached is None else int(cached),
            "total_cost": entry["cost"],
        }
    ended = (entry["response"] or {}).get("ended")
    return {
        "model": reply.model or entry["model"],
        "choices": [{"message": message, "stop_reason": _STOPS.get(reply.finish or "", "unknown")}],
        "completion": reply.content,
        "usage": usage,
        "time": None if ended is None else ended / 1000,
    }


def _messages(sent: Any) -> list[Json]:
    # An option may have put anything into a request.
    listed = sent if isinstance(sent, list) else [sent]
    return [_message(each if isinstance(each, dict) else {"content": each}) for each in listed]


def _message(message: Json) -> Json:
    role = message.get("role")
    made: Json = {
        "role": _ROLES.get(str(role), "user"),
        "content": _content(message.get("content")),
    }
    if role == "tool":
        made |= {"role": "tool", "tool_call_id": str(message.get("tool_call_id", ""))}
    calls = message.get("tool_calls")
    if role == "assistant" and isinstance(calls, list):
        functions = [(call, call.get("function", {})) for call in calls if isinstance(call, dict)]
        made["tool_calls"] = [
            _call(str(call.get("id", "")), str(to.get("name", "")), str(to.get("arguments", "")))
            for call, to in functions
        ]
    return made


def _content(content: Any) -> Any:
    if isinstance(content, str) or content is None:
        return content or ""
    parts = []
    for part in content if isinstance(content, list) else [content]:
        image = part.get("image_url") if isinstance(part, dict) else None
        if isinstance(image, dict) and isinstance(image.get("url"), str):
            parts.append({"type": "image", "image": image["url"]})
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            parts.append({"type": "text", "text": part["text"]})
        else:
            # Inspect has no such part; the text of it is all there.
            parts.append({"type": "text", "text": json.dumps(part)})
    return parts


def _call(name: str, function: str, arguments: str) -> Json:
    made: Json = {"id": name, "function": function, "type": "function"}
    try:
        parsed = dialect.parse(arguments or "{}")
    except ValueError as error:
        return {**made, "arguments": {}, "parse_error": f"{error}: {arguments}"}
    return {**made, "arguments": parsed if isinstance(parsed, dict) else {"value": parsed}}


def _score(check: Json) -> Json:
    return {"value": "C" if check["passed"] else "I", "explanation": check["message"] or None}


def _error(message: str) -> Json:
    return {"message": message, "traceback": "", "traceback_ansi": ""}


def _was_sent(entry: Json) -> bool:
    return bool(entry["state"] != "missing")


def _time(milliseconds: float) -> str:
    return datetime.fromtimestamp(milliseconds // 1000, tz=timezone.utc).isoformat()
