#!/usr/bin/env bash
# Asks Bazel whether a package knows one that it must not know. Prints each path that should not exist.
#
#   testing/layering.sh
set -u
cd "$(dirname "$0")/.." || exit 2

# Each line: a package, and what no path may lead to.
RULES='
//text/...                 //layout/... + //sharding/... + //hlo/... + //projection/... + //pipeline/...
//layout/...               //hlo/... + //sharding/... + //projection/... + //pipeline/...
//sharding:all             //hlo/... + //layout/... + //pipeline/...
//sharding/factors/...     //hlo/... + //sharding/rules/... + //pipeline/...
//sharding/propagation/... //hlo/... + //sharding/rules/... + //sharding/graph/... + //pipeline/...
//sharding/reshard/...     //hlo/... + //sharding/rules/... + //sharding/graph/... + //pipeline/...
//projection:all           //hlo/... + //sharding/... + //layout/... + //pipeline/...
//hlo/...                  //sharding/factors/... + //sharding/rules/... + //sharding/graph/... + //projection/... + //pipeline/...
//projection/signatures/... //sharding/... + //pipeline/...
//sharding/rules/...       //sharding/propagation/... + //sharding/graph/... + //pipeline/...
//sharding/graph/...       //pipeline/...
'

failed=0
# Tests may reach further than what they test.
libraries() { echo "kind('cc_library', $1)"; }

while read -r from to; do
  [ -n "$from" ] || continue
  path=$(./bazelw query --noshow_progress --keep_going \
    "somepath($(libraries "$from") except attr(testonly, 1, $from), $(libraries "$to"))" 2>/dev/null)
  if [ -n "$path" ]; then
    failed=1
    printf '%s must not know %s:\n%s\n' "$from" "$to" "$path"
  fi
done <<< "$RULES"
[ "$failed" -eq 0 ] && echo "layering: every package knows only what it may"
exit "$failed"
