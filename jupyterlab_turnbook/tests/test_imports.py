"""Modules import in one direction, for values and types alike."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import jupyterlab_turnbook

NAME = "jupyterlab_turnbook"
ROOT = Path(jupyterlab_turnbook.__file__).parent

ORDER = (
    "_version",
    "base",
    "contract",
    "scripted_provider",
    "local",
    "providers",
    "runs",
    "records",
    "rerun",
    "export",
    "events",
    "chats",
    "settings_texts",
    "routes",
    "app",
    "command",
    "pytest_plugin",
    NAME,
)
"""Each package imports only those before it; the last one is the root package."""


def modules(root: Path) -> dict[str, Path]:
    """The modules of a package by name, without tests."""
    found = {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(root.parent).with_suffix("").parts
        if not {"tests", "labextension"} & set(parts):
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports(known: Mapping[str, Path]) -> dict[str, set[str]]:
    """Which module imports which, including imports inside functions and only for types."""
    found = {name: {_known(each, known) for each in _named(name, known[name])} for name in known}
    return {name: others - {name, ""} for name, others in found.items()}


def _named(name: str, path: Path) -> Iterator[str]:
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            begin = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{begin}.{each.name}" for each in node.names)


def _known(name: str, known: Mapping[str, Path]) -> str:
    """The module of a dotted name; empty if it is not ours."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """An import cycle, if there is one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def upward(graph: Mapping[str, set[str]], order: tuple[str, ...]) -> list[str]:
    """The imports that violate the order of packages."""

    def place(module: str) -> int:
        parts = module.split(".")
        return order.index(parts[1] if len(parts) > 1 else parts[0])

    return sorted(
        f"{module} imports {other}"
        for module, others in graph.items()
        for other in others
        if place(other) > place(module)
    )


def test_there_are_no_import_cycles() -> None:
    assert cycle(imports(modules(ROOT))) == []


def test_packages_import_in_one_direction() -> None:
    assert upward(imports(modules(ROOT)), ORDER) == []


@pytest.mark.parametrize(
    "text",
    [
        "from .. import second",
        "from ..second import thing",
        "from some.second import thing",
        "import some.second",
        "if TYPE_CHECKING:\n    from ..second import Thing",
        "def late():\n    from .. import second",
    ],
)
def test_every_kind_of_import_is_found(tmp_path: Path, text: str) -> None:
    root = tmp_path / "some"
    (root / "first").mkdir(parents=True)
    for file in ("__init__.py", "first/__init__.py"):
        (root / file).write_text("")
    (root / "second.py").write_text("from .first import one\n")
    (root / "first" / "one.py").write_text(text)
    graph = imports(modules(root))
    assert upward(graph, ("first", "second", "some")) == ["some.first.one imports some.second"]
    assert set(cycle(graph)) == {"some.first.one", "some.second"}
