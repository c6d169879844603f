"""Reads a response as fast as it arrives, and passes its chunks on one batch after another."""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, cast

import httpx

from ..base import classify
from ..base.outcome import Outcome
from ..providers.provider import Timeouts
from .bodies import BadBody, after_head, body_of
from .direct import connection_of
from .network import Connection
from .received import Received
from .reply import End, Reply

# After `finish_reason` only usage can follow; do not wait long for it.
_TAIL_SECONDS = 5.0
# Bytes read ahead of the consumer, per run.
_AHEAD = 256 * 1024
_LOOK_SECONDS = 60.0


class Reading:
    """One response on its way to its consumer.

    While a batch of chunks is being consumed, more are read; they make up the next batch. Bytes are
    pushed here from the connection, so that no task has to wake up for a token.
    """

    def __init__(
        self,
        response: httpx.Response,
        reply: Reply,
        timeouts: Timeouts,
        deadline: float,
        consume: Callable[[list[str]], Awaitable[Any]],
        received: Received,
        most_bytes: float = math.inf,
    ) -> None:
        self._response: httpx.Response | None = response
        self._host = response.url.host
        self._status = response.status_code
        self._reply = reply
        self._timeouts = timeouts
        self._deadline = deadline
        self._consume = consume
        self._received = received
        self._limit = timeouts.first_byte
        self._most_bytes = most_bytes
        self._left = most_bytes
        self._chunks: list[str] = []
        self._size = 0
        self._consuming: asyncio.Future[Any] | None = None
        self._end: End | None = None
        self._is_paused = False
        self._is_stopped = False
        self._alarm: asyncio.TimerHandle | None = None
        self._rings_at = 0.0
        self._source: _Taken | _Pumped | None = None
        self._done: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        self.finish: str | None = None
        """The model's `finish_reason`, once it has been consumed."""

    async def read(self) -> End:
        """Read until the end, and until all of it is consumed; raises what the consumer raises."""
        self._watch()
        response, self._response = self._response, None
        if response is None:
            raise RuntimeError("A response can be read once.")
        connection = connection_of(response)
        self._source = (
            _Pumped(response, self) if connection is None else _Taken(response, connection, self)
        )
        self._source.begin()
        try:
            if connection is not None:
                # The HTTP library need not keep what it knows of the connection.
                await response.aclose()
                # It refers to itself, and would be kept until that is found.
                response.stream = httpx.ByteStream(b"")
                response = None
            return await asyncio.shield(self._done)
        except asyncio.CancelledError:
            # Keep everything that arrived: the reply may even be complete. Nothing more is read, so
            # that what is noted of the response and its events end at the same byte.
            self._stop()
            if self._consuming is not None:
                await self._consuming
            if self._chunks:
                await self._consume(self._take())
            self.finish = self._reply.finish
            raise
        finally:
            self._stop()
            if response is not None:
                await response.aclose()
            # Nobody asks any more, also not for an error.
            if not self._done.cancel() and not self._done.cancelled():
                self._done.exception()

    def fail(self, error: BaseException) -> None:
        """Read no more: what was read cannot be consumed."""
        self._stop()
        if not self._done.done():
            self._done.set_exception(error)

    # Called by the source

    def feed(self, part: bytes) -> None:
        """These bytes of the body came."""
        if self._end is not None:
            return
        over = len(part) > self._left
        if over:
            part = part[: int(self._left)]
        reply = self._reply
        chunks = reply.feed(part)
        self._received.feed(part, chunks)
        self._left -= len(part)
        self._limit = self._timeouts.between_bytes
        if not self._is_paused:
            self._wait_for_more()
        if chunks:
            self._add(chunks)
        if reply.end is not None:
            self._ended(reply.end)
        elif over:
            self._ended(self._too_large())

    def close(self) -> None:
        """The body is over."""
        if self._end is None:
            chunks = self._reply.close()
            self._received.feed(b"", chunks)
            if chunks:
                self._add(chunks)
            assert self._reply.end is not None
            self._ended(self._reply.end)

    def broke(self) -> None:
        """The connection broke."""
        if self._end is None:
            self._ended(self._reply.broken(f"The connection to {self._host} broke."))

    # The consumer

    def _add(self, chunks: list[str]) -> None:
        self._chunks += chunks
        self._size += held(chunks)
        if self._consuming is None:
            self._pass_on()
        elif self._size > _AHEAD and not self._is_paused and self._source is not None:
            # The consumer is slow; that must not count against the provider's time limit.
            self._is_paused = True
            self._wait_until(math.inf)
            self._source.pause()

    def _take(self) -> list[str]:
        chunks, self._chunks, self._size = self._chunks, [], 0
        return chunks

    def _pass_on(self) -> None:
        finish = self._reply.finish
        self._consuming = asyncio.ensure_future(self._consume(self._take()))
        self._consuming.add_done_callback(lambda done: self._consumed(done, finish))

    def _consumed(self, done: asyncio.Future[Any], finish: str | None) -> None:
        self._consuming = None
        if done.cancelled() or self._done.done():
            return
        error = done.exception()
        if error is not None:
            self.fail(error)
            return
        self.finish = finish
        if self._is_stopped:
            return
        if self._is_paused and self._source is not None:
            self._is_paused = False
            if self._end is None:
                self._wait_for_more()
                self._source.resume()
        if self._chunks:
            self._pass_on()
        elif self._end is not None:
            self._done.set_result(self._end)

    # The end

    def _ended(self, end: End) -> None:
        self._end = end
        if self._source is not None:
            self._source.stop()
        if self._alarm is not None:
            self._alarm.cancel()
        if self._consuming is None and not self._done.done():
            self.finish = self._reply.finish
            self._done.set_result(end)

    def _stop(self) -> None:
        self._is_stopped = True
        if self._source is not None:
            self._source.stop()
        if self._alarm is not None:
            self._alarm.cancel()

    def _too_large(self) -> End:
        if self._reply.finish is not None:
            return "finish", Outcome(status=self._status, finish=self._reply.finish)
        outcome = classify.too_large(int(self._most_bytes), self._status)
        return "fail", outcome

    # Time limits

    def _wait_for_more(self) -> None:
        pause = min(self._limit, _TAIL_SECONDS) if self._reply.finish else self._limit
        self._wait_until(time.monotonic() + pause)

    def _wait_until(self, deadline: float) -> None:
        self._deadline = deadline
        # A timer that fires early just checks the deadline again, which is cheaper than moving it.
        if self._alarm is not None and deadline < self._rings_at:
            self._alarm.cancel()
            self._watch()

    def _watch(self) -> None:
        now = time.monotonic()
        if now >= self._deadline:
            if self._end is None:
                self._ended(self._reply.broken(silence(self._host, self._limit)))
        else:
            wait = min(self._deadline - now, _LOOK_SECONDS)
            self._rings_at = now + wait
            self._alarm = asyncio.get_running_loop().call_later(wait, self._watch)


class _Taken:
    """Reads the bytes of a connection itself, which costs a fraction of the HTTP library's way."""

    def __init__(self, response: httpx.Response, connection: Connection, reading: Reading) -> None:
        self._connection = connection
        self._reading = reading
        self._body = body_of(response)

    def begin(self) -> None:
        try:
            rest = after_head(self._connection.take(self))
        except BadBody:
            self._reading.broke()
            return
        if rest or self._body.over:
            self.received(rest)
        if self._connection.is_over:
            self.ended(self._connection.error)

    def received(self, data: bytes) -> None:
        try:
            part = self._body.feed(data)
            if part:
                self._reading.feed(part)
            if self._body.is_bad:
                self._reading.broke()
            elif self._body.over:
                self._reading.close()
        except Exception as error:  # noqa: BLE001 - must reach the run; asyncio would only hang up
            self._reading.fail(error)

    def ended(self, error: Exception | None) -> None:
        try:
            if error is None and self._body.may_end:
                self._reading.close()
            else:
                self._reading.broke()
        except Exception as bug:  # noqa: BLE001 - as above
            self._reading.fail(bug)

    def pause(self) -> None:
        self._connection.pause()

    def resume(self) -> None:
        self._connection.resume()

    def stop(self) -> None:
        self._connection.close()


class _Pumped:
    """Reads a response the HTTP library's way."""

    def __init__(self, response: httpx.Response, reading: Reading) -> None:
        self._response = response
        self._reading = reading
        self._room = asyncio.Event()
        self._room.set()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._task = asyncio.create_task(self._pump())

    async def _pump(self) -> None:
        parts = cast("Any", self._response.aiter_raw())
        try:
            async with aclosing(parts):
                async for part in parts:
                    self._reading.feed(part)
                    await self._room.wait()
        except httpx.HTTPError:
            self._reading.broke()
        except asyncio.CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - must reach the run, which nobody else ends
            self._reading.fail(error)
        else:
            self._reading.close()

    def pause(self) -> None:
        self._room.clear()

    def resume(self) -> None:
        self._room.set()

    def stop(self) -> None:
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._room.set()


def held(chunks: list[str]) -> int:
    """Bytes of memory that the chunks use."""
    return sum(map(sys.getsizeof, chunks))


def silence(host: str, seconds: float) -> str:
    """What to say if nothing came for so long."""
    return f"Nothing came from {host} for {seconds:g} seconds."
