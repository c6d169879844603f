"""The texts of the settings in the user's language.

JupyterLab's server translates the settings of extensions with the catalogues of a language pack,
and knows none that an extension brings itself (jupyterlab_server 2.28). This gives it ours.
"""

from __future__ import annotations

import json
from logging import Logger
from pathlib import Path

from jupyterlab_server.translation_utils import TranslationBundle, translator

DOMAIN = "jupyterlab_turnbook"

_LOCALES = Path(__file__).parent / "locale"


class SettingsTexts(TranslationBundle):
    """The bundle of a language pack, if it has one for Turnbook, then Turnbook's own catalogue."""

    def update_locale(self, locale_: str) -> None:
        """Use another language; one without a catalogue stays English."""
        super().update_locale(locale_)
        file = _LOCALES / Path(locale_).name / "LC_MESSAGES" / f"{DOMAIN}.json"
        try:
            self._texts = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            self._texts = {}

    def pgettext(self, msgctxt: str, msgid: str) -> str:
        """Translate a text of a settings schema."""
        translated = super().pgettext(msgctxt, msgid)
        if translated != msgid:
            return translated
        (text,) = self._texts.get(f"{msgctxt}\x04{msgid}", [msgid])
        return str(text)


def translate_settings(log: Logger) -> None:
    """Have JupyterLab's server use the catalogue."""
    try:
        translator._TRANSLATORS[DOMAIN] = SettingsTexts(DOMAIN, translator._LOCALE)
    except AttributeError as error:
        log.warning("Turnbook's settings are in English: %s", error)
