"""A process that has no file descriptors left: what it needs then is there already."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jupyterlab_turnbook.runs import live
from jupyterlab_turnbook.runs.live import Live


def test_codecs_are_loaded_before_they_are_needed() -> None:
    code = (
        "import sys, jupyterlab_turnbook.runs.network, jupyterlab_turnbook.base.dialect;"
        "print({'encodings.utf_16_le', 'encodings.idna'} - sys.modules.keys())"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert said.stdout.strip() == b"set()"


@pytest.mark.parametrize("error", [OSError(24, "Too many open files"), MemoryError()])
async def test_the_end_of_a_run_is_written_when_there_are_some_again(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "_FINISH_AGAIN", (0.001,))
    ends = [error, error, None]

    async def write(work: Any, *, durable: bool) -> None:
        if (failed := ends.pop(0)) is not None:
            raise failed

    run = SimpleNamespace(end=lambda tx: None, wake=asyncio.Event(), run=SimpleNamespace(id="r"))
    await Live.write_end(
        cast("Any", run),
        cast("Any", SimpleNamespace(write=write)),
        asyncio.Event(),
        logging.getLogger(__name__),
    )
    assert ends == []
