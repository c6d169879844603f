"""Rewrites requirements/*.txt: every package that is installed, by version and hash.

    python scripts/lock.py [--upgrade]

The versions in constraints.txt apply, but for litellm.txt and others.txt. Other packages keep their locked versions, unless `--upgrade`
asks for the newest. Needs uv (`pip install uv`). Each file is valid for all platforms and Python
versions that Turnbook supports, and names no index: pip uses the user's.

oldest.txt has the oldest JupyterLab that pyproject.toml allows, whatever constraints.txt says. newest.txt
has the newest, and is written only while that differs from the one in dev.txt.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
# The sources of each file, by its name without .txt. Later files use the versions of the first.
FILES = {
    "dev": ["pyproject.toml", "requirements/tools.in", "--extra=test", "--extra=lint"],
    "run": ["pyproject.toml"],
    "collaboration": ["pyproject.toml", "--extra=collaboration"],
    "docs": ["requirements/docs.in"],
    "litellm": ["requirements/litellm.in"],
    "others": ["requirements/others.in"],
}
# Those in environments without Turnbook have whatever versions they like.
ALONE = ("litellm", "others")
LAB = "jupyterlab"


def main() -> int:
    """Compile each file."""
    uv = shutil.which("uv")
    if uv is None:
        print("uv is not installed. Run: pip install uv", file=sys.stderr)
        return 1
    options = [
        "--universal",
        "--python-version=3.10",
        "--generate-hashes",
        "--no-header",
        "--quiet",
    ]
    options += ["--no-annotate", *sys.argv[1:]]
    for name, sources in FILES.items():
        same = [] if name == "dev" else ["--constraints=requirements/dev.txt"]
        kept = [] if name in ALONE else ["--constraints=constraints.txt", *same]
        compile_file(uv, name, [*options, *kept, *sources], sources[0])
    oldest = re.search(
        rf'"{LAB}>=([^,"]+)', (ROOT / "pyproject.toml").read_text().split("[project]")[1]
    )
    assert oldest is not None
    compile_lab(uv, "oldest", [*options, "pyproject.toml"], f"{LAB}=={oldest[1]}")
    compile_lab(uv, "newest", [*options, "--upgrade-package", LAB, "pyproject.toml"], LAB)
    if pin("newest") == pin("dev"):
        (FOLDER / "newest.txt").unlink()
    return 0


def compile_lab(uv: str, name: str, options: list[str], lab: str) -> None:
    """Compile a file with another JupyterLab and, for the rest, the versions of the others."""
    others = (FOLDER / "run.txt").read_text().replace("\\\n", " ").splitlines()
    kept = [line.partition(" --hash")[0] for line in others if not re.match(rf"#|{LAB}==", line)]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write("\n".join([*kept, lab]))
        constraints.flush()
        compile_file(uv, name, [*options, f"--constraints={constraints.name}"])


def compile_file(uv: str, name: str, options: list[str], source: str = "pyproject.toml") -> None:
    """Write one file."""
    file = FOLDER / f"{name}.txt"
    command = [uv, "pip", "compile", f"--output-file={file}", *options]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    also = "" if name in ALONE else " and constraints.txt"
    header = f"# Written by scripts/lock.py from {source}{also}.\n"
    file.write_text(header + file.read_text().removeprefix(header))


def pin(name: str) -> str:
    """The JupyterLab in a file."""
    found = re.search(rf"^{LAB}==(\S+)", (FOLDER / f"{name}.txt").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


if __name__ == "__main__":
    sys.exit(main())
