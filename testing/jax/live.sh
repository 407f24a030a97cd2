#!/usr/bin/env bash
# Runs the checks that need the real jaxlib: programs, 150 random ones and 150 mutated modules, in a virtual environment of their own (TESSERA_VENV, default .venv).
set -eu
cd "$(dirname "$0")/../.."
venv=${TESSERA_VENV:-.venv}
if ! "$venv/bin/python" -c 'import jax; assert jax.__version__ == "0.10.2"' 2>/dev/null; then
  echo "installing jax into $venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet -r testing/jax/requirements.txt
fi
./bazelw build -c opt //:tessera //testing:conformance
exec "$venv/bin/python" testing/jax/live.py --seeds 150 "$@"
