"""The style sheets and the source use the same classes, each in one spelling and one file."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STYLE = ROOT / "style"
ROOMS = (
    "ui",
    "filter",
    "render",
    "providers",
    "chat",
    "requestpanel",
    "replay",
    "compare",
    "rerun",
    "bridge",
)
"""The folders of `style/`, in the order in which their rules apply; they are rooms of `src/`."""

_CLASS = re.compile(
    r"jp-Turnbook-[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z][A-Za-z0-9]*)*(?![A-Za-z0-9]|-\$)"
)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{};]+)\{")


def sheets() -> dict[str, str]:
    """The style sheets with rules, without comments."""
    return {
        str(path.relative_to(STYLE)): _COMMENT.sub("", path.read_text("utf-8"))
        for path in sorted(STYLE.rglob("*.css"))
        if path.parent != STYLE
    }


def styled() -> set[str]:
    """Every class that has a rule."""
    return {name for text in sheets().values() for name in _CLASS.findall(text)}


def used_in(text: str, beside: str = "") -> set[str]:
    """The classes that a source file names.

    A name may be built from a constant of the file, or from a prefix and a word in quotes in this
    or a neighbouring file.
    """
    constants = dict(re.findall(r"const (\w+) =\s*'(jp-Turnbook-[\w-]+)'", text))
    for name, value in constants.items():
        text = text.replace("${" + name + "}", value)
    found = set(_CLASS.findall(text))
    for begin in re.findall(r"(jp-Turnbook-[\w-]+-)\$\{", text):
        found |= {begin + word for word in re.findall(r"'([a-z]\w*)'", text + beside)}
    return found


def used() -> set[str]:
    """Every class that the source names."""
    texts = {
        path: path.read_text("utf-8")
        for path in (ROOT / "src").rglob("*.ts*")
        if "__tests__" not in path.parts
    }
    beside: dict[Path, str] = defaultdict(str)
    for path, text in texts.items():
        beside[path.parent] += text
    return {name for path, text in texts.items() for name in used_in(text, beside[path.parent])}


def test_every_class_that_is_styled_is_used() -> None:
    assert styled() - used() == set()


def test_a_class_has_one_spelling() -> None:
    spellings = defaultdict(set)
    for name in styled() | used():
        spellings[name.lower().replace("-", "")].add(name)
    assert [names for names in spellings.values() if len(names) > 1] == []
    assert [name for name in styled() | used() if name[len("jp-Turnbook-")].isupper()] == []


def test_a_component_is_in_one_file() -> None:
    # A rule belongs to the first class in its selector, and may style what that contains.
    files = defaultdict(set)
    for file, text in sheets().items():
        for rule in _RULE.findall(text):
            for selector in rule.split(","):
                if first := _CLASS.search(selector):
                    files[first[0].split("-")[2]].add(file)
    assert {name: places for name, places in files.items() if len(places) > 1} == {}


def test_every_sheet_is_imported_once_room_by_room() -> None:
    imported = re.findall(r"@import url\('([^']+)'\);", (STYLE / "base.css").read_text("utf-8"))
    assert sorted(imported) == sorted(sheets())
    rooms = [ROOMS.index(file.split("/")[0]) for file in imported]
    assert rooms == sorted(rooms)


def test_composed_names_are_found() -> None:
    text = "const CLASS = 'jp-Turnbook-one';\n`${CLASS}-two`; `jp-Turnbook-three-${name}`"
    found = used_in(text, "part('four')")
    assert {"jp-Turnbook-one", "jp-Turnbook-one-two", "jp-Turnbook-three-four"} <= found
    assert "jp-Turnbook-three" not in found
