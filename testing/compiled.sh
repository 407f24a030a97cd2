#!/usr/bin/env bash
# Asks everything about finished programs (testing/compiled/answers.py). Compares tessera's memory and collectives of them with the reports of their compilers
# (testing/compiled/compiled.py), and prints the error of each and a table by chip. Then compares predictions from the programs before compilation with the finished ones
# (testing/compiled/predicted.py). Exit status 77 if TESSERA_SHARED is not set: nothing was compared.
set -u
cd "$(dirname "$0")/.." || exit 2
shared=${TESSERA_SHARED:-}
shared=${shared%/}
if [ -z "$shared" ]; then
  echo "skipped: TESSERA_SHARED names no folder"
  exit 77
fi
if [ ! -d "$shared/targets/shared" ]; then
  echo "$shared has no targets/shared" >&2
  exit 1
fi
./bazelw build -c opt //pipeline:tessera || exit 1
python3 testing/compiled/answers.py bazel-bin/pipeline/tessera "$shared/targets/shared" || exit 1
python3 testing/compiled/compiled.py bazel-bin/pipeline/tessera "$shared/targets/shared" || exit 1
python3 testing/compiled/layouts.py bazel-bin/pipeline/tessera "$shared/targets/shared" || exit 1
python3 testing/compiled/predicted.py bazel-bin/pipeline/tessera "$shared/targets/shared"
