"""The providers as the Jupyter server of this user knows them."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, Literal

from jupyter_core.application import JupyterApp
from jupyter_core.paths import jupyter_data_dir
from traitlets.config import Application

from ..local.hub import MODELS, offered
from ..local.library import Library
from ..local.manager import LocalModel
from ..local.models import LocalModels
from ..providers.keys import open_key_store
from ..providers.registry import ProviderRegistry

_LOG = logging.getLogger(__name__)
_FILES = ("jupyter_server_config", "jupyter_lab_config", "jupyter_jupyterlab_turnbook_config")


def open_registry(local: LocalModels | None = None) -> ProviderRegistry:
    """The providers of the configuration, the environment and the user, with their keys.

    `local` are the models of an earlier one, which may be running.
    """
    config = _config()
    data_dir = Path(config.get("journal_dir") or Path(jupyter_data_dir()) / "turnbook").expanduser()
    local = local or LocalModels(
        LocalModel(
            config.get("local_model_path", ""),
            data_dir,
            float(config.get("local_idle_timeout", 900.0)),
            _LOG,
        ),
        Library("", offered(config.get("local_models", MODELS), _LOG), data_dir, _LOG),
    )
    kind: Literal["file", "keyring"] = "keyring" if config.get("key_store") == "keyring" else "file"
    return ProviderRegistry(
        config.get("providers", {}),
        list(config.get("allowed_base_urls", [])),
        open_key_store(kind, data_dir / "keys.json", _LOG),
        data_dir / "providers.json",
        local,
        os.environ,
        _LOG,
    )


def _config() -> dict[str, Any]:
    """`c.TurnbookApp` of the files that `jupyter server` and `jupyter lab` read."""
    app = JupyterApp()
    for name in _FILES:
        Application.load_config_file(app, name, path=app.config_file_paths)
    return dict(app.config.get("TurnbookApp", {}))
