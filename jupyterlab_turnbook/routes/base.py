"""What every route shares: authentication, authorization, bodies and errors."""

from __future__ import annotations

import json
from http.client import responses
from typing import TYPE_CHECKING, Any, Protocol, cast

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from jupyter_server.extension.handler import ExtensionHandlerMixin
from tornado import web

from .. import contract
from ..base import dialect
from ..chats import Chats
from ..events import Events
from ..providers.catalog import ModelCatalog
from ..providers.registry import ProviderRegistry
from ..runs.engine import Engine
from ..runs.journal import Journal

if TYPE_CHECKING:
    from ..rerun.jobs import Reruns

AUTH_RESOURCE = "turnbook"
PROVIDERS_RESOURCE = "turnbook-providers"
"""Separate, so that an administrator can decide who may set where messages and keys are sent."""

DEFECT = "Something went wrong inside Turnbook; see the server's log."
"""The message for errors that nobody expected."""

Route = tuple[str, type[web.RequestHandler], dict[str, Any]]
"""A path below `/turnbook/api` (a regular expression), its handler and the handler's arguments."""

_GUARDED = ("head", "get", "post", "put", "patch", "delete")
_CODES = {
    400: "bad-request",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
}


class Parts(Protocol):
    """The parts of the extension that the routes use."""

    chats: Chats
    catalog: ModelCatalog
    engine: Engine
    events: Events
    registry: ProviderRegistry
    loopback_ports: dict[str, int]
    loopback_timeout: float

    @property
    def reruns(self) -> Reruns:
        """Made when they are first used."""
        ...


class ApiError(web.HTTPError):
    """An error that the API returns as `{code, message}`; `message` says what to do."""

    def __init__(self, status: int, code: str, message: str, **extra: Any) -> None:
        super().__init__(status, reason=responses.get(status, "Error"))
        self.code = code
        self.message = message
        self.extra = extra

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def body(self) -> dict[str, Any]:
        """The contract's `Error`."""
        return {"code": self.code, "message": self.message, **self.extra}


def checked(schema: str, value: Any) -> dict[str, Any]:
    """The value, if it fits a named schema or operation of the contract."""
    try:
        return cast("dict[str, Any]", contract.check(schema, value))
    except contract.ContractError as error:
        raise ApiError(400, "bad-request", f"The body does not fit the API: {error}") from error


class TurnbookHandler(ExtensionHandlerMixin, APIHandler):
    """An API handler whose methods are all authenticated and authorized.

    Each method is wrapped when its class is created, so a handler cannot forget it.
    """

    auth_resource = AUTH_RESOURCE
    denied: str | None = None
    """The message for unauthorized users; None uses Jupyter Server's own."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in _GUARDED:
            if name in cls.__dict__:
                guarded = web.authenticated(authorized(message=cls.denied)(cls.__dict__[name]))
                setattr(cls, name, guarded)

    @property
    def turnbook(self) -> Parts:
        """The parts of the extension."""
        return cast("Parts", self.extensionapp)

    @property
    def journal(self) -> Journal:
        """The journal of runs."""
        return self.turnbook.engine.journal

    def read_json(self, schema: str, *, optional: bool = False) -> dict[str, Any]:
        """The request's body, checked against a named schema or operation of the contract."""
        if optional and not self.request.body.strip():
            return {}
        try:
            value = dialect.parse_bytes(self.request.body)
        except ValueError as error:
            raise ApiError(400, "bad-json", f"The body is not JSON: {error}") from error
        return checked(schema, value)

    def chat_id(self, value: str) -> str:
        """Check a chat's id from a path or a query."""
        try:
            contract.check("ChatId", value)
        except contract.ContractError as error:
            raise ApiError(400, "bad-request", "A chat's id is a UUID.") from error
        return value

    def of_chat(self) -> str:
        """The chat named in the query, which calls that change a run require."""
        return self.chat_id(self.get_query_argument("chat", "", strip=False))

    def answer(self, value: Any, status: int = 200) -> None:
        """Finish with a JSON value."""
        self.set_status(status)
        self.finish(json.dumps(value))

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Return every error, whoever raised it, as the contract's `Error`."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, ApiError):
            body = error.body()
        else:
            said = getattr(error, "log_message", None) if status_code < 500 else None
            code = _CODES.get(status_code, "internal" if status_code >= 500 else "error")
            fallback = responses.get(status_code, "Error")
            if status_code >= 500:
                fallback = DEFECT
            body = {"code": code, "message": said or fallback}
        self.log.debug("turnbook answers %s %s", status_code, body["code"])
        self.finish(json.dumps(body))
