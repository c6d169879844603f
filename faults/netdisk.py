"""The journal on a disk of the network: its faults, and a second server."""

from __future__ import annotations

from . import grouping
from .disk import expect_refusal
from .disks import NETWORK
from .judge import judge
from .killing import at_every_write
from .resuming import to_the_end
from .server import Server
from .world import World


async def killed(world: World) -> None:
    """The server is killed at each write."""
    await at_every_write(world, "KILL", name="net", disk=NETWORK)


async def killed_with_a_group(world: World) -> None:
    """The server is killed at each write of a message to several models."""
    await grouping.at_every_write(world, "KILL", NETWORK)


async def killed_at_every_operation(world: World) -> None:
    """The server is killed after each operation on the journal's files."""
    await at_every_write(
        world, "KILL", name="net-operation", by="operations", disk=NETWORK, servers=4
    )


async def killed_at_every_local_operation(world: World) -> None:
    """The same for a local disk."""
    await at_every_write(
        world, "KILL", name="operation", by="operations", disk={"record": ""}, servers=4
    )


async def second_server(world: World) -> None:
    """A second server refuses with the reason, and takes over when the first has gone."""
    one = world.new_server("net-one", disk=NETWORK)
    other = world.new_server("net-other", journal_dir=one.journal_dir, disk=NETWORK)
    other.root = one.root
    # The first that uses the journal has it.
    await one.start()
    await world.check_health(one)
    await other.start()

    async def strike(point: tuple[str, int]) -> None:
        nonlocal one, other
        one, other = await _taken_over(world, one, other, *point)

    points = [(signal, seen) for signal in ("KILL", "TERM") for seen in (0, 1, 3)]
    await world.each(world.points(points, 1), strike, at_once=1)
    await one.stop()
    await other.stop()


async def _taken_over(
    world: World, one: Server, other: Server, signal: str, seen: int
) -> tuple[Server, Server]:
    """Gives the server that has the journal now, and the one that has not."""
    turn = world.turn(paced=True)
    page = await world.sent(turn, one.url, lets_go=max(1, seen))
    await page.until(lambda page: page.seen(turn.run) >= seen)
    rival = world.page(world.turn(), other.url)
    await rival.open()
    await expect_refusal(world, rival, "a second server")
    page.kill()
    await one.kill(signal)
    await rival.deliver()
    await rival.until(lambda page: page.settled)
    await judge(
        world, rival.turn, world.tally, pages=[rival], requests=1, attempts=1, url=other.url
    )
    world.let_go(turn)
    elsewhere = world.page(turn, other.url)
    await elsewhere.open()
    await to_the_end(elsewhere)
    await judge(world, turn, world.tally, pages=[elsewhere], url=other.url)
    for each in (page, rival, elsewhere):
        await each.leave()
    await world.check_health(other)
    await one.start()
    return other, one
