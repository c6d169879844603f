"""Faults of the disk: full or read-only when a run is claimed, and in the middle of one."""

from __future__ import annotations

from .disks import NETWORK
from .judge import judge
from .page import Answer, Page
from .server import Server
from .turn import Turn
from .world import World

_WORDS = 5
# Longer than what SQLite has left over in its file, so that each word needs room.
_LONG = "x" * 100_000


def _long_text() -> str:
    return " ".join(f"{n}{_LONG}" for n in range(_WORDS))


async def full_at_claim(world: World) -> None:
    """The claim cannot be written: the message is refused with the reason, and nothing is sent."""
    await _refused_until_mended(world, "full")


async def read_only_at_claim(world: World) -> None:
    """The same for a journal that cannot be written to."""
    await _refused_until_mended(world, "query_only")


async def full_in_the_middle(world: World) -> None:
    """The disk fills up after so many words; when there is room again, the reply goes on."""
    await _broken_in_the_middle(world, "full")


async def read_only_in_the_middle(world: World) -> None:
    """The journal becomes read-only after so many words, for a while."""
    await _broken_in_the_middle(world, "query_only")


async def no_folder(world: World) -> None:
    """The journal's folder cannot be made, since a file has its name; then it can."""
    place = world.home / "no-folder-journal"
    place.write_text("in the way")
    server = world.new_server("no-folder", journal_dir=place)
    await server.start()
    turn = world.turn()
    page = world.page(turn, server.url)
    await page.open()
    await expect_refusal(world, page, "a file instead of the folder")
    place.unlink()
    await _go_on(world, server, page, turn)
    await server.stop()


async def not_a_journal(world: World) -> None:
    """The journal's file holds something else: that is set aside whole, and a new one begins."""
    folder = world.home / "foreign-journal"
    folder.mkdir()
    content = b"This is no database. " * 500
    (folder / "journal.sqlite").write_bytes(content)
    server = world.new_server("foreign", journal_dir=folder)
    await server.start()
    turn = world.turn()
    await _go_on(world, server, world.page(turn, server.url), turn)
    if content not in [file.read_bytes() for file in folder.iterdir() if file.is_file()]:
        world.tally.amiss("what was in the journal's place is gone")
    await server.stop()


async def on_network_disks(world: World) -> None:
    """All of these on a disk of the network."""
    for hook in ("full", "query_only"):
        await _refused_until_mended(world, hook, NETWORK)
        await _broken_in_the_middle(world, hook, NETWORK)


async def _refused_until_mended(
    world: World, hook: str, disk: dict[str, object] | None = None
) -> None:
    server = world.new_server(f"{hook}-claim-{len(disk or {})}", disk=disk)
    await server.start()

    async def strike(n: int) -> None:
        turn = world.turn()
        # What an earlier message took may be free again.
        turn.question = _LONG * 2**n
        page = world.page(turn, server.url)
        await page.open()
        await server.tell(**{hook: True})
        await expect_refusal(world, page, f"{hook} at claim")
        await server.tell(**{hook: False})
        await _go_on(world, server, page, turn)

    await world.each(world.points(range(5), 1), strike, at_once=1)
    await server.stop()


async def _broken_in_the_middle(
    world: World, hook: str, disk: dict[str, object] | None = None
) -> None:
    server = world.new_server(f"{hook}-middle-{len(disk or {})}", disk=disk)
    await server.start()

    async def strike(words: int) -> None:
        turn = world.turn(text=_long_text(), paced=True)
        page = await world.sent(turn, server.url, lets_go=words)
        await page.until(lambda page: page.seen(turn.run) >= words)
        await server.tell(**{hook: True})
        # One more word and no more: the connection ends when the server leaves, which cannot record it.
        world.provider.release(f"{world.replies.gate(turn.model)}{words}")
        await world.until_over(turn)
        world.let_go(turn)
        await server.tell(**{hook: False})
        await page.until(lambda page: page.settled, 40)
        await judge(world, turn, world.tally, pages=[page], attempts=2, requests=2, url=server.url)
        await page.leave()
        await world.check_health(server)

    await world.each(world.points(range(1, _WORDS), 1), strike, at_once=1)
    await server.stop()


async def expect_refusal(world: World, page: Page, when: str) -> None:
    answer = await page.send()
    if page.turn.message != await page.draft():
        world.tally.amiss(f"{when}: the message is not in the composer again")
    if not page.notice:
        world.tally.amiss(f"{when}: the user is not told")
    if not answer.status_code:
        # The page knows that the server cannot take it, and did not ask.
        asked = await page.ask("POST", "runs", page.turn.new_run())
        answer = Answer(asked.status_code, asked.text)
    said = answer.json()
    if answer.status_code != 503 or said.get("code") != "journal" or not said.get("message"):
        world.tally.amiss(f"{when}: {answer.status_code} {answer.text:.300}")
    if world.requests(page.turn):
        world.tally.extra += 1
        world.tally.notes.append(f"{when}: sent what was not claimed")


async def _go_on(world: World, server: Server, page: Page, turn: Turn) -> None:
    await page.open()
    await page.deliver()
    await page.until(lambda page: page.settled)
    await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1, url=server.url)
    await page.leave()
    await world.check_health(server)
