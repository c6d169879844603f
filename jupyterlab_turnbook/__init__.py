"""Turnbook: a JupyterLab extension in which a chat is a notebook."""

from __future__ import annotations

from importlib import import_module
from typing import Any

try:
    __version__: str = import_module("._version", __name__).__version__
except ModuleNotFoundError:
    # A source tree that was never built has no version file.
    __version__ = "0+unknown"

__all__ = ["__version__"]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    return [{"src": "labextension", "dest": "jupyterlab-turnbook"}]


def _jupyter_server_extension_points() -> list[dict[str, Any]]:
    from .app import TurnbookApp

    return [{"module": "jupyterlab_turnbook", "app": TurnbookApp}]
