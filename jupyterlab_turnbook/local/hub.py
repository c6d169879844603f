"""The models that can be downloaded from a hub, and the hub's address."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..base.http import is_loopback
from .files import MODEL_FILE

HUB = "https://huggingface.co"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class HubModel:
    """A GGUF file on a hub; `size` and `memory` are bytes, and without `sha256` the hub's is used."""

    name: str
    parameters: str
    repo: str
    file: str
    size: int
    memory: int
    license: str
    sha256: str = ""

    def path(self, data_dir: Path) -> Path:
        """Where its file is on this machine, or will be."""
        return data_dir / "models" / self.file

    def url(self, hub: str) -> str:
        """Where a hub has its file."""
        return f"{hub}/{self.repo}/resolve/main/{self.file}"


# `memory` is for the weights and two conversations of 8,192 tokens.
MODELS: tuple[dict[str, Any], ...] = (
    {
        "name": "Qwen2.5-0.5B-Instruct",
        "parameters": "0.5B",
        "repo": "Qwen/Qwen2.5-0.5B-Instruct-GGUF",
        "file": "qwen2.5-0.5b-instruct-q4_k_m.gguf",
        "size": 491_400_032,
        "memory": 1_000_000_000,
        "license": "Apache-2.0",
        "sha256": "74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db",
    },
    {
        "name": "Qwen3.5-2B",
        "parameters": "2B",
        "repo": "unsloth/Qwen3.5-2B-GGUF",
        "file": "Qwen3.5-2B-Q4_K_M.gguf",
        "size": 1_280_835_840,
        "memory": 2_500_000_000,
        "license": "Apache-2.0",
    },
    {
        "name": "gemma-3-4b-it",
        "parameters": "4B",
        "repo": "unsloth/gemma-3-4b-it-GGUF",
        "file": "gemma-3-4b-it-Q4_K_M.gguf",
        "size": 2_489_894_016,
        "memory": 4_500_000_000,
        "license": "Gemma Terms of Use",
        "sha256": "04a43a22e8d2003deda5acc262f68ec1005fa76c735a9962a8c77042a74a7d19",
    },
    {
        "name": "Qwen3-4B-Instruct-2507",
        "parameters": "4B",
        "repo": "unsloth/Qwen3-4B-Instruct-2507-GGUF",
        "file": "Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        "size": 2_497_281_120,
        "memory": 5_500_000_000,
        "license": "Apache-2.0",
        "sha256": "3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
    },
    {
        "name": "Qwen3-8B",
        "parameters": "8B",
        "repo": "Qwen/Qwen3-8B-GGUF",
        "file": "Qwen3-8B-Q4_K_M.gguf",
        "size": 5_027_783_488,
        "memory": 8_000_000_000,
        "license": "Apache-2.0",
        "sha256": "d98cdcbd03e17ce47681435b5150e34c1417f50b5c0019dd560e4882c5745785",
    },
)


def offered(given: Iterable[Any], log: logging.Logger) -> list[HubModel]:
    """The valid entries of a configured list; the others are logged and left out."""
    found: dict[str, HubModel] = {}
    # Some file systems ignore case.
    taken = {MODEL_FILE.lower()}
    for entry in given:
        why = _problem(entry)
        if why is None and entry["name"] in found:
            why = "the name is there twice"
        if why is None and entry["file"].lower() in taken:
            why = "another model has the same `file`"
        if why is None:
            taken.add(entry["file"].lower())
            found[entry["name"]] = HubModel(**entry)
        else:
            log.warning("turnbook: an entry of local_models is left out: %s", why)
    return list(found.values())


def _problem(entry: Any) -> str | None:
    names = {each.name for each in fields(HubModel)} - {"sha256"}
    if not isinstance(entry, Mapping) or set(entry) - {"sha256"} != names:
        return f"it must have exactly {', '.join(sorted(names))}, and may have sha256"
    for name in ("size", "memory"):
        if not isinstance(entry[name], int) or entry[name] <= 0:
            return f"`{name}` must be a number of bytes"
    for name in names - {"size", "memory"}:
        if not isinstance(entry[name], str) or not entry[name]:
            return f"`{name}` must be text"
    sha256 = entry.get("sha256", "")
    if sha256 != "" and not (isinstance(sha256, str) and _SHA256.fullmatch(sha256)):
        return "`sha256` must be 64 digits, 0 to 9 and a to f"
    if not _NAME.fullmatch(entry["name"]) or not _NAME.fullmatch(entry["file"]):
        return "`name` and `file` have letters, digits, dots, dashes and underscores"
    if not entry["file"].endswith(".gguf"):
        return "`file` must end in .gguf"
    if not _REPO.fullmatch(entry["repo"]):
        return "`repo` must be owner/name"
    return None


def check_hub(url: str) -> str:
    """A hub's address without its last slash; raises `ValueError` if it cannot be used."""
    hub = url.strip().rstrip("/")
    if hub and not (may_visit(hub, hub) and urlsplit(hub).hostname):
        raise ValueError(
            "c.TurnbookApp.local_hub must begin with https:// (http:// only for this machine), or "
            "be empty to offer no downloads."
        )
    return hub


def may_visit(url: str, hub: str) -> bool:
    """Whether an address may be asked: https, or this machine if the hub itself is there."""
    if url.startswith("https://"):
        return True
    return all(each.startswith("http://") and is_loopback(each) for each in (url, hub))
