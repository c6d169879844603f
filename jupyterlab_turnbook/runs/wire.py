"""One request to a provider: exactly the given bytes, sent once, with time limits."""

from __future__ import annotations

import asyncio
import math
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

import httpx

from ..base import classify, http
from ..base.http import encoding_of
from ..base.redact import redactor
from ..providers.http import request_headers
from ..providers.provider import Provider
from .direct import lead_through, send
from .network import Network
from .reading import Reading, silence
from .received import Received
from .reply import End, Reply

T = TypeVar("T")

NO_REQUEST = (httpx.HTTPError, httpx.InvalidURL, OSError)
"""What may be raised where a request is made or sent."""

_ERROR_BYTES = 64 * 1024


def new_client(
    *, trust_env: bool = True, network: Callable[[ssl.SSLContext], Network] = Network
) -> httpx.AsyncClient:
    """A client that never redirects, retries or reuses a connection, and never proxies loopback."""
    context = httpx.create_ssl_context(trust_env=trust_env)
    # As the HTTP library does, but also for what is prepared before its first request.
    context.set_alpn_protocols(["http/1.1"])
    client = http.new_client(
        trust_env=trust_env,
        verify=context,
        # An idle connection may be dead; a send must not be what finds out.
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        mounts={f"all://{host}": None for host in ("127.0.0.1", "localhost", "[::1]")},
    )
    lead_through(client, network(context))
    return client


async def client_for(
    base_url: str, network: Callable[[ssl.SSLContext], Network] = Network
) -> httpx.AsyncClient:
    """A client for this address. Raises `http.ProxyUnusable` if its proxy cannot be used."""
    # Loading the certificates would block the event loop for too long.
    try:
        return await asyncio.to_thread(partial(new_client, network=network))
    except http.ProxyUnusable:
        if not http.is_loopback(base_url):
            raise
        return await asyncio.to_thread(partial(new_client, trust_env=False, network=network))


@dataclass(frozen=True)
class Ready:
    """What is needed to send one body."""

    provider: Provider
    client: httpx.AsyncClient
    as_of: int
    """The registry's `changes` before it was asked for the provider."""
    request: httpx.Request | None = None
    """The request itself; None if it could not be made."""


def request_to(client: httpx.AsyncClient, provider: Provider, body: bytes) -> httpx.Request:
    """The request that carries these bytes; raises one of `NO_REQUEST`."""
    headers = request_headers(
        provider,
        Content_Type="application/json",
        Accept="text/event-stream",
        User_Agent="turnbook",
    )
    return client.build_request(
        "POST",
        f"{provider.base_url.rstrip('/')}/chat/completions",
        content=body,
        headers=headers,
        timeout=httpx.Timeout(None, connect=provider.timeouts.connect),
    )


class Wire:
    """Sends a body and passes on the chunks of the response, in order, as they arrive."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        provider: Provider,
        *,
        answered: Callable[[], Awaitable[None]],
        chunks: Callable[[list[str]], Awaitable[Any]],
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

    async def send(self, body: bytes, request: httpx.Request | None = None) -> End:
        """Send the request and read the response to its end; `request` is the one with this body, if made before."""
        limits = self._provider.timeouts
        deadline = time.monotonic() + limits.first_byte
        host = ""
        try:
            request = request or request_to(self._client, self._provider, body)
            host = request.url.host
            self.received.leaves()
            response = await _within(deadline, send(self._client, request))
        except TimeoutError:
            return "lose", classify.network(silence(host, limits.first_byte))
        except NO_REQUEST as error:
            connecting = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            outcome = classify.from_exception(error, host)
            return ("fail" if connecting or outcome.type != "network" else "lose"), outcome
        self.received.head(response.status_code, response.headers)
        # What the HTTP library knows of a response is much of the memory of a run, so that only who
        # reads it keeps it.
        read = self._follow if 200 <= response.status_code < 300 else self._refused
        reading = read(response, deadline)
        del request, response
        try:
            return await reading
        finally:
            self.received.end()

    async def _refused(self, response: httpx.Response, deadline: float) -> End:
        body = b""
        most = _ERROR_BYTES
        if encoding_of(response) is not None:
            self.received.skip()
            most = 0
        try:
            # A partial error body is enough; the status says the rest.
            with suppress(httpx.HTTPError, TimeoutError):
                parts = cast("AsyncGenerator[bytes, None]", response.aiter_raw())
                async with aclosing(parts):
                    while len(body) < most and (
                        part := await _within(deadline, anext(parts, None))
                    ):
                        body += part
                        self.received.feed(part, [])
        finally:
            await response.aclose()
        clean = self._redact(body.decode("utf-8", "replace")).encode()
        outcome = classify.from_response(response.status_code, response.headers, clean, time.time())
        # The message may also quote a header.
        return "fail", replace(outcome, message=self._redact(outcome.message))

    async def _follow(self, response: httpx.Response, deadline: float) -> End:
        encoding = encoding_of(response)
        if encoding is not None:
            self.received.skip()
            await response.aclose()
            return "fail", classify.encoded(self._redact(encoding), response.status_code)
        reply = Reply(response.status_code, response.headers.get("content-type", ""), self._redact)
        # The journal keeps writes in order, so reading need not wait for this one.
        answered = asyncio.ensure_future(self._answered())
        reading = Reading(
            response,
            reply,
            self._provider.timeouts,
            deadline,
            self._chunks,
            self.received,
            self._most_bytes,
        )
        del response
        answered.add_done_callback(lambda done: _report(done, reading))
        try:
            end = await reading.read()
            await answered
            return end
        finally:
            self.finish = reading.finish
            await asyncio.wait({answered})


def _report(answered: asyncio.Future[None], reading: Reading) -> None:
    error = None if answered.cancelled() else answered.exception()
    if error is not None:
        reading.fail(error)


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
