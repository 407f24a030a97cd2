#!/usr/bin/env bash
# Looks for data races with ThreadSanitizer: tests of what runs on several threads, then each verb that takes --jobs or starts a thread, on modules
# of the project. Exit status 77 where the compiler cannot make such a program, or the system does not let it run.
#
#   testing/threads.sh
set -u
cd "$(dirname "$0")/.." || exit 2
readonly RACE=66
readonly TESTS=(//cost/sweep:all //pipeline/verbs:sweep_verb_test //pipeline/verbs:suggest_verb_test //projection/signatures:all //text:all)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! { echo 'int main() {}' | g++ -fsanitize=thread -x c++ - -o "$scratch/empty" && "$scratch/empty"; } 2>"$scratch/why"; then
  echo "threads: no program with ThreadSanitizer runs here: $(head -n 1 "$scratch/why")" >&2
  exit 77
fi

# One test takes away the memory that the sanitizer itself needs.
./bazelw test --config=tsan --test_filter=-ParallelDeathTest.ThreadsThatCannotBeMadeAreDoneWithout "${TESTS[@]}" || exit 1
./bazelw build --config=tsan //pipeline:tessera || exit 1

failed=0
runs=0
ask() {  # WORDS OF A COMMAND ..
  TSAN_OPTIONS="exitcode=$RACE" bazel-bin/pipeline/tessera "$@" >"$scratch/out" 2>"$scratch/err"
  local status=$?
  runs=$((runs + 1))
  if [ "$status" -gt 1 ]; then
    echo "threads: status $status of tessera $*" >&2
    head -n 40 "$scratch/err" >&2
    failed=$((failed + 1))
  fi
}

readonly MESHES=(--mesh=data=8,model=1 --mesh=data=4,model=2 --mesh=data=2,model=4)
ask_all() {  # MODULE NAME OF A PARAMETER, TARGET
  local module=$1 mesh=--mesh=data=4,model=2
  ask sweep "$module" "${MESHES[@]}" "--try=$2=P(None,'model')|P('model')|none" "$3" --jobs=8
  ask suggest "$module" "$mesh" "$3" --jobs=8
  local verb
  for verb in memory collectives cost lint report; do ask "$verb" "$module" "$mesh" "$3" -o "$scratch/answer"; done
}
for target in --target=tpu-v5e:2x4 --target=h100:1x1x8; do
  ask_all examples/mlp.hlo '^w1$' "$target"
  ask_all examples/train_step.hlo down "$target"
done
for module in examples/mlp.hlo examples/train_step.hlo; do
  ask memory "$module" --mesh=data=4,model=2 --jobs=8
  ask reshards "$module" --mesh=data=4,model=2
done
echo "threads: $runs commands, $failed failed"
[ "$failed" -eq 0 ]
