"""The API contract, `openapi.yaml`, as JSON Schema validators."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema
import yaml
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import best_match

FILE = Path(__file__).parent / "openapi.yaml"

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser of libyaml, ten times as fast as Python's own; not every build of PyYAML has it."""

_MESSAGE = "NewRun"
"""What everybody who sends a message waits for."""

_METHODS = ("get", "put", "post", "delete")
_SCHEMAS = "#/components/schemas/"


class ContractError(ValueError):
    """A value that the contract does not allow; the message says where and why."""


def load() -> None:
    """Read the contract, so that the first message of a page does not wait for it."""
    for name in ("ClientMessage", _MESSAGE):
        validator(name)
        _kinds(name)
    _compiled(_MESSAGE)


@cache
def document() -> dict[str, Any]:
    """The parsed contract."""
    # Both are safe loaders.
    loaded: dict[str, Any] = yaml.load(FILE.read_text("utf-8"), LOADER)
    return loaded


def operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Every operation by its id, as (path, method, operation)."""
    return {
        operation["operationId"]: (path, method, operation)
        for path, item in document()["paths"].items()
        for method, operation in item.items()
        if method in _METHODS
    }


def check(name: str, value: Any) -> Any:
    """Return `value` if it fits a named schema or the request body of a named operation."""
    # Where one kind of several can fit, trying them all takes several times as long.
    kinds = _kinds(name)
    named = kinds.keys() & value.keys() if isinstance(value, dict) else ()
    if len(named) == 1 and kinds[next(iter(named))].is_valid(value):
        return value
    if name == _MESSAGE and _surely_fits(name, value):
        return value
    error = best_match(validator(name).iter_errors(value))
    if error is not None:
        # The value itself is not quoted: it may contain a key.
        why = f"does not fit {error.validator} {error.validator_value!r}"
        if error.validator in ("required", "additionalProperties"):
            why = error.message
        raise ContractError(f"{error.json_path}: {why[:300]}")
    return value


def _surely_fits(name: str, value: Any) -> bool:
    """Whether a value fits, in a tenth of the time; false also where only the slow check can tell."""
    try:
        _compiled(name)(value)
    except fastjsonschema.JsonSchemaValueException:
        return False
    return True


@cache
def _compiled(name: str) -> Callable[[Any], Any]:
    compiled: Callable[[Any], Any] = fastjsonschema.compile(_named()[name], use_default=False)
    return compiled


@cache
def validator(name: str) -> Draft202012Validator:
    """The validator of a schema in `components`, or of the request body of an operation."""
    schemas = document()["components"]["schemas"]
    if name in schemas:
        schema = schemas[name]
    else:
        body = operations()[name][2]["requestBody"]
        schema = body["content"]["application/json"]["schema"]
    return schema_validator(schema)


@cache
def _kinds(name: str) -> dict[str, Draft202012Validator]:
    """The validators of what a schema offers to choose from, if one required key tells which it is."""
    offered = document()["components"]["schemas"].get(name, {}).get("oneOf", [])
    keys = [kind.get("required", []) for kind in offered]
    if any(len(key) != 1 for key in keys) or len({*map(tuple, keys)}) < len(keys):
        return {}
    return {key: schema_validator(kind) for [key], kind in zip(keys, offered, strict=True)}


def schema_validator(schema: dict[str, Any]) -> Draft202012Validator:
    """The validator of any schema written in the contract's dialect."""
    root = {**_as_json_schema(schema), "components": {"schemas": _named()}}
    return Draft202012Validator(root, format_checker=FormatChecker())


@cache
def _named() -> dict[str, Any]:
    schemas = document()["components"]["schemas"]
    return {name: _as_json_schema(schema, (name,)) for name, schema in schemas.items()}


def _as_json_schema(node: Any, within: tuple[str, ...] = ()) -> Any:
    """A part of the contract; `within` names the schemas that it is in."""
    # OpenAPI 3.0 has its own keywords for null and for exclusive bounds.
    if isinstance(node, list):
        return [_as_json_schema(item, within) for item in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("$ref"), str):
        # Looking it up takes most of the time of a check, so it is put in its place, unless that is
        # in itself. OpenAPI 3.0 ignores what is beside it.
        name = node["$ref"].removeprefix(_SCHEMAS)
        if name in within:
            return node
        return _as_json_schema(document()["components"]["schemas"][name], (*within, name))
    made = {key: _as_json_schema(value, within) for key, value in node.items()}
    if made.get("exclusiveMinimum") is True:
        made["exclusiveMinimum"] = made.pop("minimum")
    if made.pop("nullable", None) is True:
        return {"anyOf": [{"type": "null"}, made]}
    return made
