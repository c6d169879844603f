"""The settings in another language, as JupyterLab's server translates them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_server.serverapp import ServerApp
from jupyterlab_server.translation_utils import translator

SCHEMAS = Path(__file__).parents[2] / "schema"


@pytest.fixture
def german(jp_serverapp: ServerApp) -> Iterator[None]:
    before = translator._LOCALE
    translator.set_locale("de_DE")
    yield
    translator.set_locale(before)


@pytest.mark.usefixtures("german")
def test_all_titles_and_descriptions_of_settings_are_translated() -> None:
    for file in SCHEMAS.glob("*.json"):
        english = json.loads(file.read_text())
        german = translator.translate_schema(json.loads(file.read_text()))
        assert german["title"] != english["title"]
        for name, setting in english["properties"].items():
            shown = german["properties"][name]
            for key in {"title", "description"} & setting.keys():
                assert shown[key] != setting[key] or setting[key] == "Replay", setting[key]
            assert shown.get("default") == setting.get("default")


@pytest.mark.usefixtures("jp_serverapp")
@pytest.mark.parametrize("locale", ["en", "fr_FR", "xx"])
def test_a_language_without_a_catalogue_stays_english(locale: str) -> None:
    texts = translator.load("jupyterlab-turnbook")
    before = translator._LOCALE
    try:
        texts.update_locale(locale)
        assert texts.pgettext("settings", "Auto-apply") == "Auto-apply"
    finally:
        texts.update_locale(before)
