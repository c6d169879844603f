"""Ports for servers that are started later, or again after they were down."""

from __future__ import annotations

import contextlib
import random
import socket

PORTS = range(20_000, 32_000)
"""The system gives none of these to who asks for any port."""

_DRAW = random.SystemRandom()


def lasting_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on."""
    with contextlib.ExitStack() as stack:
        found: list[int] = []
        for port in _DRAW.sample(PORTS, len(PORTS)):
            held = stack.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                held.bind(("127.0.0.1", port))
                found.append(port)
            if len(found) == count:
                return found
    raise AssertionError(f"fewer than {count} ports are free")


def lasting_port() -> int:
    """One such port."""
    return lasting_ports(1)[0]
