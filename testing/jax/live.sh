#!/usr/bin/env bash
# Runs the checks that need the real jaxlib: single passes, programs, 150 random ones and 150 mutated modules, in a virtual environment of their own
# (reference_venv.sh).
set -eu
cd "$(dirname "$0")/../.."

. testing/jax/reference_venv.sh
make_reference_venv
./bazelw build -c opt //:tessera //testing:conformance
"$venv/bin/python" testing/jax/live_passes.py
exec "$venv/bin/python" testing/jax/live.py --seeds 150 "$@"
