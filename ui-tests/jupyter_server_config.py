"""Jupyter Server for the UI tests: open, on loopback, with the scripted provider."""

import os

from jupyterlab.galata import configure_jupyter_server
from traitlets.config import get_config

from jupyterlab_turnbook.local import part

# The tests' models are small, and the disk of the machine may be nearly full.
part.MARGIN = 0
c = get_config()
configure_jupyter_server(c)
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.port = int(os.environ["TURNBOOK_UI_PORT"])
c.ServerApp.allow_root = True
# Notebook 7, where it is installed, is served beside JupyterLab.
c.JupyterNotebookApp.expose_app_in_browser = True
c.TurnbookApp.providers = {
    "scripted": {
        "base_url": os.environ["TURNBOOK_UI_PROVIDER"],
        "api_key": os.environ["TURNBOOK_UI_KEY"],
    }
}
c.TurnbookApp.default_model = "scripted/scripted"
c.TurnbookApp.loopback_ports = {"ollama": int(os.environ["TURNBOOK_UI_NEIGHBOUR"])}
c.TurnbookApp.loopback_timeout = 60
c.TurnbookApp.local_hub = os.environ["TURNBOOK_UI_HUB"]
c.TurnbookApp.local_models = [
    {
        "name": "Tiny-Instruct",
        "parameters": "0.001B",
        "repo": "owner/name",
        "file": "model.gguf",
        "size": int(os.environ["TURNBOOK_UI_HUB_SIZE"]),
        "memory": 4_000_000,
        "license": "Apache-2.0",
    }
]
if os.environ.get("TURNBOOK_LOCAL_MODEL"):
    c.TurnbookApp.local_model_path = os.environ["TURNBOOK_LOCAL_MODEL"]
