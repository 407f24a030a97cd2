#!/usr/bin/env bash
# Compares `tessera collectives --target` with what the real compilers made of the programs beside the project (testing/targets/targets.py), and
# `tessera cost --target` with the times that they expect (testing/targets/time.py). The shares are compared with those that the project has
# recorded (testing/targets/shares.txt): a smaller one fails. `--record` writes them anew.
# Exit status 77 where TESSERA_SHARED is not set: nothing was looked at.
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
shares=testing/targets/shares.txt
report=$(mktemp)
trap 'rm -f "$report"' EXIT
python3 testing/targets/targets.py bazel-bin/pipeline/tessera "$shared/targets/shared" | tee "$report"
[ "${PIPESTATUS[0]}" -eq 0 ] || exit 1
python3 testing/targets/time.py bazel-bin/pipeline/tessera "$shared/targets/shared" --rank="$shared/targets/rank/gpt" | tee -a "$report"
[ "${PIPESTATUS[0]}" -eq 0 ] || exit 1

# "h100: calls 3 of 18, .." as "h100 calls 3", a line for each.
summary() {
  sed -n 's/^\([a-z0-9-]*\): \(\(calls\|within15\|device\) .*\)/\1 \2/p' "$report" |
    while read -r chip rest; do
      echo "$rest" | tr ',' '\n' | while read -r kind count _; do echo "$chip $kind $count"; done
    done
}
if [ "${1:-}" = --record ]; then
  summary > "$shares"
  exit 0
fi
worse=$(awk 'NR == FNR { now[$1 " " $2] = $3; next } now[$1 " " $2] + 0 < $3 { print $1 " " $2 ": " now[$1 " " $2] + 0 ", recorded " $3 }' \
  <(summary) "$shares")
[ -z "$worse" ] && exit 0
printf 'fewer than recorded:\n%s\n' "$worse"
exit 1
