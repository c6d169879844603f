"""The scripts are modules of no package: the tests find them beside their folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
