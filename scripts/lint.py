"""Run every linter, also after one has complained, and say at the end which did."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

LINTERS = {
    "TypeScript": ["jlpm", "lint:types"],
    "ESLint": ["jlpm", "lint:code"],
    "API types": ["node", "scripts/types.mjs", "--check"],
    "Rooms": ["node", "scripts/rooms.mjs", "--check"],
    "Prettier": ["jlpm", "lint:format"],
    "Stylelint": ["jlpm", "lint:style"],
    "ruff": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
}


def main() -> int:
    """0 when all are content."""
    failed = []
    for name, command in LINTERS.items():
        print(f"==> {name}", flush=True)
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            failed.append(name)
    if failed:
        print(
            f"\nNot clean: {', '.join(failed)}. `make fix` repairs what can be repaired by itself."
        )
        return 1
    print("\nAll clean.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
