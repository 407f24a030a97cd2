#!/usr/bin/env bash
# Runs the driver over the case files and pairs beside the project and compares with the counts that the project has recorded
# (testing/shared_counts.txt): fewer passed cases than recorded fail. `--record` writes the counts anew. Exit status 77 where TESSERA_SHARED
# is not set: nothing was looked at.
set -u
cd "$(dirname "$0")/.." || exit 2
shared=${TESSERA_SHARED:-}
shared=${shared%/}
counts=testing/shared_counts.txt
if [ -z "$shared" ]; then
  echo "skipped: TESSERA_SHARED names no folder"
  exit 77
fi
if [ ! -d "$shared/spec/cases" ]; then
  echo "$shared has no spec/cases" >&2
  exit 1
fi
./bazelw build -c opt //testing:conformance || exit 1
report=$(mktemp)
trap 'rm -f "$report"' EXIT
cases=$(find "$shared/spec/cases" -name '*.jsonl' | sort)
folders=$(find "$shared/conformance" -name '*.before.hlo' -printf '%h\n' | sort -u)
truths=$(find "$shared/conformance/spmd" -name index.tsv -printf '%h\n' 2>/dev/null | sort)
# Word splitting is wanted: none of these paths has blanks.
bazel-bin/testing/conformance --show=3 $cases $folders $truths | tee "$report"

# "FILE: N passed, ..." -> "NAME N"; the names of pairs and of collectives are their folders below conformance.
summary() {
  sed -n 's/^\(.*\): \([0-9]*\) passed, .*/\1 \2/p' "$report" |
    sed "s|^$shared/conformance/||; s|^$shared/spec/cases/||; s|\.jsonl | |" |
    while read -r file passed; do echo "$file $passed"; done
}
if [ "${1:-}" = --record ]; then
  summary > "$counts"
  exit 0
fi
worse=$(awk 'NR == FNR { now[$1] = $2; next } now[$1] + 0 < $2 { print $1 ": " now[$1] + 0 " passed, recorded " $2 }' \
  <(summary) "$counts")
[ -z "$worse" ] && exit 0
printf 'fewer than recorded:\n%s\n' "$worse"
exit 1
