"""The reruns of a server: previews, starts, stops, and what is left of those of a dead server."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

from ..base.places import NoPlace
from ..providers.private_file import PrivateFileError
from ..providers.registry import ProviderRegistry
from .answer import Json
from .estimate import estimate
from .found import Found, write_records
from .job import NOTHING, FromThread, Job, Task
from .kept import ALIVE, Kept
from .limits import Budget
from .plan import CannotRerun
from .planning import Planned, Planner
from .store import Store, StoreError, store_beside

_EVERY = 5.0
"""Seconds between two writes of how far a rerun is."""
_PATIENCE = 3.0
"""Seconds that replies under way are waited for when the server stops."""


class NoSuchRerun(KeyError):
    """No rerun has this id."""


class PlanChanged(Exception):
    """What would be sent is something else than the user saw."""


class Reruns:
    """Starts, lists and stops reruns. One goes on whether or not a page is open."""

    def __init__(
        self,
        planner: Planner,
        registry: ProviderRegistry,
        directory: Path,
        log: logging.Logger,
        *,
        active: Callable[[], None] = lambda: None,
        changed: Callable[[Json], None] = lambda rerun: None,
    ) -> None:
        self._planner = planner
        self._registry = registry
        self._log = log
        self._active = active
        self._changed = changed
        self._kept = Kept(directory, planner.places, log)
        self._jobs: dict[str, Job] = {}
        self._begun: dict[str, Json] = {}
        """What was kept of each job when it began; the file may not be readable later."""
        self._closing = False
        # A store can be open once only: for a preview, or for a rerun that begins.
        self._stores = asyncio.Lock()

    @property
    def activity(self) -> dict[str, str]:
        """The reruns under way."""
        return {each: "rerun" for each, job in self._jobs.items() if not job.is_over}

    async def all(self) -> list[Json]:
        """All reruns below this server's root, newest first."""
        for job in self._jobs.values():
            job.refresh()
        return await asyncio.to_thread(self._all)

    async def preview(self, wish: Json) -> Json:
        """What a rerun would send; the API's `RerunPreview`."""
        preview: Json = {
            "plan": "",
            "problem": "",
            "records": [],
            "refused": [],
            "folder": None,
            "out": wish.get("out", ""),
            "replaces": False,
            "requests": 0,
            "had": 0,
            "models": [],
        }
        try:
            found = await asyncio.to_thread(self._planner.find, wish)
            out = await asyncio.to_thread(self._planner.out, wish, found)
            preview |= {
                "records": [
                    {"name": name, "model": f"{each.provider}/{each.model}"}
                    for name, each in found.records
                ],
                "refused": [{"name": name, "why": why} for name, why in found.refused],
                "folder": found.folder,
                "out": out,
                "replaces": await asyncio.to_thread(self._planner.exists, out),
            }
            planned, at = await asyncio.to_thread(self._plan_found, found, wish, out)
            async with self._stores:
                preview |= await estimate(
                    planned.plan, planned.costs, at, Store(store_beside(at)), again=False
                )
            preview["plan"] = _shown(planned, replaces=preview["replaces"])
        except (CannotRerun, StoreError) as error:
            preview["problem"] = str(error)
        return preview

    async def start(self, rerun: str, wish: Json, plan: str) -> tuple[Json, bool]:
        """Start a rerun, if its plan is the one shown; the flag is False if it was started before.

        Raises `CannotRerun`, `StoreError` or `PlanChanged`; then nothing was sent.
        """
        async with self._stores:
            known = (await asyncio.to_thread(self._kept.all)).get(rerun)
            if known is not None:
                return self._view(rerun, known), False
            found = await asyncio.to_thread(self._planner.find, wish)
            out = await asyncio.to_thread(self._planner.out, wish, found)
            planned, _ = await asyncio.to_thread(self._plan_found, found, wish, out)
            replaces = await asyncio.to_thread(self._planner.exists, out)
            if _shown(planned, replaces=replaces) != plan:
                raise PlanChanged
            await asyncio.to_thread(write_records, found, self._planner.places)
            written = await asyncio.to_thread(self._planner.read, found.paths, wish)
            if written.name != planned.name:
                raise PlanChanged
            entry = {
                "root": self._planner.places.root,
                "createdAt": time.time_ns() // 1_000_000,
                "wish": {key: value for key, value in wish.items() if key != "source"},
                "out": out,
                "folder": found.folder,
                "paths": found.paths,
                "models": [str(target) for target in planned.plan.targets],
                "plan": planned.name,
                "total": len(planned.plan.wanted),
                "facts": NOTHING,
                "message": "",
            }
            return await self._begin(rerun, entry, planned, again=False), True

    async def go_on(self, rerun: str, *, again: bool) -> Json:
        """Send what is missing of a rerun. Raises what `start` raises, and `NoSuchRerun`."""
        async with self._stores:
            entry = await asyncio.to_thread(self._known, rerun)
            if self._state(rerun, entry) in ALIVE:
                return self._view(rerun, entry)
            planned = await asyncio.to_thread(self._planner.read, entry["paths"], entry["wish"])
            if planned.name != entry["plan"]:
                raise PlanChanged
            return await self._begin(rerun, entry, planned, again=again)

    async def stop(self, rerun: str, *, now: bool) -> Json:
        """Send nothing more of a rerun. Raises `NoSuchRerun` or `CannotRerun`."""
        job = self._jobs.get(rerun)
        if job is not None and not job.is_over:
            job.stop(now=now)
            return self._view(rerun, self._begun[rerun])
        entry = await asyncio.to_thread(self._known, rerun)
        if self._state(rerun, entry) in ALIVE:
            raise CannotRerun("Another Jupyter server sends this rerun. Stop it there.")
        return self._view(rerun, entry)

    async def forget(self, rerun: str) -> None:
        """Remove a rerun from the list. Raises `NoSuchRerun`, or `CannotRerun` if it is alive."""
        entry = await asyncio.to_thread(self._known, rerun)
        if self._state(rerun, entry) in ALIVE:
            raise CannotRerun("This rerun is still sending. Stop it first.")
        self._drop(rerun)
        await asyncio.to_thread(self._kept.remove, rerun)

    async def close(self) -> None:
        """End all reruns; they can be continued by the next server."""
        self._closing = True
        jobs = [job for job in self._jobs.values() if not job.is_over]
        for job in jobs:
            job.stop()
        for job in jobs:
            await asyncio.to_thread(job.join, _PATIENCE)
            if job.is_alive():
                job.stop(now=True)
                await asyncio.to_thread(job.join)
        self._kept.close()

    def _plan_found(self, found: Found, wish: Json, out: str) -> tuple[Planned, Path]:
        """The plan for what was found, and where its results go; raises `CannotRerun`."""
        planned = self._planner.plan([record for _, record in found.records], wish)
        if found.folder is not None and out.startswith(f"{found.folder}/"):
            # Records are written there first; the folder may not exist yet.
            try:
                folder = self._planner.places.place(found.folder)
            except NoPlace as error:
                raise CannotRerun(str(error)) from error
            if not folder.exists() and "/" not in out.removeprefix(f"{found.folder}/"):
                return planned, folder / out.rpartition("/")[2]
        return planned, self._planner.place(out)

    async def _begin(self, rerun: str, entry: Json, planned: Planned, *, again: bool) -> Json:
        self._refuse_if_closing()
        out = await asyncio.to_thread(self._planner.place, entry["out"])
        loop = asyncio.get_running_loop()
        wish = entry["wish"]
        task = Task(
            planned.plan,
            planned.costs,
            out,
            store_beside(out),
            Budget(wish["maxRequests"], wish["maxCost"]),
            again,
        )
        saved = time.monotonic()

        def told() -> None:
            nonlocal saved
            if not job.is_over and (job.has_ended or time.monotonic() - saved > _EVERY):
                saved = time.monotonic()
                self._save(rerun, job, owner)
            if job.has_ended and not job.is_over:
                # It is heard of once that is kept.
                return
            try:
                loop.call_soon_threadsafe(self._hear, rerun, job)
            except RuntimeError:
                # The server has ended.
                self._log.debug("turnbook: a rerun outlived its server")

        providers = FromThread(self._registry, loop)
        job = Job(task, providers, self._log, told, entry["facts"])
        owner = await asyncio.to_thread(lambda: self._kept.owner.id)
        earlier = entry
        entry = {**entry, "state": "running", "owner": owner, "message": ""}
        # On the disk before anything is sent: a server that starts after a crash knows of it.
        await asyncio.to_thread(self._kept.put, rerun, entry)
        try:
            self._refuse_if_closing()
        except CannotRerun:
            # Nobody would stop it any more.
            await asyncio.to_thread(self._put_back, rerun, earlier)
            raise
        before = self._jobs.get(rerun)
        self._jobs[rerun], self._begun[rerun] = job, entry
        await job.begin()
        if not job.has_opened:
            if before is None and entry["facts"] is NOTHING:
                self._drop(rerun)
                await asyncio.to_thread(self._kept.remove, rerun)
            raise StoreError(job.message)
        self._active()
        view = self._view(rerun, entry)
        self._changed(view)
        return view

    def _hear(self, rerun: str, job: Job) -> None:
        self._active()
        if job.is_over and self._jobs.get(rerun) is job and job.has_opened:
            self._changed(self._view(rerun, self._begun[rerun]))

    def _save(self, rerun: str, job: Job, owner: str) -> None:
        """Keep how far a rerun is; called in its own thread."""
        try:
            state = self._end_of(job) if job.has_ended else self._state_of(job)
            self._kept.change(rerun, owner, {**_known_of(job), "state": state})
        except PrivateFileError as error:
            # The store has all that matters; this is only what the list shows.
            self._log.error("turnbook: %s", error)

    def _refuse_if_closing(self) -> None:
        if self._closing:
            raise CannotRerun("The Jupyter server is stopping. Nothing was sent.")

    def _put_back(self, rerun: str, earlier: Json) -> None:
        """Keep what was kept before it began; nothing, if it is new."""
        if "state" in earlier:
            self._kept.put(rerun, earlier)
        else:
            self._kept.remove(rerun)

    def _drop(self, rerun: str) -> None:
        self._jobs.pop(rerun, None)
        self._begun.pop(rerun, None)

    def _job(self, rerun: str, entry: Json) -> Job | None:
        """This server's job of a rerun; None if another server has gone on with it since."""
        job = self._jobs.get(rerun)
        if job is not None and job.is_over and entry["owner"] != self._begun[rerun]["owner"]:
            self._drop(rerun)
            return None
        return job

    def _all(self) -> list[Json]:
        return [self._view(rerun, entry) for rerun, entry in self._kept.all().items()]

    def _known(self, rerun: str) -> Json:
        entry = self._kept.all().get(rerun)
        if entry is None:
            raise NoSuchRerun(rerun)
        return entry

    def _state(self, rerun: str, entry: Json) -> str:
        """The state now, which may be another than that on the disk."""
        job = self._job(rerun, entry)
        if job is not None:
            return self._state_of(job)
        state = str(entry["state"])
        return "interrupted" if state in ALIVE and self._kept.is_dead(entry) else state

    def _state_of(self, job: Job) -> str:
        if not job.is_over:
            return "ending" if job.is_ending else "running"
        return self._end_of(job)

    def _end_of(self, job: Job) -> str:
        if job.message:
            return "failed"
        if job.is_complete:
            return "done"
        if job.is_ending:
            return "interrupted" if self._closing else "stopped"
        return "incomplete"

    def _view(self, rerun: str, entry: Json) -> Json:
        """The API's `Rerun`."""
        job = self._job(rerun, entry)
        told = entry if job is None else _known_of(job)
        state = self._state(rerun, entry)
        wish = entry["wish"]
        facts = told["facts"]
        if job is None and state not in ALIVE:
            facts = {**facts, "underWay": 0, "rate": 0, "secondsLeft": None}
        return {
            "id": rerun,
            "state": state,
            "out": entry["out"],
            "folder": entry["folder"],
            "records": len(entry["paths"]),
            "models": entry["models"],
            "repeats": wish["repeats"],
            "set": wish["set"],
            "maxRequests": wish["maxRequests"],
            "maxCost": wish["maxCost"],
            "createdAt": entry["createdAt"],
            "elsewhere": job is None and state in ALIVE,
            "total": entry["total"],
            **facts,
            "message": told["message"],
            "writtenAt": self._written_at(entry["out"]),
        }

    def _written_at(self, out: str) -> float | None:
        try:
            return os.stat(self._planner.places.place(out)).st_mtime_ns / 1e6
        except (NoPlace, OSError):
            return None


def _shown(planned: Planned, *, replaces: bool) -> str:
    """Names what a preview showed: what is sent, and whether results are replaced."""
    return planned.name + ("+" if replaces else "")


def _known_of(job: Job) -> Json:
    return {"facts": job.facts, "message": job.message}
