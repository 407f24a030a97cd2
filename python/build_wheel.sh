#!/usr/bin/env bash
# Builds the static binary and the wheel: dist/tessera-VERSION-py3-none-manylinux_2_17_..whl in this folder, or in the folder named.
#
#   python/build_wheel.sh [FOLDER]
#
# PYTHON names the interpreter (default python3, 3.10 or newer); hatchling comes from PyPI.
set -eu
cd "$(dirname "$0")"
out=${1:-dist}
(cd .. && ./bazelw build -c opt //:archive)
TESSERA_ARCHIVE=$PWD/../bazel-bin/tessera.tar.gz "${PYTHON:-python3}" -m pip wheel --quiet --no-deps --wheel-dir "$out" .
wheel=$(ls -t "$out"/tessera-*.whl | head -1)
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -lt 15000000 ] || { echo "the wheel is larger than 15 MB" >&2; exit 1; }
