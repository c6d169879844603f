"""A certificate for 127.0.0.1 and a name that nobody else trusts."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path


def certificate(folder: Path, name: str = "localhost") -> tuple[Path, Path]:
    """Make a certificate and its key with OpenSSL's command, which has to be installed."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    names = f"subjectAltName=IP:127.0.0.1,DNS:{name}"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={name}", "-addext", names]
    subprocess.run(
        [*command, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True
    )
    return cert, key


def server_context(cert: Path, key: Path) -> ssl.SSLContext:
    """What a server needs to present it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context
