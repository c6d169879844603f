"""Prices of models whose provider does not list them, from the package `genai-prices`.

The package brings its list with it; nothing is asked for over the network. A service is known by
its base URL: a model's name alone does not say what a server charges for it.
"""

from __future__ import annotations

import logging
import math
import re
import threading
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from ..base.http import is_loopback
from .ask import ModelInfo, Price, today

_CHECKED = re.compile(r"(?:checked|as of|verified|on) (\d{4}-\d\d-\d\d)", re.IGNORECASE)
_LOG = logging.getLogger(__name__)


class PriceList:
    """The list of prices; loading it takes half a second, so it is loaded when it is needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded = False
        self._list: Any = None
        self._as_of: str | None = None

    def fill(self, base_url: str, models: list[ModelInfo]) -> list[ModelInfo]:
        """The models, with prices where the list has them and the provider has not."""
        if is_loopback(base_url) or all(info.price is not None for info in models):
            return models
        with self._lock:
            self._load()
            if self._list is None:
                return models
            try:
                service = self._list.find_provider(None, None, base_url)
            except LookupError:
                return models
            return [
                info if info.price is not None else self._priced(service, info) for info in models
            ]

    def _priced(self, service: Any, info: ModelInfo) -> ModelInfo:
        try:
            _, found = self._list.find_provider_model(
                info.model.removeprefix("models/"), service, None, None
            )
            listed = found.get_prices(datetime.now(tz=timezone.utc))
        except LookupError:
            return info
        read, cached, written = (
            _dollars(getattr(listed, name, None))
            for name in ("input_mtok", "cache_read_mtok", "output_mtok")
        )
        if read is None or written is None:
            return info
        price = Price(read, written, cached, source="genai-prices", as_of=self._as_of)
        return replace(info, price=price)

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        try:
            from genai_prices import data_snapshot
        except ImportError:
            # It needs a newer Python.
            _LOG.debug("turnbook: genai-prices is not installed, so fewer prices are known")
            return
        self._list = data_snapshot.get_snapshot()
        self._as_of = _date_of(self._list.providers)


def _dollars(value: Any) -> float | None:
    # Some prices grow with the length of the request; the first one holds for short ones.
    value = getattr(value, "base", value)
    if value is None:
        return None
    dollars = float(value)
    return dollars if math.isfinite(dollars) and dollars >= 0 else None


def _date_of(services: list[Any]) -> str | None:
    """The latest date on which the list says that a price was checked."""
    said = [
        each.price_comments or "" for service in services for each in (service, *service.models)
    ]
    dates = [date for text in said for date in _CHECKED.findall(text) if date <= today()]
    return max(dates, default=None)
