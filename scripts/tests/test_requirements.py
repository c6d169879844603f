"""What `make` installs is pinned by version and hash, including all dependencies."""

from __future__ import annotations

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from jupyterlab_turnbook.local.files import ENGINE, ENGINE_PIN, ENGINE_SHA256

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "requirements"
FILES = {"dev": 50, "run": 50, "collaboration": 50, "docs": 25, "oldest": 50, "others": 50}
"""The files, and how many packages each has at least."""


def entries(name: str) -> list[tuple[Requirement, list[str]]]:
    """The requirements in a file with the hashes of each."""
    text = (FOLDER / f"{name}.txt").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [
        (Requirement(line.partition("--hash")[0]), re.findall(r"--hash=sha256:(\w{64})", line))
        for line in lines
    ]


def wanted_here(name: str) -> dict[str, str]:
    """The versions that a file names for this platform and Python."""
    return {
        canonicalize_name(each.name): str(each.specifier).removeprefix("==")
        for each, _ in entries(name)
        if each.marker is None or each.marker.evaluate()
    }


@pytest.mark.parametrize("name", FILES)
def test_each_is_pinned_with_its_hashes_and_names_no_index(name: str) -> None:
    found = entries(name)
    assert len(found) > FILES[name]
    for each, hashes in found:
        assert re.fullmatch(r"==[^*,]+", str(each.specifier)), each
        assert hashes, each
        assert each.url is None
    text = (FOLDER / f"{name}.txt").read_text()
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted", text)


@pytest.mark.parametrize(
    ("name", "extras"), [("dev", {"", "test", "lint"}), ("run", {""}), ("collaboration", {""})]
)
def test_all_dependencies_are_included(name: str, extras: set[str]) -> None:
    wanted = wanted_here(name)
    seen: set[tuple[str, str]] = set()
    todo = [("jupyterlab-turnbook", extra) for extra in extras]
    while todo:
        package, extra = todo.pop()
        if (package, extra) in seen:
            continue
        seen.add((package, extra))
        try:
            asked = distribution(package).requires or []
        except PackageNotFoundError:
            continue
        for requirement in map(Requirement, asked):
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            needed = canonicalize_name(requirement.name)
            assert needed in wanted, f"{package} asks for {requirement}: run scripts/lock.py"
            assert requirement.specifier.contains(wanted[needed], prereleases=True), requirement
            todo += [(needed, each) for each in ("", *requirement.extras)]
    assert len(seen) > 50


def test_the_installed_versions_are_the_locked_ones() -> None:
    differ = {
        name: (version, distribution(name).version)
        for name, version in wanted_here("dev").items()
        if distribution(name).version != version
    }
    assert differ == {}


def test_the_files_agree_with_each_other_and_with_the_constraints() -> None:
    dev = wanted_here("dev")
    for name in ("run", "collaboration", "docs"):
        other = wanted_here(name)
        assert {
            each: other[each] for each in other if each in dev and other[each] != dev[each]
        } == {}
    everything = {**wanted_here("collaboration"), **dev}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if not line.startswith("#"):
            pin = Requirement(line)
            found = everything.get(canonicalize_name(pin.name))
            if found is not None and (pin.marker is None or pin.marker.evaluate()):
                assert pin.specifier.contains(found), f"{pin}: run scripts/lock.py"


def test_the_oldest_file_has_the_oldest_jupyterlab_and_otherwise_the_same_versions() -> None:
    asked = [Requirement(each) for each in distribution("jupyterlab-turnbook").requires or []]
    (lab,) = [each for each in asked if each.name == "jupyterlab"]
    run, oldest = wanted_here("run"), wanted_here("oldest")
    assert f">={oldest['jupyterlab']}" in str(lab.specifier), "run scripts/lock.py"
    differ = {each for each in oldest if each in run and oldest[each] != run[each]}
    assert differ == {"jupyterlab"}


def test_the_fetched_engine_is_the_installed_one() -> None:
    pins = {f"{each.name}{each.specifier}": hashes for each, hashes in entries("run")}
    assert set(pins[ENGINE_PIN]) == set(ENGINE_SHA256)


MACHINES = {
    ("CPython", "linux", "x86_64"): True,
    ("CPython", "linux", "aarch64"): True,
    ("CPython", "darwin", "arm64"): True,
    ("CPython", "darwin", "x86_64"): True,
    ("CPython", "win32", "AMD64"): True,
    ("CPython", "win32", "ARM64"): False,
    ("CPython", "linux", "armv7l"): False,
    ("CPython", "linux", "riscv64"): False,
    ("CPython", "emscripten", "wasm32"): False,
    ("PyPy", "linux", "x86_64"): False,
}
"""Implementation, platform and machine, and whether a wheel of the engine exists there."""


@pytest.mark.parametrize("machine", MACHINES)
def test_the_engine_is_asked_for_where_a_wheel_of_it_exists(machine: tuple[str, str, str]) -> None:
    names = ("platform_python_implementation", "sys_platform", "platform_machine")
    here = {**dict(zip(names, machine, strict=True)), "extra": ""}
    asked = [Requirement(each) for each in distribution("jupyterlab-turnbook").requires or []]
    engine = [each for each in asked if each.name == ENGINE]
    plain = [each for each in engine if each.marker and each.marker.evaluate(here)]
    asking = {**here, "extra": "local"}
    extra = [each for each in engine if each.marker and each.marker.evaluate(asking)]
    assert bool(plain) == MACHINES[machine]
    assert extra
    locked = [each for each, _ in entries("run") if each.name == ENGINE]
    assert [bool(each.marker and each.marker.evaluate(here)) for each in locked] == [bool(plain)]


def test_nothing_is_installed_without_hashes() -> None:
    for file in ("Makefile", "scripts/rtc_env.py", "scripts/docs_site.py", "scripts/lab_env.py"):
        text = (ROOT / file).read_text().replace("\\\n", " ").replace('", "', " ")
        commands = re.findall(r"(?:pip|pip\(\")\s*install\b.*", text)
        assert commands
        for command in commands:
            assert "--require-hashes" in command or "--no-deps" in command, command


def test_no_package_runs_install_scripts() -> None:
    assert "enableScripts: false" in (ROOT / ".yarnrc.yml").read_text().splitlines()
    package = json.loads((ROOT / "package.json").read_text())
    assert "dependenciesMeta" not in package
