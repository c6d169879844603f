"""Makes the pictures in docs/.

Those of the README show a chat with a reply of the embedded model, the others chats with the scripted
provider. Those in docs/look/before/ came with 0.1.0 and stay.
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
        print("Made the pictures in docs/, all but those in docs/look/before/")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
