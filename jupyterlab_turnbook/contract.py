"""The API contract, `openapi.yaml`, as JSON Schema validators."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import best_match

FILE = Path(__file__).parent / "openapi.yaml"

_METHODS = ("get", "put", "post", "delete")


class ContractError(ValueError):
    """A value that the contract does not allow; the message says where and why."""


@cache
def document() -> dict[str, Any]:
    """The parsed contract."""
    loaded: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
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
    error = best_match(validator(name).iter_errors(value))
    if error is not None:
        # The value itself is not quoted: it may contain a key.
        why = f"does not fit {error.validator} {error.validator_value!r}"
        if error.validator in ("required", "additionalProperties"):
            why = error.message
        raise ContractError(f"{error.json_path}: {why[:300]}")
    return value


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


def schema_validator(schema: dict[str, Any]) -> Draft202012Validator:
    """The validator of any schema written in the contract's dialect."""
    root = _as_json_schema(schema)
    root["components"] = _as_json_schema({"schemas": document()["components"]["schemas"]})
    return Draft202012Validator(root, format_checker=FormatChecker())


def _as_json_schema(node: Any) -> Any:
    # OpenAPI 3.0 has its own keywords for null and for exclusive bounds.
    if isinstance(node, list):
        return [_as_json_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {key: _as_json_schema(value) for key, value in node.items()}
    if made.get("exclusiveMinimum") is True:
        made["exclusiveMinimum"] = made.pop("minimum")
    if made.pop("nullable", None) is True:
        return {"anyOf": [{"type": "null"}, made]}
    return made
