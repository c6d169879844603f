"""Runs every linter, even after one has failed, and says at the end which did.

    python scripts/lint.py [--report FILE]

A report is a list of `[name, passed, output]`, for `make test`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

LINTERS = {
    "TypeScript": ["jlpm", "lint:types"],
    "ESLint": ["jlpm", "lint:code"],
    "API types": ["node", "scripts/types.mjs", "--check"],
    "API page": ["node", "scripts/apipage.mjs", "--check"],
    "Rooms": ["node", "scripts/rooms.mjs", "--check"],
    "Catalogue": ["node", "scripts/catalogue.mjs", "--check"],
    "Prettier": ["jlpm", "lint:format"],
    "Stylelint": ["jlpm", "lint:style"],
    "knip": ["jlpm", "knip"],
    # Code that only tests use counts as unused too.
    "knip without tests": ["jlpm", "knip", "--production", "--exclude=dependencies"],
    "ruff": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
}


def run(command: list[str]) -> tuple[bool, str]:
    """Run a linter and print its output; returns whether it passed, and the output."""
    said = []
    try:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        print(error, flush=True)
        return False, f"{error}\n"
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        said.append(line)
    return process.wait() == 0, "".join(said)


def main() -> int:
    """Run all linters; returns 0 if all pass."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", type=Path)
    report = parser.parse_args().report
    checks = []
    for name, command in LINTERS.items():
        print(f"==> {name}", flush=True)
        checks.append((name, *run(command)))
    if report:
        report.write_text(json.dumps(checks), encoding="utf-8")
    failed = [name for name, good, _ in checks if not good]
    if failed:
        print(
            f"\nNot clean: {', '.join(failed)}. `make fix` repairs what can be fixed automatically."
        )
        return 1
    print("\nAll clean.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
