"""The hub of the tests, and what its users get from their provider."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider

from .hub import Hub

USERS = 10
STREAMS = 5
LONG = 3600
"""Seconds that no test takes."""


@pytest.fixture(scope="session")
def gateway() -> Iterator[ThreadedScriptedProvider]:
    """The only provider that the administrator allows."""
    provider = ThreadedScriptedProvider()
    provider.start()
    yield provider
    provider.stop()


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[ThreadedScriptedProvider]:
    """A provider that users would like to have."""
    provider = ThreadedScriptedProvider()
    provider.start()
    yield provider
    provider.stop()


@pytest.fixture(scope="session")
def settings(gateway: ThreadedScriptedProvider) -> dict[str, Any]:
    """Turnbook's settings, by the administrator."""
    patient = {"connect": 60, "first_byte": LONG, "between_bytes": LONG}
    at = {"base_url": gateway.url, "api_key_env": "GATEWAY_KEY", "timeouts": patient}
    return {
        "providers": {"gateway": at},
        "allowed_base_urls": [gateway.url],
        "default_model": "gateway/scripted",
        "user_providers": False,
        "loopback_ports": {},
        "local_hub": "",
    }


@pytest.fixture(scope="session")
def hub(
    tmp_path_factory: pytest.TempPathFactory,
    settings: dict[str, Any],
    elsewhere: ThreadedScriptedProvider,
) -> Iterator[Hub]:
    """Ten users with running servers; the first one has written a configuration of their own."""
    home = tmp_path_factory.mktemp("hub")
    hub = Hub(home, settings)
    try:
        hub.start()
        hub.cull(LONG)
        for n in range(USERS):
            hub.add(f"user{n}")
        write_own_settings(home / "users" / "user0", elsewhere.url)
        hub.start_servers(hub.users.values())
        yield hub
    finally:
        hub.stop()


def write_own_settings(home: Path, url: str) -> None:
    """Everything that a user could try in their home to get another provider."""
    lines = (
        f"c.TurnbookApp.providers = {{'mine': {{'base_url': {url!r}}}}}",
        "c.TurnbookApp.allowed_base_urls = []",
        "c.TurnbookApp.user_providers = True",
        f"c.TurnbookApp.loopback_ports = {{'mine': {urlsplit(url).port}}}",
        "c.TurnbookApp.default_model = 'mine/scripted'",
        f"c.TurnbookApp.local_hub = {url!r}",
    )
    for folder in (home, home / ".jupyter", home / ".local" / "etc" / "jupyter"):
        folder.mkdir(parents=True, exist_ok=True)
        for name in (
            "jupyter_server_config",
            "jupyter_config",
            "jupyter_jupyterlab_turnbook_config",
        ):
            (folder / f"{name}.py").write_text("\n".join(lines))
    data = home / ".local" / "share" / "jupyter" / "turnbook"
    data.mkdir(parents=True)
    (data / "providers.json").write_text(f'{{"mine": {{"baseUrl": "{url}"}}}}')
