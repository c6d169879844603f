"""A user of fifty chats who does one thing after another, as chance has it."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from faults.browser import Browser, BrowserError

from .talk import marks_of

_MOST_OPEN = 6
_FILTERS = ("star:>0", "has:code", "not user:the", "topic:x", '"print"')

Act = Callable[["User"], Awaitable[None]]


@dataclass
class Chat:
    """A chat as its user knows it."""

    path: str
    sent: list[str] = field(default_factory=list)
    """The marks of the messages that were seen in the chat, in their order."""
    unsure: set[str] = field(default_factory=set)
    """Marks of messages that were written while something broke, so that they may be there or not."""
    stopped: set[str] = field(default_factory=set)
    """Marks of messages whose reply the user ended: by Stop, or by deleting it while it came."""
    back: set[str] = field(default_factory=set)
    """Marks of messages that were found in a composer, since they had not been sent; of other chats too."""
    earlier: set[str] = field(default_factory=set)
    """Marks of messages that were edited; they are there again if the new text comes back."""


class User:
    """Knows what was sent, and drives the browser."""

    def __init__(self, browser: Browser, chats: list[Chat], seed: int) -> None:
        self.browser = browser
        self.chats = chats
        self.random = random.Random(f"{seed}/user")
        self.did: Counter[str] = Counter()
        self.hindered: Counter[str] = Counter()
        """What did not work at that moment, because something was broken or under way."""
        self.problems: list[str] = []
        self.opened = 0
        """How many chats and replays were opened."""
        self.patience = 1.0
        """Seconds that they wait when something did not work, about."""
        self.stays = False
        """Whether the page is not reloaded."""
        self._open: list[Chat] = []
        self._marks = 0

    def rested(self) -> None:
        """All chats were closed."""
        self._open.clear()

    async def act(self) -> None:
        """Do one thing."""
        if not await self._go_to():
            # Whatever is in front, it is not the chat that was meant.
            return
        possible = [each for each in ACTS if not (self.stays and each[0] is _reload)]
        acts, weights = zip(*possible, strict=True)
        act: Act = self.random.choices(acts, weights)[0]
        await self._try(act.__name__.strip("_"), act(self))

    async def _go_to(self) -> bool:
        if len(self._open) >= _MOST_OPEN:
            await self._try("close", self.browser.do("close"))
            self._open.pop()
        is_new = True
        if self._open and self.random.random() < 0.5:
            is_new = False
            chat = self._open.pop(self.random.randrange(len(self._open)))
        else:
            chat = self.random.choice(self.chats)
            if chat in self._open:
                self._open.remove(chat)
                is_new = False
        if not await self._try("open", self.browser.do("open", chat.path)):
            return False
        self._open.append(chat)
        self.opened += is_new
        return True

    async def _try(self, name: str, act: Awaitable[object]) -> bool:
        self.did[name] += 1
        try:
            await act
        except BrowserError as error:
            self.hindered[name] += 1
            self.problems.append(f"{name}: {str(error)[:300]}")
            # Nobody tries again at once.
            await asyncio.sleep(self.random.uniform(0.5, 2) * self.patience)
            return False
        return True

    @property
    def here(self) -> Chat:
        """The chat in front."""
        return self._open[-1]

    def _mark(self) -> str:
        self._marks += 1
        return f"m{self._marks}"

    async def send(self) -> None:
        """Send a message."""
        mark, chat = self._mark(), self.here
        chat.unsure.add(mark)
        await self.browser.do("say", f"What is «{mark}»?")
        chat.unsure.discard(mark)
        chat.sent.append(mark)

    async def resend(self) -> None:
        """Change the message that is selected and send it again."""
        chat = self.here
        before = await self.chosen()
        if before is None:
            return
        mark = self._mark()
        place = chat.sent.index(before)
        del chat.sent[place]
        chat.unsure |= {mark, before}
        await self.browser.do("resend", f"And what is «{mark}»?")
        chat.unsure -= {mark, before}
        chat.earlier.add(before)
        chat.sent.insert(place, mark)

    async def chosen(self) -> str | None:
        """The mark of the message that is selected, if it is sure to be there."""
        found = marks_of(await self.browser.do("choose"))
        return found[0] if found and found[0] in self.here.sent else None


async def _write(user: User) -> None:
    await user.browser.do("type", "A thought that is not sent")


async def _send(user: User) -> None:
    await user.send()


async def _resend(user: User) -> None:
    await user.resend()


async def _stop(user: User) -> None:
    said = await user.browser.do("stop")
    if said is None:
        user.did["stop"] -= 1
        user.did["nothing to stop"] += 1
    else:
        user.here.stopped.update(marks_of(said))


async def _filter(user: User) -> None:
    await user.browser.do("filter", user.random.choice(_FILTERS))


async def _remove(user: User) -> None:
    chat = user.here
    mark = await user.chosen()
    if mark is None:
        return
    # Deleting ends a reply that still comes, also if something breaks then.
    chat.stopped.update(marks_of(await user.browser.do("coming")))
    place = chat.sent.index(mark)
    del chat.sent[place]
    chat.unsure.add(mark)
    await user.browser.do("remove")
    chat.unsure.discard(mark)
    chat.sent.insert(place, mark)


async def _star(user: User) -> None:
    if user.here.sent:
        await user.browser.do("star")


async def _replay(user: User) -> None:
    if user.here.sent:
        await user.browser.do("replay")
        # It is a notebook's view as well.
        user.opened += 1


async def _request(user: User) -> None:
    await user.browser.do("request")


async def _reload(user: User) -> None:
    await user.browser.do("reload")


async def _tab(user: User) -> None:
    await user.browser.do("tab", user.here.path)


ACTS: list[tuple[Act, int]] = [
    (_send, 40),
    (_write, 8),
    (_stop, 8),
    (_resend, 10),
    (_filter, 8),
    (_remove, 6),
    (_star, 6),
    (_replay, 6),
    (_request, 6),
    (_reload, 1),
    (_tab, 3),
]
"""What a user does, and how often."""
