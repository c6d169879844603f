"""The journal on a disk of the network: without shared memory, and for one server at a time."""

from __future__ import annotations

NETWORK: dict[str, object] = {"network": "nfs4", "shared_memory": False}
"""Such a disk, below SQLite and to the journal."""
