"""Notifies listeners of runs and chats after a commit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .transaction import Change

Bell = Callable[[], None]
Watcher = Callable[[Change], None]


class Hub:
    """Notifies listeners that something changed; they read what changed from the journal.

    Nothing is queued here, so a slow reader costs no memory: it continues where it left off.
    """

    def __init__(self) -> None:
        self._bells: defaultdict[str, set[Bell]] = defaultdict(set)
        # By chat; None is for watchers of all chats.
        self._watchers: defaultdict[str | None, set[Watcher]] = defaultdict(set)

    @property
    def listeners(self) -> int:
        """The number of listeners and watchers."""
        bells = sum(len(bells) for bells in self._bells.values())
        return bells + sum(len(watchers) for watchers in self._watchers.values())

    def announce(self, changes: list[Change]) -> None:
        """Notify everyone concerned by the changes of one commit."""
        for change in changes:
            for bell in self._bells.get(change.run, ()):
                bell()
            if change.state:
                called = self._watchers.get(change.chat, set()) | self._watchers.get(None, set())
                for watcher in called:
                    watcher(change)

    @contextmanager
    def listen(self, run: str, bell: Bell) -> Iterator[None]:
        """Call `bell` at every change of a run."""
        self._bells[run].add(bell)
        try:
            yield
        finally:
            self._bells[run].discard(bell)
            if not self._bells[run]:
                del self._bells[run]

    @contextmanager
    def noting(self) -> Iterator[set[str]]:
        """The runs that are created or change state meanwhile."""
        noted: set[str] = set()

        def note(change: Change) -> None:
            noted.add(change.run)

        self.watch(None, note)
        try:
            yield noted
        finally:
            self.unwatch(None, note)

    def watch(self, chat: str | None, watcher: Watcher) -> None:
        """Call `watcher` when a run of this chat (None: any chat) is created or changes state."""
        self._watchers[chat].add(watcher)

    def unwatch(self, chat: str | None, watcher: Watcher) -> None:
        """End a watch; harmless if there is none."""
        self._watchers[chat].discard(watcher)
        if not self._watchers[chat]:
            del self._watchers[chat]
