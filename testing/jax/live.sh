#!/usr/bin/env bash
# Runs the checks that need the real jaxlib: programs, 150 random ones and 150 mutated modules, in a virtual environment of their own
# (reference_venv.sh).
set -eu
cd "$(dirname "$0")/../.."

. testing/jax/reference_venv.sh
make_reference_venv
./bazelw build -c opt //:tessera //testing:conformance
exec "$venv/bin/python" testing/jax/live.py --seeds 150 "$@"
