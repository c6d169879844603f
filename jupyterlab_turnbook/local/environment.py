"""The environment of our child processes; the server's own may contain keys and tokens."""

from __future__ import annotations

import os
from collections.abc import Iterable

# Enough to start Python, find libraries and use the user's locale.
_BASE = frozenset(
    {
        "PATH",
        "HOME",
        "USERPROFILE",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "TEMP",
        "TMP",
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "WINDIR",
        "PATHEXT",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "DYLD_FALLBACK_LIBRARY_PATH",
        "PYTHONHOME",
        "PYTHONPATH",
        "PYTHONUSERBASE",
        "CUDA_VISIBLE_DEVICES",
        "HIP_VISIBLE_DEVICES",
        "OMP_NUM_THREADS",
    }
)
# To reach a package index the way the user's own pip does.
_NETWORK = frozenset(
    {
        "APPDATA",
        "LOCALAPPDATA",
        "NETRC",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "XDG_CONFIG_HOME",
        "XDG_CONFIG_DIRS",
        "XDG_CACHE_HOME",
    }
)


def of_child() -> dict[str, str]:
    """The environment of the process that runs the model."""
    return _kept(_BASE, ("LC_",))


def of_pip() -> dict[str, str]:
    """The environment of pip when it downloads the model."""
    proxies = {name for name in os.environ if name.lower().endswith("_proxy")}
    return _kept(_BASE | _NETWORK | proxies, ("LC_", "PIP_"))


def _kept(names: Iterable[str], prefixes: tuple[str, ...]) -> dict[str, str]:
    kept = set(names)
    return {
        name: value
        for name, value in os.environ.items()
        if name in kept or name.startswith(prefixes)
    }
