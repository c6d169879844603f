"""A provider that keeps connections open, as real ones do: `python provider.py [CERTIFICATE KEY]`.

The scripted provider closes them after each reply, so nobody could be measured on a warm one.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path

from jupyterlab_turnbook.scripted_provider.tls import server_context


def _event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    data = f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n".encode()
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: keep-alive\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
FIRST = _event({"role": "assistant", "content": "Hello"})
REST = _event({"content": " you."}) + _event({}, "stop") + b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = head.partition("content-length: ")[2].partition("\r\n")[0]
            await reader.readexactly(int(length or 0))
            writer.write(HEAD + FIRST)
            await writer.drain()
            writer.write(REST)
            await writer.drain()
    writer.close()


async def main(*certificate: str) -> None:
    """Serve until standard input ends."""
    context = server_context(*map(Path, certificate)) if certificate else None
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    print(json.dumps({"port": port}), flush=True)
    async with server:
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
