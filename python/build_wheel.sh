#!/usr/bin/env bash
# Builds the engine and the wheel: dist/tessera-VERSION-cp312-abi3-manylinux_..whl in this folder, or in the folder named.
#
#   python/build_wheel.sh [FOLDER]
#
# PYTHON names the interpreter (default python3): the wheel of 3.12 or newer serves all from 3.12 on, that of an older one itself only.
# hatchling and nanobind come from PyPI.
set -eu
cd "$(dirname "$0")"
out=${1:-dist}
"${PYTHON:-python3}" -m pip wheel --quiet --no-deps --wheel-dir "$out" .
wheel=$(ls -t "$out"/tessera-*.whl | head -1)
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -lt 15000000 ] || { echo "the wheel is larger than 15 MB" >&2; exit 1; }
