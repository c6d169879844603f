"""Prices of models whose provider does not list them."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from datetime import date

import pytest

from jupyterlab_turnbook.providers.ask import ModelInfo, Price, today
from jupyterlab_turnbook.providers.prices import PriceList

OPENAI = "https://api.openai.com/v1"

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="the list needs Python 3.11")


def prices_at(base_url: str, *names: str) -> list[Price | None]:
    """The prices that these models get."""
    return [info.price for info in PriceList().fill(base_url, [ModelInfo(n, None) for n in names])]


def test_a_service_that_lists_no_prices_has_some() -> None:
    (price,) = prices_at(OPENAI, "gpt-4o-mini")
    assert price is not None and price.cached is not None and price.as_of is not None
    assert 0 < price.cached < price.input < price.output < 100
    assert date(2026, 1, 1) <= date.fromisoformat(price.as_of) <= date.fromisoformat(today())
    assert price.json() == {
        "input": price.input,
        "output": price.output,
        "cached": price.cached,
        "source": "genai-prices",
        "asOf": price.as_of,
    }


def test_a_price_that_grows_with_the_request_is_that_of_a_short_one() -> None:
    url = "https://generativelanguage.googleapis.com/v1beta/openai"
    one, other = prices_at(url, "gemini-2.5-pro", "models/gemini-2.5-pro")
    assert one is not None and one == other and 0 < one.input < one.output


@pytest.mark.parametrize(
    ("base_url", "model"),
    [
        (OPENAI, "no-such-model"),
        # It has no price for what it writes.
        (OPENAI, "text-embedding-3-small"),
        ("https://llm.example.org/v1", "gpt-4o-mini"),
        ("http://127.0.0.1:8000/v1", "gpt-4o-mini"),
        ("http://localhost:4000/v1", "openai/gpt-4o-mini"),
    ],
)
def test_what_nobody_knows_has_no_price(base_url: str, model: str) -> None:
    assert prices_at(base_url, model) == [None]


def test_what_the_provider_says_counts() -> None:
    own = Price(1, 2, as_of="2026-01-01")
    told = [ModelInfo("gpt-4o-mini", None, own), ModelInfo("gpt-4o", None)]
    first, second = PriceList().fill(OPENAI, told)
    assert first.price is own
    assert second.price is not None and second.price.source == "genai-prices"


def test_the_list_is_loaded_only_when_needed_and_asks_nobody() -> None:
    script = """
        import socket, sys, threading

        def refuse(*args, **kwargs):
            raise AssertionError("it uses the network")

        import jupyterlab_turnbook.app
        from jupyterlab_turnbook.providers.ask import ModelInfo
        from jupyterlab_turnbook.providers.prices import PriceList
        socket.socket.connect = socket.getaddrinfo = refuse
        PriceList().fill("http://127.0.0.1:1/v1", [ModelInfo("m", None)])
        assert "genai_prices" not in sys.modules
        threads = threading.active_count()
        (info,) = PriceList().fill("https://api.openai.com/v1", [ModelInfo("gpt-4o", None)])
        assert info.price is not None
        assert threading.active_count() == threads
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_without_the_package_nothing_has_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert prices_at(OPENAI, "gpt-4o-mini") == [None]
