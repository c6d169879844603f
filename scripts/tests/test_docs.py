"""Links resolve, every page is listed, named files exist, and some pages are complete."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import struct
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import docs_site
import pytest

from jupyterlab_turnbook.app import TurnbookApp
from jupyterlab_turnbook.command import main as command
from jupyterlab_turnbook.scripted_provider import ThreadedScriptedProvider
from jupyterlab_turnbook.tests.rerun_support import Folder, settle

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path for pattern in ("*.md", "docs/**/*.md", ".github/**/*.md") for path in ROOT.glob(pattern)
)

_SOURCE = re.compile(r"""\b(?:src|srcset|href)=["']([^"']+)["']""")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def links(text: str) -> list[str]:
    """The links of a page, outside code."""
    prose = docs_site.VERBATIM.sub("", text)
    return [*(link for _, link, _ in docs_site.LINK.findall(prose)), *_SOURCE.findall(prose)]


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub names them."""
    found: dict[str, int] = {}
    names = set()
    for heading in _HEADING.findall(docs_site.FENCE.sub("", page.read_text("utf-8"))):
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


def test_every_page_of_the_site_is_listed_once() -> None:
    pages = [*docs_site.DOCS.rglob("*.md"), *(ROOT / name for name in docs_site.ELSEWHERE)]
    indexes = [docs_site.DOCS / name for name in docs_site.INDEXES]
    found = Counter(page for index in indexes for page in docs_site.listed(index))
    assert found == Counter(set(pages) - {docs_site.DOCS / "index.md"})


def test_every_picture_is_used_and_they_are_small() -> None:
    pictures = set(docs_site.DOCS.rglob("*.png"))
    used = {
        (page.parent / link).resolve()
        for page in PAGES
        for link in links(page.read_text("utf-8"))
        if link.endswith(".png")
    }
    assert pictures - used == set()
    assert sum(picture.stat().st_size for picture in pictures) <= 3_500_000


def test_pictures_of_the_look_are_of_the_same_size_before_and_after() -> None:
    def size(link: str) -> tuple[int, int]:
        width, height = struct.unpack(">II", (docs_site.DOCS / link).read_bytes()[16:24])
        return width, height

    rows = [
        [link for link in links(line) if link.endswith(".png")]
        for line in (docs_site.DOCS / "look.md").read_text("utf-8").splitlines()
    ]
    pairs = [(size(before), size(after)) for before, after in filter(None, rows)]
    assert len(pairs) >= 6
    assert [pair for pair in pairs if pair[0] != pair[1]] == []


def test_sources_of_the_site_have_links_that_lead_there_or_to_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("docs/howto/one.md", "src/code.ts", "ARCHITECTURE.md", "docs/index.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(docs_site, "ROOT", tmp_path)
    monkeypatch.setattr(docs_site, "DOCS", tmp_path / "docs")
    page = tmp_path / "docs" / "howto" / "one.md"
    page.write_text(
        "[a](../../ARCHITECTURE.md#x) [`b`](../../src/code.ts) [c](../../src/) [d](../index.md)\n"
        "[e](https://example.org/) [f](#g) [g](gone.md) `[h](../../src/code.ts)`\n\n"
        "```\n[i](../index.md)\n```\n"
    )
    (tmp_path / "docs" / "index.md").write_text("- [One](howto/one.md): x\n")
    assert docs_site.source(page, "https://host/repo") == (
        "[a](../architecture/index.md#x) [`b`](https://host/repo/blob/main/src/code.ts)"
        " [c](https://host/repo/tree/main/src) [d](../index.md)\n"
        "[e](https://example.org/) [f](#g) [g](gone.md) `[h](../../src/code.ts)`\n\n"
        "```\n[i](../index.md)\n```\n"
    )
    index = docs_site.source(tmp_path / "docs" / "index.md", "")
    assert index.endswith("```{toctree}\n:hidden:\n\nOne <howto/one.md>\n```\n")


def test_what_is_wrong_with_a_site_is_found(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<img src="https://example.org/a.png"><a href="other.html#there">a</a>'
        '<a href="other.html#gone">b</a><a href="gone.html">c</a><a href="https://example.org">d</a>'
    )
    (tmp_path / "other.html").write_text('<p id="there"></p><a href="index.html">a</a>')
    assert list(docs_site.broken(tmp_path)) == [
        "index.html loads https://example.org/a.png",
        "index.html: no anchor for other.html#gone",
        "index.html: no file for gone.html",
    ]


@cache
def sources() -> frozenset[str]:
    """Every source file, by each tail of its path."""
    folders = (
        "src",
        "jupyterlab_turnbook",
        "faults",
        "hubs",
        "soak",
        "scripts",
        "bench",
        "ui-tests",
        "docs",
    )
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


def test_the_page_on_the_command_line_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "commandline.md").read_text("utf-8")
    with pytest.raises(SystemExit):
        command(["--help"])
    commands = re.findall(r"^    (\w+)", capsys.readouterr().out, re.MULTILINE)
    assert commands
    for name in commands:
        assert f"## `jupyter turnbook {name}`" in text
        with pytest.raises(SystemExit):
            command([name, "--help"])
        options = re.findall(r"^  (--[\w-]+)", capsys.readouterr().out, re.MULTILINE)
        assert [option for option in options if f"`{option}" not in text] == []


def test_the_notebooks_of_the_example_are_what_the_commands_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("capital.replay", "haiku.replay", "results")
    files = [ROOT / f"examples/rerun/{name}.ipynb" for name in names]
    assert command(["verify", *map(str, files)]) == 0
    assert capsys.readouterr().out.count(": OK") == 3
    # One byte of a reply is another.
    results = (ROOT / "examples/rerun/results.ipynb").read_bytes()
    changed = tmp_path / "results.ipynb"
    changed.write_bytes(results.replace(b"France is Paris.", b"France is Parys.", 1))
    assert command(["verify", str(changed)]) == 1
    assert ": OK" not in capsys.readouterr().out


@pytest.fixture
def provider() -> Iterator[ThreadedScriptedProvider]:
    """A provider for the commands of examples."""
    provider = ThreadedScriptedProvider()
    provider.start()
    yield provider
    provider.stop()


def test_the_command_of_the_example_works_in_a_fresh_checkout(
    tmp_path: Path, provider: ThreadedScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = tmp_path / "rerun"
    fresh = shutil.ignore_patterns("again.*", "*.rerun.sqlite*", "__pycache__")
    shutil.copytree(ROOT / "examples/rerun", example, ignore=fresh)
    page = (example / "README.md").read_text("utf-8")
    [rerun] = re.findall(r"^jupyter turnbook (rerun .+)", page, re.MULTILINE)
    settle(Folder(tmp_path, provider), monkeypatch.setenv)
    monkeypatch.chdir(example)
    # What it sends to the embedded model goes to another one here.
    arguments = [*shlex.split(rerun), "--model", "test/scripted"]
    for _ in range(2):
        assert command(arguments) == 0
        assert len(provider.completions()) == 6
    assert command(["verify", *map(str, example.glob("*.ipynb"))]) == 0
