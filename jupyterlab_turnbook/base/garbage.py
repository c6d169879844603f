"""Spares a server long pauses of Python's garbage collector."""

from __future__ import annotations

import gc

_spared = False


def spare_loaded() -> None:
    """Never look again for garbage among what is there now; once in a process.

    A Jupyter server has loaded some 200,000 objects that stay until it ends. To go through them takes a
    tenth of a second, in which no token of any reply goes on, and streams make garbage enough for
    that to happen every few seconds. What nobody refers to is freed as before.
    """
    global _spared
    if _spared:
        return
    _spared = True
    # The young generations are small, and would be kept for ever with what is garbage in them.
    gc.collect(1)
    gc.freeze()
