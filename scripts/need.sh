#!/bin/sh
# Say plainly what is missing before anything else fails in a riddle. Usage: need.sh PYTHON
python=$1
missing=0

say() {
  echo "Turnbook needs $1" >&2
  missing=1
}

if ! command -v "$python" >/dev/null 2>&1; then
  say "Python 3.10 or newer, and '$python' is not there. Install it, or name another: make PYTHON=/path/to/python3 ..."
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
  say "Python 3.10 or newer, and '$python' is $("$python" --version 2>&1). Name a newer one: make PYTHON=/path/to/python3 ..."
elif ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
  say "Python's venv module. On Debian and Ubuntu: apt-get install python3-venv"
fi

if ! command -v node >/dev/null 2>&1; then
  say "Node.js 20 or newer to build the extension (a released wheel needs none). Install it from https://nodejs.org or your package manager."
elif ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)'; then
  say "Node.js 20 or newer, and 'node' is $(node --version). Install a newer one from https://nodejs.org or your package manager."
fi

exit $missing
