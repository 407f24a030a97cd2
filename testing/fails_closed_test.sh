#!/usr/bin/env bash
# What looks at the whole project fails where Bazel has no answer and where what it is told to look at is missing: nothing passes that
# has not looked. The scripts run in a copy of their folders, with a Bazel and a Clang that only pretend.
set -u
readonly PROJECT=$TEST_TMPDIR/project
mkdir -p "$PROJECT"/testing/{fuzz,jax} "$PROJECT/.ci" "$PROJECT/bin"
cp testing/{clang,compiled,layering,shared_cases,style,targets}.sh "$PROJECT/testing"
cp testing/fuzz/{run,corpus}.sh "$PROJECT/testing/fuzz"
cp testing/jax/{score,index}{,_test}.py "$PROJECT/testing/jax"
cp pipeline/manual/completion_test.sh "$PROJECT"
cp .ci/run "$PROJECT/.ci"
cd "$PROJECT" || exit 2
printf '#!/bin/sh\nexit 0\n' > bin/clang-16
cp bin/clang-16 bin/clang++-16
chmod +x bin/*
export PATH=$PROJECT/bin:$PATH
unset TESSERA_SHARED CI

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
# A step that cannot run fails where it is required: by name, or on a build server, where only missing corpora excuse.
mkdir testing/newer_bazel
printf '#!/bin/sh\nexit 77\n' > testing/newer_bazel/run.sh
chmod +x testing/newer_bazel/run.sh
expect 0 '0 passed, 0 failed, 1 skipped' .ci/run newer_bazel
expect 1 'newer_bazel: FAILED: it could not run and is required' .ci/run --require newer_bazel
expect 1 '0 passed, 1 failed, 0 skipped' env CI=true .ci/run newer_bazel
expect 1 '0 passed, 1 failed, 0 skipped' .ci/run --require conformance
expect 0 '0 passed, 0 failed, 1 skipped' env CI=true .ci/run conformance
expect 2 "no step 'true'" .ci/run true
expect 2 "no step '--required'" .ci/run --required conformance
# Parts of the live comparison.
expect 0 'OK' python3 testing/jax/score_test.py
expect 0 'OK' python3 testing/jax/index_test.py
# The style of no files, and each of the tools that says no.
export TESSERA_STYLE_VENV=$PROJECT/venv
mkdir -p venv/bin python/src/tessera
for tool in python pip clang-format ruff mypy; do ln -s "$(type -P true)" "venv/bin/$tool"; done
expect 1 'no tracked files: Git has no answer' testing/style.sh
git init -q . && touch a.cc a.py && git add a.cc a.py
expect 0 'style: 1 files of C++, 1 of Python' testing/style.sh
for tool in clang-format ruff mypy; do
  ln -sf "$(type -P false)" "venv/bin/$tool"
  expect 1 '' testing/style.sh
  ln -sf "$(type -P true)" "venv/bin/$tool"
done
# A shell that is missing, where all are wanted.
mkdir few
ln -s "$(command -v bash)" few
expect 1 'no zsh: its completion was not read' env PATH="$PROJECT/few" TESSERA_ALL_SHELLS=yes bash completion_test.sh true
# Corpora: not asked for, or not where they should be.
expect 77 'skipped: TESSERA_SHARED names no folder' testing/shared_cases.sh
expect 0 '0 passed, 0 failed, 1 skipped' .ci/run conformance
export TESSERA_SHARED=$PROJECT/nowhere
# The steps tests and sweeps say where the corpora are, asan does not.
printf '#!/bin/sh\n[ "$1" != query ] || echo //hlo:sweep_test\necho "bazel $*"\n' > bazelw
expect 0 'bazel test -c opt --test_env=TESSERA_SHARED //...' .ci/run tests
expect 0 'bazel test -c opt --test_env=TESSERA_SHARED //hlo:sweep_test' .ci/run sweeps
expect 0 'bazel test --config=asan --test_timeout=900 //... //hlo:sweep_test' .ci/run asan
bazel_says '' 7
expect 1 'has no spec/cases' testing/shared_cases.sh
expect 1 'has no targets/shared' testing/targets.sh
expect 1 'has no targets/shared' testing/compiled.sh
expect 1 '0 passed, 1 failed, 0 skipped' .ci/run conformance
exit "$failed"
