"""The scripted provider's server: `/v1` for clients, `/control` for the test that drives it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote

from . import script as scripts
from .formats import FORMATS
from .script import BadScript, Cut, Delay, Script, Send, Stall, Wait
from .wire import BadRequest, Request, Response, read_request, write_json

DEFAULT_MODELS: list[dict[str, Any]] = [
    {"id": "scripted", "object": "model", "owned_by": "turnbook", "context_length": 128_000},
    {"id": "scripted-mini", "object": "model", "owned_by": "turnbook"},
]


@dataclass
class Recorded:
    """One request as the provider received it, and whether the client stayed to the end."""

    n: int
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    model: str | None
    at: float = field(default_factory=time.monotonic)
    """When it arrived, by the monotonic clock."""
    closed: bool = False
    ended: bool = False
    pieces: list[int] = field(default_factory=list)
    """The sizes of the writes that made up the response body."""
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        self.sha256 = hashlib.sha256(self.body).hexdigest()

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def public(self) -> dict[str, Any]:
        """The form that `GET /control/requests` returns."""
        return {
            "n": self.n,
            "method": self.method,
            "path": self.path,
            "headers": self.headers,
            "body": self.body.decode("utf-8", "replace"),
            "body_base64": base64.b64encode(self.body).decode("ascii"),
            "sha256": self.sha256,
            "model": self.model,
            "closed": self.closed,
            "ended": self.ended,
        }


class ScriptedProvider:
    """An OpenAI-compatible provider on loopback that plays queued scripts and records requests."""

    def __init__(self, *, port: int = 0, key: str | None = None) -> None:
        self._port = port
        self._key = key
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed: asyncio.Condition | None = None
        self.fallback: Callable[[Any], Script] = scripts.echo
        """Makes a script from the request's body if none is queued."""
        self._clear()

    def _clear(self) -> None:
        self.requests: list[Recorded] = []
        self.models: list[Any] = [dict(model) for model in DEFAULT_MODELS]
        self._models_body: Any = None
        self._queues: dict[str | None, list[Script]] = {}
        self._gates: dict[str, asyncio.Event] = {}

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._port

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def control(self) -> str:
        """The base URL of the control API."""
        return f"http://127.0.0.1:{self._port}/control"

    async def start(self) -> None:
        """Start listening."""
        self._changed = asyncio.Condition()
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", self._port, limit=2**20
        )
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening and close all connections."""
        if self._server is not None:
            self._server.close()
            self._server = None
        await self._hang_up()

    def script(self, *scripts_: Script | str, model: str | None = None) -> None:
        """Queue scripts, one for each coming completion of `model`, or of any model.

        A name stands for a reply in the format of a service.
        """
        checked = [scripts.check(_named(one)) for one in scripts_]
        for gate in sorted(set().union(*map(scripts.gates, checked))):
            if self._gate(gate).is_set():
                raise BadScript(f"The gate {gate!r} is open already, so nothing would wait at it.")
        self._queues.setdefault(model, []).extend(checked)

    def release(self, gate: str) -> None:
        """Open a gate; it stays open until a reset."""
        self._gate(gate).set()

    def set_models(self, models: Any) -> None:
        """Set what `/v1/models` returns: a list of models, or any JSON as the whole body."""
        if isinstance(models, list):
            self.models, self._models_body = models, None
        else:
            self._models_body = models

    async def reset(self) -> None:
        """Clear all scripts and records, and close open connections."""
        await self._hang_up(but=asyncio.current_task())
        self._clear()
        await self._notify()

    async def requested(self, count: int, timeout: float = 10) -> list[Recorded]:
        """Wait for `count` completion requests and return those so far."""
        await self._until(lambda: len(self.completions()) >= count, timeout)
        return self.completions()

    async def hung_up(self, count: int = 1, timeout: float = 10) -> None:
        """Wait until `count` clients have disconnected before the end of their reply."""
        await self._until(lambda: sum(r.closed for r in self.requests) >= count, timeout)

    def completions(self) -> list[Recorded]:
        """The completion requests so far."""
        return [r for r in self.requests if r.path == "/v1/chat/completions"]

    def counts(self) -> dict[str, Any]:
        """How often each path was requested, and how many scripts are queued."""
        return {
            "total": len(self.requests),
            "paths": Counter(r.path for r in self.requests),
            "completions": len(self.completions()),
            "open": sum(not r.ended for r in self.requests),
            "closed": sum(r.closed for r in self.requests),
            "queued": sum(len(queue) for queue in self._queues.values()),
        }

    # Connections

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            request = await read_request(reader)
            if request is None:
                return
            if request.path == "/control" or request.path.startswith("/control/"):
                await self._control(request, writer)
            else:
                await self._client(request, reader, writer)
        except (BadRequest, ValueError) as error:
            await write_json(writer, 400, _error("invalid_request_error", str(error)))
        except ConnectionError:
            # The client left, and `closed` is already set.
            return
        except asyncio.CancelledError:
            # `reset` or `stop` was called: close the connection.
            writer.transport.abort()
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _client(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        body = request.json()
        model = body.get("model") if isinstance(body, dict) else None
        recorded = Recorded(
            n=len(self.requests) + 1,
            method=request.method,
            path=request.path,
            headers=request.headers,
            body=request.body,
            model=model if isinstance(model, str) else None,
        )
        self.requests.append(recorded)
        await self._notify()
        play = asyncio.ensure_future(self._answer(request, recorded, body, writer))
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({play, gone}, return_when=asyncio.FIRST_COMPLETED)
            recorded.closed = not play.done()
            play.cancel()
            try:
                await play
            except ConnectionError:
                recorded.closed = True
            except asyncio.CancelledError:
                if not recorded.closed:
                    raise
        except asyncio.CancelledError:
            play.cancel()
            raise
        finally:
            gone.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await gone
            recorded.ended = True
            await self._notify()

    async def _answer(
        self, request: Request, recorded: Recorded, body: Any, writer: asyncio.StreamWriter
    ) -> None:
        if self._key is not None and request.headers.get("authorization") != f"Bearer {self._key}":
            message = "Incorrect API key provided"
            await write_json(
                writer, 401, _error("invalid_request_error", message, "invalid_api_key")
            )
        elif (request.method, request.path) == ("GET", "/v1/models"):
            queued = self._take("/v1/models")
            listed = {"object": "list", "data": self.models}
            answer = listed if self._models_body is None else self._models_body
            await self._play(queued or {"steps": [{"body": answer}]}, "", recorded, writer)
        elif (request.method, request.path) == ("POST", "/v1/chat/completions"):
            model = recorded.model or "scripted"
            script = self._take(recorded.model) or self.fallback(body)
            usage = scripts.wants_usage(body)
            await self._play(script, model, recorded, writer, usage=usage)
        else:
            message = f"Unknown request URL: {request.method} {request.path}."
            await write_json(writer, 404, _error("invalid_request_error", message, "unknown_url"))

    def _take(self, model: str | None) -> Script | None:
        # `/v1/models` can have scripts too, queued under its path.
        names = [model] if model == "/v1/models" else [model, None]
        for name in names:
            if self._queues.get(name):
                return self._queues[name].pop(0)
        return None

    async def _play(
        self,
        script: Script,
        model: str,
        recorded: Recorded,
        writer: asyncio.StreamWriter,
        *,
        usage: bool = False,
    ) -> None:
        headers = {"Content-Type": scripts.content_type(script), **script.get("headers", {})}
        response = Response(
            writer,
            int(script.get("status", 200)),
            headers,
            chunked=bool(script.get("chunked", True)),
            split=script.get("split"),
            wrote=recorded.pieces.append,
        )
        for action in scripts.actions(script, model, usage=usage):
            if isinstance(action, Send):
                await response.write(action.data)
            elif isinstance(action, Delay):
                await asyncio.sleep(action.seconds)
            elif isinstance(action, Wait):
                await self._gate(action.gate).wait()
            elif isinstance(action, Stall):
                await asyncio.Event().wait()
            elif isinstance(action, Cut):
                response.cut(reset=action.reset)
                return
        await response.end()

    # Control

    async def _control(self, request: Request, writer: asyncio.StreamWriter) -> None:
        method, path = request.method, request.path.removeprefix("/control").strip("/")
        query = {name: values[-1] for name, values in parse_qs(request.query).items()}
        body = request.json()
        answer: Any = {}
        if (method, path) == ("POST", "script"):
            try:
                if not isinstance(body, dict) or not isinstance(body.get("scripts"), list):
                    raise BadScript("The body is {model?, scripts: [...]}.")
                self.script(*body["scripts"], model=body.get("model"))
            except BadScript as error:
                await write_json(writer, 400, {"error": str(error)})
                return
        elif (method, path) == ("GET", "requests"):
            wanted, timeout = int(query.get("count", "0")), float(query.get("timeout", "10"))
            closed = int(query.get("closed", "0"))
            try:
                await self._until(
                    lambda: (
                        len(self.completions()) >= wanted
                        and sum(r.closed for r in self.requests) >= closed
                    ),
                    timeout,
                )
            except TimeoutError as error:
                await write_json(writer, 504, {"error": str(error)})
                return
            answer = [recorded.public() for recorded in self.requests]
        elif method == "POST" and path.startswith("release/"):
            self.release(unquote(path.removeprefix("release/")))
        elif (method, path) == ("GET", "formats"):
            answer = {name: made.json() for name, made in FORMATS.items()}
        elif (method, path) == ("GET", "models"):
            answer = self.models if self._models_body is None else self._models_body
        elif (method, path) == ("PUT", "models"):
            self.set_models(body)
        elif (method, path) == ("GET", ""):
            answer = self.counts()
        elif (method, path) == ("DELETE", ""):
            await self.reset()
        else:
            await write_json(writer, 404, {"error": f"No such control: {method} {path}"})
            return
        await write_json(writer, 200, answer)

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    async def _notify(self) -> None:
        assert self._changed is not None
        async with self._changed:
            self._changed.notify_all()

    async def _until(self, holds: Callable[[], bool], timeout: float) -> None:
        """Wait until `holds()` is true; raises TimeoutError when the time is up."""
        assert self._changed is not None

        async def wait() -> None:
            assert self._changed is not None
            async with self._changed:
                await self._changed.wait_for(holds)

        try:
            await asyncio.wait_for(wait(), timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"After {timeout} s the provider has {self.counts()}") from None

    async def _hang_up(self, but: asyncio.Task[Any] | None = None) -> None:
        tasks = [task for task in self._tasks if task is not but]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _named(script: Script | str) -> Script:
    if not isinstance(script, str):
        return script
    if script not in FORMATS:
        raise BadScript(f"There is no format {script!r}; there are {', '.join(FORMATS)}.")
    return FORMATS[script].script


def _error(type_: str, message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": type_, "param": None, "code": code}}
