#!/usr/bin/env bash
# Compares `tessera collectives --target` (testing/targets/targets.py), `tessera memory --target` (testing/targets/memory.py) and `tessera cost
# --target` (testing/targets/time.py) with the results of the real compilers for the programs beside the project. A share that is smaller than
# the recorded one (testing/targets/shares.txt, memory_shares.txt, time_shares.txt) fails. `--record` writes them anew. Exit status 77 if
# TESSERA_SHARED is not set: nothing was compared.
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
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# "h100: calls 3 of 18, .." as "h100 calls 3", a line for each.
summary() {
  sed -n 's/^\([a-z0-9-]*\): \([a-z0-9]* [0-9.]*\( of [0-9]*\)\{0,1\}, .*\)/\1 \2/p' "$report" | grep -E '^[a-z0-9-]+ (calls|exact|within15|device|waits25) ' |
    while read -r chip rest; do
      echo "${rest%%;*}" | tr ',' '\n' | while read -r kind count _; do echo "$chip $kind $count"; done
    done
}

# The shares that a script counts, and the file that has those of before.
compare() {
  python3 "testing/targets/$1" bazel-bin/pipeline/tessera "$shared/targets/shared" "${@:3}" | tee "$report"
  if [ "${PIPESTATUS[0]}" -ne 0 ]; then
    echo "testing/targets/$1 failed: $2 was neither compared nor recorded" >&2
    return 1
  fi
  if [ -z "$(summary)" ]; then
    echo "testing/targets/$1 printed no shares: $2 stays as it is" >&2
    return 1
  fi
  if [ "$record" = --record ]; then
    summary > "$2"
    return 0
  fi
  worse=$(awk 'NR == FNR { now[$1 " " $2] = $3; next } now[$1 " " $2] + 0 < $3 { print $1 " " $2 ": " now[$1 " " $2] + 0 ", recorded " $3 }' \
    <(summary) "$2")
  [ -z "$worse" ] && return 0
  printf 'fewer than recorded:\n%s\n' "$worse"
  return 1
}

record=${1:-}
failed=0
compare targets.py testing/targets/shares.txt || failed=1
compare memory.py testing/targets/memory_shares.txt || failed=1
compare time.py testing/targets/time_shares.txt "--rank=$shared/targets/rank/gpt" || failed=1
exit $failed
