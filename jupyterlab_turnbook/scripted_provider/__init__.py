"""A scripted OpenAI-compatible provider: a real HTTP server for tests, which does what it is told.

It runs on plain sockets, so that a reply can be split, stalled or cut at any byte.
"""

from __future__ import annotations

from .server import Recorded, ScriptedProvider
from .threaded import ThreadedScriptedProvider

__all__ = ["Recorded", "ScriptedProvider", "ThreadedScriptedProvider"]
