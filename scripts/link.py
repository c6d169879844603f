"""Makes this environment's JupyterLab load the extension from the working tree.

An editable install copies the built front end; with a link, each new build is used at once.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Replace the copy with a link."""
    source = ROOT / "jupyterlab_turnbook" / "labextension"
    target = Path(sys.prefix) / "share/jupyter/labextensions/jupyterlab-turnbook"
    if target.is_symlink():
        target.unlink()
    elif target.exists():
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(source, target_is_directory=True)


if __name__ == "__main__":
    main()
