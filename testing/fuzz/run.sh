#!/usr/bin/env bash
# Runs every fuzz target for the given number of seconds from its kept corpus, with Clang's libFuzzer, AddressSanitizer and
# UndefinedBehaviorSanitizer. Without Clang the corpus is replayed. An input that fails is left in ./fuzz-failures. The seed is
# always the same (the second argument, if there is one): what one run finds the next one finds too.
#
#   testing/fuzz/run.sh 30 [SEED]
set -u
cd "$(dirname "$0")/../.." || exit 2
seconds=${1:-30}
seed=${2:-1}
clang=$(command -v clang-16 || command -v clang-19 || command -v clang || true)
targets=$(./bazelw query --noshow_progress 'attr(tags, fuzz, //...)')
if [ -z "$targets" ]; then
  echo "no fuzz targets: Bazel has no answer" >&2
  exit 1
fi
if [ -z "$clang" ] || ! echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
  "$clang" -x c++ -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null; then
  echo "no Clang with libFuzzer: replaying the corpora"
  exec ./bazelw test -c opt $targets
fi
./bazelw build --config=fuzz --repo_env=CC="$clang" --action_env=CC="$clang" $targets || exit 1
# One file for each line of hexadecimal digits.
unpack() {
  local number=0 line
  while read -r line; do
    printf '%b' "$(echo "$line" | sed 's/../\\x&/g')" > "$2/$number"
    number=$((number + 1))
  done < "$1"
}
failed=0
for target in $targets; do
  binary=$(echo "bazel-bin/${target#//}" | tr ':' '/')
  corpus=$(mktemp -d)
  package=${target#//}
  package=${package%%:*}
  name=${target##*:}
  [ -d "$package/testdata/$name" ] && cp "$package/testdata/$name"/* "$corpus"
  [ -f "$package/testdata/$name.hex" ] && unpack "$package/testdata/$name.hex" "$corpus"
  [ "$name" = module_fuzz ] && cp testing/jax/golden/*.before.hlo "$corpus"
  if [ -z "$(ls "$corpus")" ]; then
    echo "$target has no kept inputs" >&2
    failed=1
  fi
  mkdir -p fuzz-failures
  echo "$target for $seconds s, kept inputs: $(ls "$corpus" | wc -l)"
  if ! "$binary" -max_total_time="$seconds" -seed="$seed" -artifact_prefix=fuzz-failures/ -print_final_stats=0 -timeout=20 \
    "$corpus" > "$corpus.log" 2>&1; then
    failed=1
    tail -40 "$corpus.log"
  fi
  rm -rf "$corpus" "$corpus.log"
done
exit "$failed"
