"""Links resolve, named files exist, and the pages on settings and keys are complete."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from jupyterlab_turnbook.app import TurnbookApp

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path for pattern in ("*.md", "docs/**/*.md", ".github/**/*.md") for path in ROOT.glob(pattern)
)

_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_SOURCE = re.compile(r"""\b(?:src|srcset|href)=["']([^"']+)["']""")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def links(text: str) -> list[str]:
    """The links of a page, outside code."""
    prose = _CODE.sub("", _FENCE.sub("", text))
    return [*_LINK.findall(prose), *_SOURCE.findall(prose)]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub names them."""
    found: dict[str, int] = {}
    names = set()
    for heading in _HEADING.findall(_FENCE.sub("", page.read_text("utf-8"))):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        names.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return frozenset(names)


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere in this repository."""
    bad = []
    for link in links(page.read_text("utf-8")):
        if re.match(r"[a-z][a-z0-9+.-]*:|//", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        known = target.exists() and target.is_relative_to(ROOT)
        if not known or (anchor and (target.suffix != ".md" or anchor not in anchors(target))):
            bad.append(link)
    return bad


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    assert broken(page) == []


def test_a_broken_link_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_docs.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "# Some `code` & more\n\n[a](#some-code--more) [b](page.md) [c](https://example.org)\n"
        "[d](#gone) [e](gone.md) [f](../out.md) `[g](code.md)`\n\n```\n[h](fence.md)\n```\n"
    )
    assert broken(page) == ["#gone", "gone.md", "../out.md"]


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen = {ROOT / "README.md"}
    todo = list(seen)
    while todo:
        page = todo.pop()
        for link in links(page.read_text("utf-8")):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target in PAGES and target not in seen:
                seen.add(target)
                todo.append(target)
    hidden = {page for page in PAGES if ".github" in page.parts}
    assert set(PAGES) - hidden - seen == set()


@cache
def sources() -> frozenset[str]:
    """Every source file, by each tail of its path."""
    folders = ("src", "jupyterlab_turnbook", "faults", "scripts", "bench", "ui-tests", "docs")
    files = [path for path in ROOT.iterdir() if path.is_file()]
    files += [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    parts = [path.relative_to(ROOT).parts for path in files]
    return frozenset("/".join(each[n:]) for each in parts for n in range(len(each)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_source_files_that_are_named_exist(page: Path) -> None:
    named = re.findall(r"`([\w./-]+\.(?:tsx?|mjs|py|grammar|yaml))`", page.read_text("utf-8"))
    assert [name for name in named if name not in sources()] == []


@pytest.fixture
def settings() -> dict[str, str]:
    """The rows of the page on settings: name and default."""
    text = (ROOT / "docs" / "settings.md").read_text("utf-8")
    return dict(re.findall(r"^\| `([^`]+)` +\| ([^|]+?) +\|", text, re.MULTILINE))


def schema(name: str) -> dict[str, Any]:
    """One of the schemas that JupyterLab reads."""
    loaded: dict[str, Any] = json.loads((ROOT / "schema" / f"{name}.json").read_text("utf-8"))
    return loaded


def test_the_page_on_settings_lists_all_with_their_defaults(settings: dict[str, str]) -> None:
    chat = schema("chat")["properties"]
    server = TurnbookApp.class_own_traits(config=True)
    assert set(settings) == {*chat, *server}
    for name, entry in chat.items():
        default = entry["default"]
        shown = default if isinstance(default, str) else json.dumps(default)
        assert settings[name] == (f"`{shown}`" if shown else "empty"), name


def test_the_page_on_keys_lists_all() -> None:
    text = (ROOT / "docs" / "keys.md").read_text("utf-8")
    names = {"Accel": "Ctrl", "ArrowUp": "↑", "ArrowDown": "↓", "Escape": "Esc"}
    shown = {key.lower() for key in re.findall(r"`([^`]+)`", text)}
    for shortcut in schema("commands")["jupyter.lab.shortcuts"]:
        for chord in shortcut["keys"]:
            key = "+".join(names.get(part, part) for part in chord.split()).lower()
            plain = key.removeprefix("shift+")
            assert key in shown or plain in shown, f"{shortcut['command']}: {key}"
