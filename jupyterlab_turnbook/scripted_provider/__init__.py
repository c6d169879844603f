"""A scripted OpenAI-compatible provider: a real HTTP server for tests that plays scripts.

It uses plain sockets, so a reply can be split, stalled or cut at any byte.
"""

from __future__ import annotations

from .server import Recorded, ScriptedProvider
from .threaded import ThreadedScriptedProvider

__all__ = ["Recorded", "ScriptedProvider", "ThreadedScriptedProvider"]
