"""The contract is a valid OpenAPI document, and what checks against it does check."""

from __future__ import annotations

import pytest
from openapi_core import OpenAPI

from jupyterlab_turnbook import contract


def test_the_document_is_valid() -> None:
    OpenAPI.from_dict(contract.document()).check_spec()


def test_every_operation_is_named_once() -> None:
    methods = sum(
        method in ("get", "put", "post", "delete")
        for item in contract.document()["paths"].values()
        for method in item
    )
    assert len(contract.operations()) == methods


def test_null_and_open_bounds_are_understood() -> None:
    contract.check("ProviderInput", {"baseUrl": "x", "key": None, "timeouts": {"connect": 0.1}})
    with pytest.raises(contract.ContractError, match=r"\$\.timeouts\.connect"):
        contract.check("ProviderInput", {"baseUrl": "x", "timeouts": {"connect": 0}})
    with pytest.raises(contract.ContractError, match=r"\$\.baseUrl"):
        contract.check("ProviderInput", {"baseUrl": None})


def test_an_error_does_not_quote_the_value() -> None:
    for value in ({"baseUrl": "x", "models": "sk-canary"}, "sk-canary", {"key": "sk-canary"}):
        with pytest.raises(contract.ContractError) as caught:
            contract.check("ProviderInput", value)
        assert "sk-canary" not in str(caught.value)
