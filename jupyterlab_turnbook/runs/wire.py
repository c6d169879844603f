"""One request to a provider: exactly the given bytes, sent once, with time limits."""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast

import httpx

from ..base import classify, http
from ..base.http import encoding_of
from ..base.outcome import Outcome
from ..base.redact import redactor
from ..providers.http import request_headers
from ..providers.provider import Provider, Timeouts
from .received import Received
from .reply import End, Reply

T = TypeVar("T")

_ERROR_BYTES = 64 * 1024
# After `finish_reason` only usage can follow; do not wait long for it.
_TAIL_SECONDS = 5.0
# Bytes read ahead of the journal, per run.
_AHEAD = 256 * 1024
_LOOK_SECONDS = 60.0


def new_client(*, trust_env: bool = True) -> httpx.AsyncClient:
    """A client that never redirects, retries or reuses a connection, and never proxies loopback."""
    return http.new_client(
        trust_env=trust_env,
        # An idle connection may be dead; a send must not be what finds out.
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        mounts={f"all://{host}": None for host in ("127.0.0.1", "localhost", "[::1]")},
    )


async def client_for(base_url: str) -> httpx.AsyncClient:
    """A client for this address. Raises `http.ProxyUnusable` if its proxy cannot be used."""
    # Loading the certificates would block the event loop for too long.
    try:
        return await asyncio.to_thread(new_client)
    except http.ProxyUnusable:
        if not http.is_loopback(base_url):
            raise
        return await asyncio.to_thread(partial(new_client, trust_env=False))


class Wire:
    """Sends a body and passes on the chunks of the response, in order, as they arrive."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        provider: Provider,
        *,
        answered: Callable[[], Awaitable[None]],
        chunks: Callable[[list[str]], Awaitable[None]],
        most_bytes: int = 0,
    ) -> None:
        """A response longer than `most_bytes` is cut off there; 0 means no limit."""
        self._client = client
        self._provider = provider
        self._answered = answered
        self._chunks = chunks
        self._most_bytes = most_bytes or math.inf
        self._redact = redactor(provider.key, provider.headers)
        self.received = Received(self._redact)
        """What the response is like on the wire."""
        self.finish: str | None = None
        """The model's `finish_reason`, once it has sent one."""

    async def send(self, body: bytes) -> End:
        """Send the request and read the response to its end."""
        limits = self._provider.timeouts
        deadline = time.monotonic() + limits.first_byte
        host = ""
        try:
            request = self._request(body)
            host = request.url.host
            self.received.leaves()
            response = await _within(deadline, self._client.send(request, stream=True))
        except TimeoutError:
            return "lose", classify.network(_silence(host, limits.first_byte))
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            connecting = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            outcome = classify.from_exception(error, host)
            return ("fail" if connecting or outcome.type != "network" else "lose"), outcome
        self.received.head(response.status_code, response.headers)
        try:
            if not 200 <= response.status_code < 300:
                return await self._refused(response, deadline)
            return await self._follow(response, deadline)
        finally:
            self.received.end()
            await response.aclose()

    def _request(self, body: bytes) -> httpx.Request:
        headers = request_headers(
            self._provider,
            Content_Type="application/json",
            Accept="text/event-stream",
            User_Agent="turnbook",
        )
        return self._client.build_request(
            "POST",
            f"{self._provider.base_url.rstrip('/')}/chat/completions",
            content=body,
            headers=headers,
            timeout=httpx.Timeout(None, connect=self._provider.timeouts.connect),
        )

    async def _refused(self, response: httpx.Response, deadline: float) -> End:
        body = b""
        most = _ERROR_BYTES
        if encoding_of(response) is not None:
            self.received.skip()
            most = 0
        # A partial error body is enough; the status says the rest.
        with suppress(httpx.HTTPError, TimeoutError):
            async with _parts(response) as parts:
                while len(body) < most and (part := await _within(deadline, anext(parts, None))):
                    body += part
                    self.received.feed(part, [])
        clean = self._redact(body.decode("utf-8", "replace")).encode()
        outcome = classify.from_response(response.status_code, response.headers, clean, time.time())
        # The message may also quote a header.
        return "fail", replace(outcome, message=self._redact(outcome.message))

    async def _follow(self, response: httpx.Response, deadline: float) -> End:
        encoding = encoding_of(response)
        if encoding is not None:
            self.received.skip()
            return "fail", classify.encoded(self._redact(encoding), response.status_code)
        reply = Reply(response.status_code, response.headers.get("content-type", ""), self._redact)
        reading = Reading(
            response, reply, self._provider.timeouts, deadline, self._most_bytes, self.received
        )
        # No need to wait for this write: the journal keeps writes in order.
        answered = asyncio.ensure_future(self._answered())
        reader = asyncio.create_task(reading.read())
        writing: asyncio.Future[None] | None = None
        try:
            # While a batch is written, more chunks are read; they make up the next batch.
            while chunks := await reading.take():
                writing = asyncio.ensure_future(self._chunks(chunks))
                await asyncio.gather(answered, asyncio.shield(writing))
                self.finish = reply.finish
            await answered
            return await reader
        except asyncio.CancelledError:
            # Keep everything that arrived: the reply may even be complete. Nothing more is read, so
            # that what is noted of the response and its events end at the same byte.
            reader.cancel()
            await asyncio.wait({reader})
            if writing is not None:
                await writing
            rest = reading.rest()
            if rest:
                await self._chunks(rest)
            self.finish = reply.finish
            raise
        finally:
            reader.cancel()
            await asyncio.wait({reader, answered})


class Reading:
    """Reads a response as fast as it arrives, ahead of the consumer that takes the chunks."""

    def __init__(
        self,
        response: httpx.Response,
        reply: Reply,
        timeouts: Timeouts,
        deadline: float,
        most_bytes: float = math.inf,
        received: Received | None = None,
    ) -> None:
        self._received = received or Received(str)
        self._response = response
        self._reply = reply
        self._timeouts = timeouts
        self._deadline = deadline
        self._limit = timeouts.first_byte
        self._most_bytes = most_bytes
        self._left = most_bytes
        self._chunks: list[str] = []
        self._size = 0
        self._over = False
        self._late = False
        self._news = asyncio.Event()
        self._space = asyncio.Event()
        self._task: asyncio.Task[Any] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._rings_at = 0.0

    async def take(self) -> list[str]:
        """Wait for chunks and return those that arrived since the last call; none at the end."""
        await self._news.wait()
        if not self._over:
            self._news.clear()
        return self.rest()

    def rest(self) -> list[str]:
        """The chunks that have not been taken yet."""
        chunks, self._chunks, self._size = self._chunks, [], 0
        self._space.set()
        return chunks

    async def read(self) -> End:
        """Read to the end and return how it ended."""
        self._task = asyncio.current_task()
        self._watch()
        try:
            return await self._read()
        except asyncio.CancelledError:
            if not self._late:
                raise
            return self._reply.broken(_silence(self._response.url.host, self._limit))
        finally:
            self._over = True
            self._news.set()
            if self._alarm is not None:
                self._alarm.cancel()

    async def _read(self) -> End:
        reply = self._reply
        async with _parts(self._response) as parts:
            while reply.end is None:
                try:
                    part = await anext(parts, None)
                except httpx.HTTPError:
                    return reply.broken(f"The connection to {self._response.url.host} broke.")
                over = part is not None and len(part) > self._left
                if part is not None and over:
                    part = part[: int(self._left)]
                chunks = reply.close() if part is None else reply.feed(part)
                self._received.feed(part or b"", chunks)
                if chunks:
                    await self._add(chunks)
                if over and reply.end is None:
                    return self._too_large()
                self._left -= len(part or b"")
                self._limit = self._timeouts.between_bytes
                pause = min(self._limit, _TAIL_SECONDS) if reply.finish else self._limit
                self._wait_until(time.monotonic() + pause)
        assert reply.end is not None
        return reply.end

    def _too_large(self) -> End:
        if self._reply.finish is not None:
            return "finish", Outcome(status=self._response.status_code, finish=self._reply.finish)
        outcome = classify.too_large(int(self._most_bytes), self._response.status_code)
        return "fail", outcome

    async def _add(self, chunks: list[str]) -> None:
        self._chunks += chunks
        self._size += held(chunks)
        self._news.set()
        while self._size > _AHEAD:
            # The journal is slow; that must not count against the provider's time limit.
            self._wait_until(math.inf)
            self._space.clear()
            await self._space.wait()

    def _wait_until(self, deadline: float) -> None:
        self._deadline = deadline
        # A timer that fires early just checks the deadline again, which is cheaper than moving it.
        if self._alarm is not None and deadline < self._rings_at:
            self._alarm.cancel()
            self._watch()

    def _watch(self) -> None:
        now = time.monotonic()
        if now >= self._deadline and self._task is not None:
            self._late = True
            self._task.cancel()
        else:
            wait = min(self._deadline - now, _LOOK_SECONDS)
            self._rings_at = now + wait
            self._alarm = asyncio.get_running_loop().call_later(wait, self._watch)


def held(chunks: list[str]) -> int:
    """Bytes of memory that the chunks use."""
    return sum(map(sys.getsizeof, chunks))


def _parts(response: httpx.Response) -> aclosing[AsyncGenerator[bytes, None]]:
    return aclosing(cast("AsyncGenerator[bytes, None]", response.aiter_raw()))


async def _within(deadline: float, awaitable: Awaitable[T]) -> T:
    # Not wait_for(): before Python 3.12 it can lose a cancellation, and with it the user's Stop.
    task = asyncio.ensure_future(awaitable)
    try:
        await asyncio.wait({task}, timeout=max(0.0, deadline - time.monotonic()))
    except asyncio.CancelledError:
        await _give_up(task)
        raise
    if not task.done():
        await _give_up(task)
        raise TimeoutError
    return task.result()


async def _give_up(task: asyncio.Future[Any]) -> None:
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled() and task.exception() is None:
        result = task.result()
        if isinstance(result, httpx.Response):
            await result.aclose()


def _silence(host: str, seconds: float) -> str:
    return f"Nothing came from {host} for {seconds:g} seconds."
