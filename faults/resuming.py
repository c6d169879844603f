"""Waiting until a broken turn goes on by itself, and asking for it where only the user may."""

from __future__ import annotations

from collections.abc import Callable

from .notebook import Run
from .page import Page

# The states in which the server leaves it to the user to send again.
ONLY_BY_HAND = ("unknown",)
_REFUSALS = 2


async def to_the_end(page: Page, timeout: float = 40) -> None:
    """Follow a turn until it is done, retrying by hand what the server must not send by itself.

    Who is told that the journal cannot be used, such as by the request that finds out that it is
    damaged, tries again.
    """
    refused = 0
    while True:
        if not await page.until(lambda page: page.settled, timeout):
            return
        run = page.newest
        if run is None or run["state"] not in ONLY_BY_HAND:
            return
        answer = await page.retry(now=True)
        if answer.status_code == 503 and refused < _REFUSALS:
            refused += 1
        elif not await page.until(_newer_than(run), timeout):
            return


def _newer_than(run: Run) -> Callable[[Page], bool]:
    return lambda page: page.newest is not None and page.newest["attempt"] > run["attempt"]
