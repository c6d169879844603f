"""Make the pictures in docs/: JupyterLab on the example chat, with a reply of the embedded model."""

from __future__ import annotations

import os
import subprocess
import sys

import chromium
import test


def main() -> int:
    """Run the one spec that takes them."""
    try:
        environment = {**os.environ, **test.prepare_ui()}
    except (chromium.NoChromiumError, OSError) as error:
        print(f"No pictures were made: {error}")
        return 1
    config = test.ROOT / "ui-tests" / "screenshot.config.ts"
    line = ["jlpm", "playwright", "test", f"--config={config}", "--project=lab"]
    done = subprocess.run(line, cwd=test.ROOT, env=environment, check=False)
    if done.returncode == 0:
        print("Made docs/screenshot.png and docs/screenshot-dark.png")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
