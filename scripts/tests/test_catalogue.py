"""Texts that name a button name the button that a user of that language sees."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

LOCALES = Path(__file__).resolve().parents[2] / "jupyterlab_turnbook" / "locale"
CATALOGUES = sorted(LOCALES.glob("*/LC_MESSAGES/*.json"))
NAME = re.compile(r"(?<!\*)\*(?!\*)([^*]+)\*(?!\*)")


@pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parts[-3])
def test_names_in_texts_are_those_of_the_buttons(file: Path) -> None:
    texts: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    found = 0
    for text, translated in texts.items():
        # Code may have stars, too.
        for name in NAME.findall(re.sub(r"`[^`]*`", "", text)) if text else []:
            found += 1
            assert f"*{texts[name][0]}*" in translated[0], text
    assert found >= 4
