"""What a page must know before it reads a notebook's file as text, instead of as a notebook."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from jupyter_core.utils import ensure_async

from .signature import signature_of

_READS = (
    "get",
    "mark_trusted_cells",
    "_file_model",
    "_get_hash",
    "_notebook_model",
    "_read_file",
    "_read_notebook",
)
"""What a contents manager of Jupyter Server reads with."""

_TRANSIENT = ("orig_nbformat", "orig_nbformat_minor", "signature")
"""What nbformat never reads."""


@dataclass(frozen=True)
class Reading:
    """How the server itself would read a notebook."""

    hash: str | None
    """The hash of the bytes that were looked at; None if only the server can read this notebook."""
    trusted: bool
    """Whether the outputs are trusted: the user has signed this notebook on this server."""

    def json(self) -> dict[str, Any]:
        """The contract's `Reading`."""
        return {"hash": self.hash, "trusted": self.trusted}


async def reading_of(manager: Any, path: str) -> Reading:
    """How a contents manager would read the notebook at this path; raises what its `get` does."""
    unknown = Reading(None, False)
    if not _is_own(manager):
        return unknown
    file = await ensure_async(
        manager.get(path, content=True, type="file", format="text", require_hash=True)
    )
    notary = manager.notary
    signature = await asyncio.to_thread(_signature, notary, file["content"])
    if signature is None:
        return unknown
    # The store belongs to this thread.
    return Reading(file["hash"], notary.store.check_signature(signature, notary.algorithm))


def _is_own(manager: Any) -> bool:
    """Whether it reads as Jupyter Server does; others may make a notebook of more than its file."""
    return all(
        getattr(getattr(manager, name, None), "__module__", "").startswith("jupyter_server.")
        for name in _READS
    )


def _signature(notary: Any, text: str) -> str | None:
    """A notebook's signature; None if nbformat cannot read it.

    It is the same as of the notebook that nbformat reads, which takes much longer: a signature does
    not depend on how texts are divided into lines.
    """
    try:
        notebook = json.loads(text)
        for key in _TRANSIENT:
            notebook["metadata"].pop(key, None)
        for cell in notebook["cells"]:
            cell["metadata"].pop("trusted", None)
        return signature_of(notary, notebook)
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        # No notebook, a lone surrogate, or nested too deep.
        return None
