"""The server extension: its settings, and how its parts are put together."""

from __future__ import annotations

import asyncio
import os
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from jupyter_core.paths import jupyter_data_dir
from jupyter_server._tz import utcnow
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.serverapp import ServerApp
from traitlets import Bool, Dict, Enum, Float, Int, List, TraitError, Unicode, default, validate

from . import contract
from .base.garbage import spare_loaded
from .chats import Chats
from .events import Events
from .local.hub import HUB, MODELS, check_hub, offered
from .local.library import Library
from .local.manager import LocalModel
from .local.models import LocalModels
from .providers.catalog import ModelCatalog
from .providers.keys import open_key_store
from .providers.log_guard import GUARD
from .providers.loopback import PORTS, valid_ports
from .providers.registry import ProviderRegistry
from .routes import (
    chats,
    events,
    files,
    journal,
    local,
    loopback,
    models,
    providers,
    reruns,
    runs,
    stream,
    turns,
    usage,
)
from .runs.engine import Engine
from .runs.retention import Limits
from .runs.wire import Wire
from .settings_texts import translate_settings

if TYPE_CHECKING:
    from .rerun.jobs import Reruns

API = "/turnbook/api"

ACTIVITY_SECONDS = 2.0
"""How often a server with live runs says that it is active, also if nothing arrives for them."""

_ROUTES = (
    runs,
    turns,
    chats,
    files,
    journal,
    usage,
    events,
    stream,
    providers,
    models,
    local,
    loopback,
    reruns,
)


class TurnbookApp(ExtensionApp):
    """Holds keys and runs for the chats of this Jupyter server."""

    name = "jupyterlab_turnbook"

    _beat: asyncio.TimerHandle | None = None

    providers = Dict(
        help="""OpenAI-compatible providers by name, for instance
        {"work": {"base_url": "https://llm.example/v1", "api_key_env": "WORK_KEY"}}. Each takes
        base_url, api_key or api_key_env, and optionally models, headers, timeouts,
        continuation and reasoning.""",
    ).tag(config=True)

    default_model = Unicode("", help="The model of new chats, as provider/model.").tag(config=True)

    journal_dir = Unicode(
        help="The folder of the journal of runs; by default `turnbook` in Jupyter's data folder.",
    ).tag(config=True)

    journal_max_age_days = Float(
        90.0,
        help="""Days after which a turn leaves the journal, if its reply is in a saved notebook or
        its pair was deleted; 0 keeps everything. Until then the exact request of each reply can be
        opened.""",
    ).tag(config=True)

    journal_max_bytes = Int(
        2**30,
        help="""Bytes of the journal from which deleted pairs and attempts that a later one replaced
        leave it before their time; 0 sets no limit.""",
    ).tag(config=True)

    run_max_bytes = Int(
        2**27,
        min=0,
        help="""Bytes that a provider may send for one run; a longer answer is ended there, and what
        arrived is kept. 0 sets no limit.""",
    ).tag(config=True)

    local_model_path = Unicode(
        "", help="A GGUF file for the provider `local`, instead of the embedded model."
    ).tag(config=True)

    local_idle_timeout = Float(
        900.0, help="Seconds without use after which the embedded model is stopped; 0 keeps it."
    ).tag(config=True)

    local_hub = Unicode(
        HUB,
        help="""Where models are downloaded from, with the addresses of Hugging Face's hub
        (`/owner/name/resolve/main/file`); https only, except on this machine. Empty offers no
        downloads.""",
    ).tag(config=True)

    local_models = List(
        Dict(),
        default_value=list(MODELS),
        help="""The models that can be downloaded, each with name, parameters, repo, file, size,
        memory (both in bytes) and license, and optionally sha256, which the hub's file must have.""",
    ).tag(config=True)

    allowed_base_urls = List(
        Unicode(),
        help="""Patterns (`https://*.example.org/*`) for base URLs; with none, any may be used. They
        hold for every provider: added by users, in `providers` and in OPENAI_BASE_URL.""",
    ).tag(config=True)

    user_providers = Bool(
        True,
        help="""Whether users may add providers, change and test them. If not, there are only the
        embedded model, `providers` and OPENAI_BASE_URL; those that users added before are not used.""",
    ).tag(config=True)

    loopback_ports = Dict(
        key_trait=Unicode(),
        value_trait=Int(min=1, max=65535),
        default_value=PORTS,
        help="""Ports of this machine where the model menu looks for servers, by the name that such a
        provider gets; {} looks nowhere. Only those that `allowed_base_urls` allows are asked.""",
    ).tag(config=True)

    loopback_timeout = Float(
        1.5, min=0, help="Seconds that a server on one of `loopback_ports` has to list its models."
    ).tag(config=True)

    key_store = Enum(["file", "keyring"], "file", help="Where keys that users enter are kept.").tag(
        config=True
    )

    @default("journal_dir")
    def _default_journal_dir(self) -> str:
        return os.path.join(jupyter_data_dir(), "turnbook")

    @validate("local_hub")
    def _check_hub(self, proposal: Any) -> str:
        try:
            return check_hub(proposal["value"])
        except ValueError as error:
            raise TraitError(str(error)) from error

    def initialize_settings(self) -> None:
        """Create the parts. Nothing is opened or started before it is used."""
        assert self.serverapp is not None
        GUARD.watch(self.serverapp.log)
        translate_settings(self.log)
        data_dir = Path(self.journal_dir).expanduser()
        self.local = LocalModels(
            LocalModel(self.local_model_path, data_dir, self.local_idle_timeout, self.log),
            Library(
                self.local_hub,
                offered(self.local_models, self.log),
                data_dir,
                self.log,
                self._note_activity,
            ),
        )
        kind = cast("Literal['file', 'keyring']", self.key_store)
        self.registry = ProviderRegistry(
            self.providers,
            self.allowed_base_urls,
            open_key_store(kind, data_dir / "keys.json", self.log),
            data_dir / "providers.json",
            self.local,
            os.environ,
            self.log,
            user_providers=self.user_providers,
        )
        self.loopback_ports = valid_ports(self.loopback_ports, self.log)
        self.catalog = ModelCatalog(self.registry, self.default_model)
        assert self.serverapp.event_logger is not None
        self.events = Events(self.serverapp.event_logger)
        self.engine = Engine(
            data_dir,
            self.registry,
            self.log,
            active=self._note_activity,
            began=self.events.began,
            wire=partial(Wire, most_bytes=self.run_max_bytes),
            limits=Limits(self.journal_max_age_days, self.journal_max_bytes),
        )
        self.chats = Chats(self.engine.journal, self.serverapp.contents_manager)

    @cached_property
    def reruns(self) -> Reruns:
        """The reruns. Reading their modules takes as long as all others, and most servers do none."""
        from .base.places import Places
        from .rerun.jobs import Reruns
        from .rerun.planning import Planner

        assert self.serverapp is not None
        data_dir = Path(self.journal_dir).expanduser()
        return Reruns(
            Planner(Places(self.serverapp.contents_manager), self.registry, self.catalog, data_dir),
            self.registry,
            data_dir,
            self.log,
            active=self._note_activity,
            changed=self.events.reran,
        )

    def initialize_handlers(self) -> None:
        """Put the routes below `/turnbook/api`."""
        for module in _ROUTES:
            for path, handler, arguments in module.handlers():
                self.handlers.append((API + path, handler, arguments))

    def current_activity(self) -> dict[str, Any] | None:
        """Live runs, waiting retries, reruns and downloads; with any, the server is not idle."""
        others = {**self.local.library.activity}
        if self._has_reruns:
            others |= self.reruns.activity
        return {**others, **self.engine.activity} or None

    async def _start_jupyter_server_extension(self, serverapp: ServerApp) -> None:
        # End the runs left by a dead server now, not at the first request.
        await asyncio.gather(self.engine.open(), asyncio.to_thread(self._load))
        # Turns may be waiting since the last time.
        self._note_activity()
        spare_loaded()

    def _load(self) -> None:
        contract.load()
        self.events.load()

    async def stop_extension(self) -> None:
        """End reruns and live runs, close the journal, stop local models and their downloads."""
        if self._has_reruns:
            await self.reruns.close()
        await self.engine.close()
        await self.local.stop()
        if self._beat is not None:
            self._beat.cancel()

    @property
    def _has_reruns(self) -> bool:
        return "reruns" in self.__dict__

    def _note_activity(self) -> None:
        assert self.serverapp is not None
        self.serverapp.web_app.settings["last_activity_times"]["turnbook"] = utcnow()
        if self._beat is None:
            self._beat = asyncio.get_running_loop().call_later(ACTIVITY_SECONDS, self._check_on)

    def _check_on(self) -> None:
        # A hub's culler knows only the time of the last activity. A model may think for longer than
        # the culler waits, and so may a provider that says when to try again.
        self._beat = None
        if self.current_activity():
            self._note_activity()
