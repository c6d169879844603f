"""Makes plans of what pages want to rerun, with the providers and prices of a server."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..base.places import NoPlace, Places
from ..providers.ask import Price
from ..providers.catalog import ModelCatalog
from ..providers.registry import ProviderRegistry
from .answer import Json
from .costs import Costs, prices_of, unpriced
from .found import Found, Seen, find, free_name, read_files
from .payload import CannotReplace, parse_change
from .plan import CannotRerun, Plan, Record, make_plan
from .reading import check_out

MOST_WANTED = 100_000
"""How many replies one rerun may want."""


@dataclass(frozen=True)
class Planned:
    """A plan and what belongs to it."""

    plan: Plan
    costs: Costs
    name: str
    """Names what is sent: the same records, models, options and repeats have the same name."""


class Planner:
    """Reads a `RerunWish`. All of it may take long; call it in a thread."""

    def __init__(
        self, places: Places, registry: ProviderRegistry, catalog: ModelCatalog, journal: Path
    ) -> None:
        self.places = places
        self._registry = registry
        self._catalog = catalog
        self._journal = journal
        self._seen = Seen()

    def find(self, wish: Json) -> Found:
        """The records that are wanted."""
        return find(wish["source"], self.places, self._journal, self._seen)

    def read(self, paths: Sequence[str], wish: Json) -> Planned:
        """The plan for records in these files."""
        return self.plan(read_files(paths, self.places), wish)

    def plan(self, records: Sequence[Record], wish: Json) -> Planned:
        """The plan for these records; raises `CannotRerun`."""
        if not records:
            raise CannotRerun("There is no record that can be rerun.")
        if len(records) * max(1, len(wish["models"])) * wish["repeats"] > MOST_WANTED:
            raise CannotRerun(
                f"That is more than {MOST_WANTED} requests. Choose fewer records, models or repeats."
            )
        names = self._registry.names()
        try:
            changes = [parse_change(text) for text in wish["set"]]
        except CannotReplace as error:
            raise CannotRerun(str(error)) from error
        plan = make_plan(
            records, wish["models"], changes, wish["repeats"], lambda name: name in names
        )
        costs = prices_of(plan, self._registry, self._prices(plan, wish))
        if wish["maxCost"] is not None:
            for target in unpriced(plan, costs):
                raise CannotRerun(
                    f"The price of {target} is not known, so a limit of cost cannot be kept. Set "
                    "its price in the settings of Turnbook, or limit the requests instead."
                )
        keys = "\n".join(wanted.key for wanted in plan.wanted)
        return Planned(plan, costs, hashlib.sha256(keys.encode()).hexdigest())

    def out(self, wish: Json, found: Found) -> str:
        """Where results go."""
        given = wish.get("out")
        return given.strip("/") if given else free_name(found.beside, self.places)

    def place(self, out: str) -> Path:
        """Where results are written; raises `CannotRerun` if they cannot be."""
        try:
            at = self.places.place(out)
        except NoPlace as error:
            raise CannotRerun(str(error)) from error
        check_out(at, out)
        return at

    def exists(self, out: str) -> bool:
        """Whether there are such results."""
        try:
            return self.places.place(out).exists()
        except NoPlace:
            return False

    def _prices(self, plan: Plan, wish: Json) -> dict[str, Price]:
        found: dict[str, Price] = {}
        for target in plan.targets:
            given = wish["prices"].get(str(target))
            listed = self._catalog.known_price(target.provider, target.model)
            if given is not None:
                found[str(target)] = Price(float(given["input"]), float(given["output"]))
            elif listed is not None:
                found[str(target)] = listed
        return found
