"""A hub of models for tests: it describes a file with its SHA-256 and redirects to where it is."""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Hub:
    """Serves one file at `/owner/name/resolve/main/model.gguf`; its attributes say how."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.sha256: str | None = hashlib.sha256(data).hexdigest()
        self.size: int | str = len(data)
        self.status = 200
        """The status of every response, if it is an error."""
        self.elsewhere = ""
        """Another address that it redirects to."""
        self.ranges = True
        self.cuts: list[int] = []
        """After how many bytes each of the next responses breaks off."""
        self.instead: list[tuple[int, dict[str, str], bytes]] = []
        """Status, headers and body of responses to the next requests for a part of the file."""
        self.hold: threading.Event | None = None
        """Half of the file is sent, and the rest when this is set. Other processes use
        `POST /control/hold` and `POST /control/release`."""
        self.asked: list[tuple[str, str | None]] = []
        """Method and range of each request for the file itself."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Stop serving."""
        if self.hold is not None:
            self.hold.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self) -> None:
                self.do_GET()

            def do_POST(self) -> None:
                if self.path == "/control/hold":
                    hub.hold = threading.Event()
                elif self.path == "/control/release" and hub.hold is not None:
                    hub.hold.set()
                self._answer(204, {})

            def do_GET(self) -> None:
                if hub.status != 200:
                    self._answer(hub.status, {"Content-Length": "0"})
                elif self.path == "/owner/name/resolve/main/model.gguf":
                    described = {"X-Linked-Size": str(hub.size), "Content-Length": "0"}
                    if hub.sha256 is not None:
                        described["X-Linked-Etag"] = f'"{hub.sha256}"'
                    self._answer(302, {**described, "Location": hub.elsewhere or "/files/1"})
                elif self.path == "/files/1":
                    self._send_file()
                else:
                    self._answer(404, {"Content-Length": "0"})

            def _send_file(self) -> None:
                hub.asked.append((self.command, self.headers["Range"]))
                if self.headers["Range"] and hub.instead:
                    status, headers, body = hub.instead.pop(0)
                    self._answer(status, {"Content-Length": str(len(body)), **headers})
                    self.wfile.write(body)
                    return
                found = re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
                start = int(found[1]) if found and hub.ranges else 0
                data = hub.data[start:]
                headers = {"Content-Length": str(len(data))}
                if start:
                    headers["Content-Range"] = f"bytes {start}-{len(hub.data) - 1}/{len(hub.data)}"
                self._answer(206 if start else 200, headers)
                if self.command == "HEAD":
                    return
                if hub.cuts:
                    self.wfile.write(data[: hub.cuts.pop(0)])
                    self.close_connection = True
                elif hub.hold is not None:
                    half = len(data) // 2
                    self.wfile.write(data[:half])
                    self.wfile.flush()
                    hub.hold.wait()
                    self.wfile.write(data[half:])
                else:
                    self.wfile.write(data)

            def _answer(self, status: int, headers: dict[str, str]) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

            def handle(self) -> None:
                # The client may leave at any time.
                with contextlib.suppress(ConnectionError):
                    super().handle()

        return Handler
