"""Rewrites requirements/*.txt: every package that is installed, by version and hash.

    python scripts/lock.py [--upgrade]

The versions in constraints.txt apply. Other packages keep their locked versions, unless `--upgrade`
asks for the newest. Needs uv (`pip install uv`). Each file is valid for all platforms and Python
versions that Turnbook supports, and names no index: pip uses the user's.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
# The sources of each file, by its name without .txt. Later files use the versions of the first.
FILES = {
    "dev": ["pyproject.toml", "requirements/tools.in", "--extra=test", "--extra=lint"],
    "run": ["pyproject.toml"],
    "collaboration": ["pyproject.toml", "--extra=collaboration"],
}
HEADER = "# Written by scripts/lock.py from pyproject.toml and constraints.txt.\n"


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
    options += ["--no-annotate", "--constraints=constraints.txt", *sys.argv[1:]]
    for name, sources in FILES.items():
        file = FOLDER / f"{name}.txt"
        same = [] if name == "dev" else ["--constraints=requirements/dev.txt"]
        command = [uv, "pip", "compile", *options, *same, f"--output-file={file}", *sources]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        file.write_text(HEADER + file.read_text().removeprefix(HEADER))
    return 0


if __name__ == "__main__":
    sys.exit(main())
