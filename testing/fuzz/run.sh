#!/usr/bin/env bash
# Fuzzes with Clang's libFuzzer for HOURS in all, one process at a time, and says how many inputs each target has run.
#
#   testing/fuzz/run.sh 0.1                 six minutes, AddressSanitizer and UndefinedBehaviorSanitizer
#   testing/fuzz/run.sh --fast 12           a night without sanitizers: coverage and the targets' own comparisons
#   testing/fuzz/run.sh --keep 1 map_fuzz   one target; what its corpus has learnt goes into the kept file
#   testing/fuzz/run.sh --seed=7 1          other inputs: the same seed and corpus give the same ones (default 1)
#
# Each run goes on from ./fuzz-corpus, which begins with the kept inputs (testdata/NAME.hex, a line each in hexadecimal digits), and
# knows the words of HLO (dictionary.cc). An input that fails is left in ./fuzz-failures. Without Clang the kept inputs are replayed.
# A target has a share of the time and a longest input: small inputs are run a hundred times as often as modules, and find as much in
# a text of one line.
set -u
cd "$(dirname "$0")/../.." || exit 2
readonly ROOT=$PWD
source testing/fuzz/corpus.sh

# Name, share of the time in percent, longest input in bytes.
SHARES="
  module_fuzz 30 8192
  parser_fuzz 15 1024
  proto_fuzz 10 1024
  shape_text_fuzz 10 128
  sharding_text_fuzz 10 256
  index_map_fuzz 5 48
  map_fuzz 5 64
  relayout_fuzz 5 64
  rule_text_fuzz 5 256
  text_fuzz 5 256
"

config=fuzz
seed=1
keep=
while [[ ${1:-} == --* ]]; do
  case $1 in
    --fast) config=fuzz_fast ;;
    --keep) keep=yes ;;
    --seed=*) seed=${1#--seed=} ;;
    *)
      sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
  esac
  shift
done
hours=${1:-0.1}
shift

clang=$(command -v clang-16 || command -v clang-19 || command -v clang || true)
targets=$(./bazelw query --noshow_progress 'attr(tags, fuzz, //...)')
if [ -z "$targets" ]; then
  echo "no fuzz targets: Bazel has no answer" >&2
  exit 1
fi
if [ -n "${*:-}" ]; then
  targets=$(for target in $targets; do [[ " $* " == *" ${target##*:} "* ]] && echo "$target"; done)
fi
if [ -z "$clang" ] || ! echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
  "$clang" -x c++ -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null; then
  echo "no Clang with libFuzzer: replaying the corpora"
  exec ./bazelw test -c opt $targets
fi
mkdir -p fuzz-failures fuzz-corpus
./bazelw build -c opt //testing/fuzz:dictionary && bazel-bin/testing/fuzz/dictionary > fuzz-corpus/hlo.dict || exit 1
./bazelw build --config="$config" --repo_env=CC="$clang" --action_env=CC="$clang" $targets || exit 1

# The number after a word of libFuzzer's last lines.
stat_of() { grep -o "$1[: ]*[0-9]*" "$2" | tail -1 | grep -o '[0-9]*$'; }

# Runs one target; a line of the table goes to $table.
fuzz_one() {
  local target=$1 share=$2 longest=$3 name=${1##*:}
  local binary=$ROOT/bazel-bin/${target#//}
  binary=${binary/://}
  local corpus=fuzz-corpus/$name log=fuzz-corpus/$name.log seconds result=passed
  seconds=$(awk "BEGIN { print int($hours * 36 * $share) + 1 }")
  begin_corpus "$target" "$corpus" || return 1
  "$binary" -max_total_time="$seconds" -seed="$seed" -max_len="$longest" -artifact_prefix=fuzz-failures/"$name"- -print_final_stats=1 \
    -timeout=60 -rss_limit_mb=4096 -dict=fuzz-corpus/hlo.dict "$corpus" > "$log" 2>&1 || result=FAILED
  printf '%-20s %12s %10s %9s %9s  %s\n' "$name" "$(stat_of number_of_executed_units "$log")" "$seconds" "$(stat_of cov "$log")" \
    "$(ls "$corpus" | wc -l)" "$result" >> "$table"
  if [ "$result" = FAILED ]; then
    tail -40 "$log"
    return 1
  fi
  [ -z "$keep" ] || keep_corpus "$target" "$binary" "$corpus" "$longest"
}

table=$(mktemp)
trap 'rm -f "$table"' EXIT
failed=0
for target in $targets; do
  name=${target##*:}
  read -r _ share longest < <(grep "^ *$name " <<< "$SHARES")
  if [ -z "${share:-}" ]; then
    echo "$target has no share of the time in $0" >&2
    failed=1
    continue
  fi
  [ -z "${*:-}" ] || share=$((100 / $#))
  fuzz_one "$target" "$share" "$longest" || failed=1
done
printf '%-20s %12s %10s %9s %9s\n' "$config, seed $seed" executions seconds coverage corpus
cat "$table"
awk '{ n += $2 } END { printf "%-20s %12d\n", "all", n }' "$table"
exit "$failed"
