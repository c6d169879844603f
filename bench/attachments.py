"""Images in a chat: pasting one, writing beside ten, and opening a chat with a hundred."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import struct
import zlib
from pathlib import Path
from statistics import median

from browser import browse, lab
from chats import write_chat
from table import Row

PASTED = 5_000_000
KEPT = 1_000_000
ATTACHED = 10
IMAGES = 100


def measure(*, rounds: int) -> list[Row]:
    """The same browser and server for both views."""
    with lab() as running:
        # The same file is attached only once, so each is another one.
        pictures = [running.root / f"{n}.png" for n in range(1 + ATTACHED)]
        for n, picture in enumerate(pictures):
            picture.write_bytes(png(KEPT if n else PASTED, n))
        job = {
            "base": running.base,
            "empty": write_chat(running.root, 10),
            "full": write_images(running.root),
            "pictures": [str(picture) for picture in pictures],
            "rounds": rounds,
        }
        found = browse("attachments.mjs", job)
    paste, with_images, without = (median(found[key]) for key in ("paste", "with", "without"))
    chat, own = median(found["chat"]), median(found["own"])
    size = f"{IMAGES} x {KEPT // 1_000_000} MB"
    return [
        Row(
            "paste of an image until it is in the list",
            f"{PASTED // 1_000_000} MB",
            f"{paste:.0f} ms",
            target="≤ 200 ms",
            met=paste <= 200,
        ),
        Row(
            "key to frame with ten images attached, against none; work of the page",
            f"{ATTACHED} x {KEPT // 1_000_000} MB",
            f"{with_images:.2f} ms",
            f"{without:.2f} ms",
            with_images / without,
            target="≤ 1.2 x",
            met=with_images <= 1.2 * without,
        ),
        Row(
            "open a chat with images until its last cell is seen, against JupyterLab's own view",
            size,
            f"{chat:.0f} ms",
            f"{own:.0f} ms",
            chat / own,
            target="≤ 1 x",
            met=chat <= own,
        ),
    ]


def png(size: int, seed: int = 0) -> bytes:
    """A PNG of about so many bytes, which cannot be compressed."""
    side = max(1, int((size / 3) ** 0.5))
    rng = random.Random(seed)
    rows = b"".join(b"\0" + rng.randbytes(side * 3) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def write_images(folder: Path) -> str:
    """Write a chat in which each message has an image, and give its name."""
    name = write_chat(folder, IMAGES, seed=17)
    chat = json.loads((folder / name).read_text())
    for n, cell in enumerate(cell for cell in chat["cells"] if cell["cell_type"] == "code"):
        data = png(KEPT, n)
        entry = {
            "part": "attachment",
            "name": f"{n}.png",
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        image = {"image/png": base64.b64encode(data).decode()}
        output = {"output_type": "display_data", "data": image, "metadata": {"turnbook": entry}}
        cell["outputs"].insert(0, output)
    (folder / name).write_text(json.dumps(chat))
    return name
