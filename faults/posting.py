"""Faults of `POST runs`: answers that are lost, and ids that are used again."""

from __future__ import annotations

import json
from dataclasses import replace

from .judge import judge
from .proxy import Plan
from .world import World

_SHORT = {"answer": 200, "heartbeat": 200, "silence": 800}


async def answer_lost(world: World) -> None:
    """The request or its answer is cut somewhere, and the page asks again under the same id."""
    probe = await world.new_proxy()
    page = await world.sent(world.turn(), post_url=probe.url)
    # Ports have four or five digits, so sizes differ by a few bytes.
    up, down = (size - 8 for size in probe.passed())
    await page.leave()
    cuts = [Plan(up=at) for at in sorted({1, up // 4, up // 2, up})]
    cuts += [Plan(down=at) for at in sorted({0, 1, down // 4, down // 2, down})]
    cuts += [Plan(up=world.random.randrange(1, up)) for _ in range(10)]
    cuts += [Plan(down=world.random.randrange(down)) for _ in range(20)]

    async def strike(plan: Plan) -> None:
        proxy = await world.new_proxy()
        # Some answers are lost twice.
        proxy.plans = [plan] * world.random.choice((1, 1, 2))
        turn = world.turn()
        page = await world.sent(turn, post_url=proxy.url)
        await page.until(lambda page: page.settled)
        if proxy.cuts:
            if await page.draft():
                world.tally.amiss(f"{plan}: the message was sent and is in the composer too")
            await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
        else:
            # It went through whole, so nothing was injected; strike a little earlier.
            await strike(_earlier(plan))
        await page.leave()
        await proxy.stop()

    await world.each(world.points(cuts, 6), strike)


async def lost_on_the_socket(world: World) -> None:
    """The socket breaks, or goes silent, while a message or its answer is on it."""
    probe = await world.new_proxy()
    page = world.page(world.turn(), socket_url=probe.url)
    await page.open()
    up, down = probe.passed()
    await page.send()
    sent, answered = (size - 8 for size in probe.passed())
    await page.leave()
    await probe.stop()
    places = [("up", at) for at in sorted({up + 1, (up + sent) // 2, sent})]
    places += [("down", at) for at in sorted({down + 1, (down + answered) // 2, answered})]
    places += [("up", world.random.randrange(up + 1, sent)) for _ in range(12)]
    places += [("down", world.random.randrange(down + 1, answered)) for _ in range(12)]
    plans = [Plan(**{way: at}, freeze=freeze) for way, at in places for freeze in (False, True)]

    async def strike(plan: Plan) -> None:
        proxy = await world.new_proxy()
        proxy.plans = [plan]
        turn = world.turn()
        page = await world.sent(turn, socket_url=proxy.url, times=_SHORT)
        await page.until(lambda page: page.settled)
        if proxy.cuts:
            if await page.draft():
                world.tally.amiss(f"{plan}: the message was sent and is in the composer too")
            await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
        else:
            # It went through whole, so nothing was injected; strike a little earlier.
            await strike(_earlier(plan))
        await page.leave()
        await proxy.stop()

    await world.each(world.points(plans, 6), strike)


async def repeated(world: World) -> None:
    """The same message is posted several times at once and again after its end."""

    async def strike(times: int) -> None:
        turn = world.turn()
        page = world.page(turn)
        await page.open()
        codes = sorted((await page.send(times)).statuses)
        if codes != [200] * (times - 1) + [201]:
            world.tally.amiss(f"posted {times} times: {codes}")
        await page.until(lambda page: page.settled)
        again = await page.ask("POST", "runs", turn.new_run())
        if again.status_code != 200:
            world.tally.amiss(f"posted after the end: {again.status_code}")
        await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
        await page.leave()

    await world.each(world.points(range(2, 12), 3), strike)


async def another_body(world: World) -> None:
    """An id that is taken comes with other bytes, another chat, pair or provider."""
    other_body = json.dumps({"model": "never", "messages": []})
    changes: list[dict[str, str]] = [
        {"body": other_body},
        {"body": "same but longer"},
        {"chat": "00000000-0000-4000-8000-000000000000"},
        {"pair": "another"},
        {"provider": "restart"},
    ]
    moments = [(change, alive) for change in changes for alive in (True, False)]

    async def strike(point: tuple[dict[str, str], bool]) -> None:
        change, alive = point
        turn = world.turn(paced=True)
        page = await world.sent(turn, lets_go=2 if alive else 1_000_000)
        await page.until(lambda page: page.seen(turn.run) >= 2 if alive else page.settled)
        wanted = {**turn.new_run(), **change}
        if change.get("body", "").startswith("same"):
            wanted["body"] = turn.new_run()["body"] + " "
        answer = await page.ask("POST", "runs", wanted)
        if (answer.status_code, answer.json()["code"]) != (409, "body-differs"):
            world.tally.amiss(f"{change}: {answer.status_code} {answer.text:.200}")
        world.let_go(turn)
        await page.until(lambda page: page.settled)
        await judge(world, turn, world.tally, pages=[page], requests=1, attempts=1)
        await page.leave()

    await world.each(world.points(moments, 3), strike)


def _earlier(plan: Plan) -> Plan:
    return replace(
        plan,
        up=None if plan.up is None else plan.up * 9 // 10,
        down=None if plan.down is None else plan.down * 9 // 10,
    )
