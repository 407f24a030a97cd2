#!/usr/bin/env bash
# What looks at the whole project fails where Bazel has no answer and where what it is told to look at is missing: nothing passes that
# has not looked. The scripts run in a copy of their folders, with a Bazel and a Clang that only pretend.
set -u
readonly PROJECT=$TEST_TMPDIR/project
mkdir -p "$PROJECT/testing/fuzz" "$PROJECT/.ci" "$PROJECT/bin"
cp testing/{clang,layering,shared_cases}.sh "$PROJECT/testing"
cp testing/fuzz/{run,corpus}.sh "$PROJECT/testing/fuzz"
cp .ci/run "$PROJECT/.ci"
cd "$PROJECT" || exit 2
printf '#!/bin/sh\nexit 0\n' > bin/clang-16
cp bin/clang-16 bin/clang++-16
chmod +x bin/*
export PATH=$PROJECT/bin:$PATH
unset TESSERA_SHARED

# Bazel says "$1" to a query and exits with status $2, whatever it is asked.
bazel_says() {
  printf '#!/bin/sh\n[ "$1" != query ] || echo "%s"\necho "no such package" >&2\nexit %s\n' "$1" "$2" > bazelw
  chmod +x bazelw
}

failed=0
# The status that a command must end with, and words that it must say.
expect() {
  local status=$1 words=$2 said
  shift 2
  said=$("$@" 2>&1)
  local got=$?
  if [ "$got" -ne "$status" ] || ! grep -qF -- "$words" <<< "$said"; then
    failed=1
    printf '%s: status %s, not %s with "%s":\n%s\n' "$*" "$got" "$status" "$words" "$said"
  fi
}

bazel_says '' 7
expect 1 'no answer about //text/...' testing/layering.sh
expect 1 'no sources: Bazel has no answer' testing/clang.sh
expect 1 'no fuzz targets: Bazel has no answer' testing/fuzz/run.sh 0.001
expect 1 '0 passed, 3 failed, 0 skipped' .ci/run rest sweeps asan
# A target that is there and does not build, or has no share of the time.
bazel_says '//hlo:parser_fuzz' 1
expect 1 'no such package' testing/fuzz/run.sh 0.001
bazel_says '//hlo:new_fuzz' 0
mkdir bazel-bin bazel-bin/testing bazel-bin/testing/fuzz
cp bin/clang-16 bazel-bin/testing/fuzz/dictionary
expect 1 '//hlo:new_fuzz has no share of the time' testing/fuzz/run.sh 0.001
# Corpora: not asked for, or not where they should be.
expect 77 'skipped: TESSERA_SHARED names no folder' testing/shared_cases.sh
expect 0 '0 passed, 0 failed, 1 skipped' .ci/run conformance
export TESSERA_SHARED=$PROJECT/nowhere
expect 1 'has no spec/cases' testing/shared_cases.sh
expect 1 '0 passed, 1 failed, 0 skipped' .ci/run conformance
exit "$failed"
