"""The configuration of the hub in the tests; docs/hub.md describes one for real use."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

given = json.loads(Path(os.environ["TURNBOOK_HUB"]).read_text())
home = Path(given["home"])
c: Any = get_config()  # type: ignore[name-defined]  # noqa: F821 - JupyterHub has it here


def give_key(spawner: Any) -> None:
    """Each user has a key of their own, as a gateway hands them out."""
    spawner.environment["GATEWAY_KEY"] = f"sk-gateway-{spawner.user.name}-{'0' * 16}"


c.JupyterHub.bind_url = given["url"]
c.JupyterHub.hub_bind_url = given["hub_url"]
c.JupyterHub.db_url = f"sqlite:///{home / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(home / "cookie_secret")
c.JupyterHub.log_level = "WARN"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
# The servers and the proxy outlive the hub. A proxy that the hub starts would be started again with it.
c.JupyterHub.cleanup_servers = False
c.ConfigurableHTTPProxy.should_start = False
c.JupyterHub.concurrent_spawn_limit = 100
c.JupyterHub.tornado_settings = {"slow_spawn_timeout": 0}
c.ConfigurableHTTPProxy.api_url = given["proxy_url"]
c.ConfigurableHTTPProxy.auth_token = given["token"]

c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(home / "users" / "{username}")
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--allow-root", *given["args"]]
# What a user writes into their own configuration is not read.
c.Spawner.disable_user_config = True
# Where an image would have /etc/jupyter.
c.Spawner.environment = {
    "JUPYTER_CONFIG_PATH": given["config"],
    "JUPYTERHUB_ACTIVITY_INTERVAL": "1",
}
c.Spawner.pre_spawn_hook = give_key
c.Spawner.http_timeout = c.Spawner.start_timeout = 120
# How soon the hub finds out that a server has died.
c.Spawner.poll_interval = 2

c.JupyterHub.services = [
    {"name": "test", "api_token": given["token"]},
    {"name": "culler", "api_token": given["culler_token"]},
]
c.JupyterHub.load_roles = [
    {"name": "test", "scopes": ["admin:users", "admin:servers", "tokens"], "services": ["test"]},
    {
        "name": "culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["culler"],
    },
]
