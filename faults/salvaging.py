"""A journal that is damaged: what can be read of it is saved, whatever happens meanwhile."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

import httpx

from .client import HEADERS
from .judge import judge
from .server import Server
from .turn import Turn
from .world import World

_WORDS = 4
# So long that pages of the file hold nothing else.
_SACRIFICE = "x" * 20_000


def _damage(folder: Path) -> None:
    """Overwrite a page of the reply that nobody needs any more."""
    file = folder / "journal.sqlite"
    db = sqlite3.connect(file)
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    page = file.read_bytes().index(b"x" * 4092) // 4096
    with file.open("r+b") as opened:
        opened.seek(page * 4096)
        opened.write(b"\xff" * 4096)


async def _sacrifice(world: World, server: Server) -> None:
    """A turn whose reply is in its file, and so may be damaged in the journal."""
    turn = world.turn(text=_SACRIFICE)
    page = await world.sent(turn, server.url)
    await page.until(lambda page: page.settled)
    await page.save()
    await page.leave()


async def _unlanded(world: World, server: Server) -> Turn:
    """A turn whose reply is in the journal alone."""
    turn = world.turn(words=_WORDS)
    page = await world.sent(turn, server.url)
    await page.until(lambda page: page.settled)
    await page.leave()
    return turn


async def _saved(server: Server) -> None:
    """Wait until the server has opened its journal, which it does behind its first answers, or died."""
    async with httpx.AsyncClient(headers=HEADERS, timeout=20, verify=False) as client:
        try:
            await client.get(f"{server.url}/turnbook/api/journal")
        except httpx.TransportError:
            await server.ended()


async def _expect_word(world: World, server: Server, when: str) -> None:
    """The report and the log name the one file that was set aside."""
    async with httpx.AsyncClient(headers=HEADERS, timeout=20, verify=False) as client:
        answer = await client.get(f"{server.url}/turnbook/api/journal")
    said = answer.json()
    files = [Path(each["file"]) for each in said.get("setAside", [])]
    if answer.status_code != 200 or len(files) != 1 or not files[0].exists():
        world.tally.amiss(f"{when}: the report says {answer.text:.300}")
    elif str(files[0]) not in server.log.read_text():
        world.tally.amiss(f"{when}: the log says nothing of {files[0]}")


async def damaged_in_use(world: World) -> None:
    """A write meets damage while a reply streams: it goes on in the new file, and so do all who read."""

    async def strike(words: int) -> None:
        server = world.new_server(f"damaged-in-use-{words}")
        await server.start()
        await _sacrifice(world, server)
        kept = await _unlanded(world, server)
        turn = world.turn(words=_WORDS, paced=True)
        page = await world.sent(turn, server.url, lets_go=words)
        await page.until(lambda page: page.seen(turn.run) >= words)
        _damage(server.journal_dir)
        await server.tell(damaged=True)
        world.let_go(turn)
        await page.until(lambda page: page.settled, 40)
        await judge(world, turn, world.tally, pages=[page], attempts=2, requests=2, url=server.url)
        await judge(world, kept, world.tally, attempts=1, requests=1, url=server.url)
        await page.leave()
        await _expect_word(world, server, f"damaged after {words}")
        await world.check_health(server)
        await server.stop()

    await world.each(world.points(range(1, _WORDS), 1), strike, at_once=1)


async def full_while_saving(world: World) -> None:
    """No room for the new file: the damaged one stays, that is said, and it is saved later."""

    async def strike(n: int) -> None:
        server = world.new_server(f"full-salvage-{n}")
        await server.start()
        await _sacrifice(world, server)
        turn = await _unlanded(world, server)
        await server.kill("KILL" if n % 2 else "TERM")
        _damage(server.journal_dir)
        await server.start(full=True)
        async with httpx.AsyncClient(headers=HEADERS, timeout=20, verify=False) as client:
            for _ in range(2):
                answer = await client.get(f"{server.url}/turnbook/api/journal")
                if answer.status_code != 503 or "could not be saved" not in answer.text:
                    world.tally.amiss(f"full: {answer.status_code} {answer.text:.300}")
        await server.tell(full=False)
        await judge(world, turn, world.tally, attempts=1, requests=1, url=server.url)
        await _expect_word(world, server, "full")
        await world.check_health(server)
        await server.stop()

    await world.each(world.points(range(4), 1), strike, at_once=1)


async def killed_while_saving(world: World) -> None:
    """SIGKILL at each statement and renaming of the salvage: the next start finishes it."""
    server = world.new_server("killed-salvage")
    await server.start()
    await _sacrifice(world, server)
    turn = await _unlanded(world, server)
    await server.kill()
    _damage(server.journal_dir)
    damaged = server.home / "damaged"
    shutil.copytree(server.journal_dir, damaged)
    await server.start()
    await _saved(server)
    steps = (await server.tell())["steps"]
    await server.kill()

    async def strike(step: int) -> None:
        shutil.rmtree(server.journal_dir)
        shutil.copytree(damaged, server.journal_dir)
        (server.root / turn.path).unlink(missing_ok=True)
        server.log.unlink()
        with suppress(OSError):
            # It may be gone before it has said anything.
            await server.start(signal="KILL", step=step)
        if server.lives:
            await _saved(server)
        if server.lives:
            # The last steps are of those who read, and there may be fewer of them than before.
            await server.kill()
        await server.start()
        await judge(world, turn, world.tally, attempts=1, requests=1, url=server.url)
        await _expect_word(world, server, f"killed at step {step}")
        await world.check_health(server)
        await server.kill()

    await world.each(world.points(range(1, steps + 1), 3), strike, at_once=1)
    await server.stop()


async def end_not_written(world: World) -> None:
    """The end of a run cannot be written for long: when it can, it is, and the chat is free."""
    server = world.new_server("late-end")
    await server.start()

    async def strike(words: int) -> None:
        turn = world.turn(words=_WORDS, paced=True)
        page = await world.sent(turn, server.url, lets_go=words)
        await page.until(lambda page: page.seen(turn.run) >= words)
        before = (await server.tell(query_only=True))["refused"]
        world.let_go(turn)
        await world.until_over(turn)
        # Longer than the server would once wait for it.
        await world.until(lambda: _refused(server, before + 10))
        await server.tell(query_only=False)
        await page.until(lambda page: page.settled, 40)
        await judge(world, turn, world.tally, pages=[page], attempts=2, requests=2, url=server.url)
        follower = world.turn()
        follower.chat, follower.path = turn.chat, turn.path
        second = await world.sent(follower, server.url)
        await second.until(lambda page: page.settled)
        if second.newest is None or second.newest["state"] != "done":
            world.tally.amiss(f"the chat is not free: {second.newest}")
        for one in (page, second):
            await one.leave()
        await world.check_health(server)

    await world.each(world.points(range(1, _WORDS), 1), strike, at_once=1)
    await server.stop()


async def _refused(server: Server, times: int) -> bool:
    return bool((await server.tell())["refused"] >= times)
