"""Makes the pictures in docs/.

Those of the README show the example chat with a reply of the embedded model, those of walk.md a
chat with the scripted provider.
"""

from __future__ import annotations

import os
import subprocess
import sys

import chromium
import test


def main() -> int:
    """Run the specs that take them."""
    try:
        environment = {**os.environ, **test.prepare_ui()}
    except (chromium.NoChromiumError, OSError) as error:
        print(f"No pictures were made: {error}")
        return 1
    config = test.ROOT / "ui-tests" / "screenshot.config.ts"
    line = ["jlpm", "playwright", "test", f"--config={config}", "--project=lab"]
    done = subprocess.run(line, cwd=test.ROOT, env=environment, check=False)
    if done.returncode == 0:
        print("Made docs/screenshot.png, docs/screenshot-dark.png and docs/walk/*.png")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
