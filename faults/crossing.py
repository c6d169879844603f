"""Two browsers, each with a server of its own, on one folder and one journal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from .browser import Browser
from .screens import Screen
from .world import World

Strike = Callable[[Screen, Screen], Awaitable[None]]


async def two_browsers(world: World) -> None:
    """A chat is open in both; one sends, and the other sees it to the end."""
    one = world.new_server("lab-one", lab=True)
    other = world.new_server("lab-other", lab=True, journal_dir=one.journal_dir)
    other.root = one.root
    browsers = [Browser(), Browser()]
    for server, browser in zip((one, other), browsers, strict=True):
        await server.start()
        await browser.start()

    async def strike(kind: Strike) -> None:
        first, second = Screen(world, one, browsers[0]), Screen(world, other, browsers[1])
        await first.begin()
        await second.join(first)
        try:
            await kind(first, second)
        finally:
            for browser in browsers:
                await browser.do("close")
            if not one.lives:
                await one.start()

    await world.each(world.points([_followed, _killed, _reloaded], 1), strike, at_once=1)
    for server, browser in zip((one, other), browsers, strict=True):
        await browser.stop()
        await server.stop()


async def _followed(first: Screen, second: Screen) -> None:
    """Both show all of it, and the file has it once."""
    await first.finish()
    await second.browser.do("reaches", "succeeded")
    await second.judge()


async def _killed(first: Screen, second: Screen) -> None:
    """The sender's server and browser die; the other server goes on, and the other browser saves."""
    await first.browser.do("kill")
    await first.server.kill()
    await second.finish()
    await second.judge(attempts=2)


async def _reloaded(first: Screen, second: Screen) -> None:
    """The sender's server dies and its page is loaded again from a new one."""
    await first.server.kill()
    await first.server.start()
    await second.finish()
    await first.browser.do("reaches", "succeeded")
    await second.judge(attempts=2)
