"""The power is cut: what was not synced is gone, in whole or in part, and so is the process."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from dataclasses import dataclass
from pathlib import Path

from jupyterlab_turnbook.runs import commands, quarantine, queries
from jupyterlab_turnbook.runs.continuation import delta_text
from jupyterlab_turnbook.runs.journal import Journal, JournalError
from jupyterlab_turnbook.runs.transaction import Tx

from .disks import NETWORK
from .grouping import Group
from .killing import at_every_write
from .platter import Operation, Platter, lay_out, mark, recorded
from .replies import broken_after, refusal
from .server import Server
from .turn import Turn
from .world import World

_DRAWS = 8
"""How often chance decides, at each operation, what is left of what was not synced."""
_MARKS = "rea"
"""The kinds of lines that say what others were told."""


async def at_every_operation(world: World) -> None:
    """All that a local disk may hold after each operation on the journal's files."""
    await _images(world, "powercut", {})


async def at_every_operation_on_net(world: World) -> None:
    """The same for a disk of the network."""
    await _images(world, "powercut-net", NETWORK)


async def at_every_commit(world: World) -> None:
    """The server starts again with what is left, and the pages lived on."""
    await _live_on(world, {})


async def at_every_commit_on_net(world: World) -> None:
    """The same for a disk of the network."""
    await _live_on(world, NETWORK)


async def _live_on(world: World, disk: dict[str, object]) -> None:
    record = world.home / f"live-{len(disk)}.record"
    before: dict[str, bytes] = {}

    def cut(server: Server) -> None:
        nonlocal before
        platter = Platter(before)
        for operation in recorded(record):
            platter.do(operation)
        before = platter.after_a_cut(world.random, world.random.choice((0, 0.5, 1)))
        lay_out(before, server.journal_dir)
        record.unlink()

    await at_every_write(
        world, "KILL", name=f"powercut-{len(disk)}", disk={**disk, "record": str(record)}, then=cut
    )


async def _images(world: World, name: str, disk: dict[str, object]) -> None:
    await judge_images(world, await _record(world, name, {**disk}))


@dataclass(frozen=True)
class Record:
    """What a server wrote, and what the models said to it."""

    operations: list[Operation]
    said: dict[str, str]
    """What the model said in the end, by model."""


async def _record(world: World, name: str, disk: dict[str, object]) -> Record:
    file = world.home / f"{name}.record"
    server = world.new_server(name, disk={**disk, "record": str(file)})
    await server.start()
    record = await live(world, server, file)
    await server.stop()
    return record


async def whole_reply(world: World, server: Server, file: Path) -> Record:
    """A reply that comes whole."""
    turn = world.turn(words=4)
    await _to_its_end(world, server, turn)
    return Record(recorded(file), {turn.model: turn.text})


async def _to_its_end(world: World, server: Server, turn: Turn) -> None:
    page = await world.sent(turn, server.url)
    await page.until(lambda page: page.settled)
    await page.save()
    await page.leave()


async def live(world: World, server: Server, file: Path) -> Record:
    """Replies that come whole, break, wait, are stopped, and come in a group."""
    said: dict[str, str] = {}
    for attempts in ([], [broken_after(2, {"cut": True})]):
        turn = world.turn(*attempts, words=4)
        said[turn.model] = turn.text
        await _to_its_end(world, server, turn)
    group = Group(world, server.url)
    said |= group.said
    await group.page.open()
    await group.live()
    await group.page.leave()
    turn = world.turn(paced=True, words=4)
    said[turn.model] = turn.text
    page = await world.sent(turn, server.url, lets_go=2)
    await page.until(lambda page: page.seen(turn.run) >= 2)
    await page.stop()
    mark(file, "e", f"{turn.run} stopped")
    await page.leave()
    turn = world.turn(refusal(503, headers={"Retry-After": "600"}))
    said[turn.model] = turn.text
    page = await world.sent(turn, server.url)
    await page.until(lambda page: page.waits)
    await page.retry(auto=False)
    mark(file, "a", turn.run)
    await page.leave()
    return Record(recorded(file), said)


async def judge_images(world: World, record: Record, *, until_extra: bool = False) -> None:
    """Open the journal that each cut leaves, in the way a server does.

    With `until_extra`, all of them are opened, also in a sample, until one leads to an extra request.

    The same files are one injection, however often chance leaves them: after a sync nothing can be lost.
    """
    points = [
        (place, kept)
        for place, operation in enumerate(record.operations)
        if operation.kind in "cwtsdD"
        for kept in (0.0, 1.0, *[0.5] * _DRAWS)
    ]
    chosen = points if until_extra else world.points(points, 40)
    shared = Path("/dev/shm")
    home = tempfile.mkdtemp(dir=shared if shared.is_dir() else None, prefix="turnbook-faults-")
    platter = Platter()
    done = told = 0
    images: dict[str, int] = {}
    try:
        for place, kept in chosen:
            for operation in record.operations[done : place + 1]:
                platter.do(operation)
                told += operation.kind in _MARKS
            done = place + 1
            if until_extra and world.tally.extra:
                break
            files = platter.after_a_cut(world.random, kept)
            image = _digest(files)
            if images.get(image) == told:
                # Nobody was told more since it was judged.
                continue
            world.tally.injected += image not in images
            images[image] = told
            lay_out(files, Path(home) / "journal")
            where = f"cut after operation {place}, {kept} kept"
            try:
                await _judge(world, Path(home) / "journal", record, done, where)
            except (JournalError, sqlite3.Error, queries.NoSuchRun, queries.Damaged) as error:
                world.tally.amiss(f"{where}: {error!r}")
    finally:
        shutil.rmtree(home)


def _digest(files: dict[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(f"{name} {len(files[name])} ".encode() + files[name])
    return whole.hexdigest()


async def _judge(world: World, folder: Path, record: Record, done: int, where: str) -> None:
    tally = world.tally

    def recover(tx: Tx) -> None:
        if broken := quarantine.inspect(tx):
            tally.amiss(f"{where}: runs cannot be read: {broken}")
        commands.recover(tx, 99)

    journal = Journal(folder, recover=recover, announce=lambda changes: None)
    try:
        runs = {
            run.id: run
            for run in await journal.read(lambda db: queries.select(db, open_only=False))
        }
        listed = [run.hash for run in runs.values()]
        for operation in record.operations[:done]:
            if operation.kind == "r":
                if operation.name in listed:
                    listed.remove(operation.name)
                else:
                    tally.extra += 1
                    tally.notes.append(f"{where}: a request left that no run knows of")
            elif operation.kind == "e":
                ended, state = operation.name.split(" ")
                now = runs[ended].state if ended in runs else "lost"
                if now != state:
                    tally.amiss(f"{where}: a run was {state}, and is {now}")
            elif operation.kind == "a" and (
                operation.name not in runs or runs[operation.name].turn.auto
            ):
                tally.amiss(f"{where}: what the user ended goes on")
        for run in runs.values():
            events = (await journal.read(lambda db, of=run.id: queries.page(db, of, 0))).events  # type: ignore[misc]
            said = "".join(delta_text(event.data) for event in events if event.data is not None)
            whole = record.said[run.model]
            whole = whole if run.continues is None else whole[whole.find(said) :]
            if not whole.startswith(said) or (run.state == "done" and whole != said):
                tally.lost += max(1, len(whole) - len(said))
                tally.notes.append(f"{where}: {said!r} instead of {whole!r}")
        if journal.set_aside():
            tally.amiss(f"{where}: the journal was damaged")
    finally:
        await journal.close()
