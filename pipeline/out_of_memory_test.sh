#!/usr/bin/env bash
# Memory that runs out: every verb ends with its answer, or with a message and exit status 2.
# Review: front D3.
#
#   out_of_memory_test.sh PROGRAM MODULE
set -u
tessera=$1 module=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! (ulimit -v 4000000) 2>/dev/null; then
  echo "skipped: this system sets no limit on the address space"
  exit 0
fi
runs=0 refused=0 failed=0

# run_within KIB VERB ..: its exit status
run_within() {
  { (ulimit -c 0 && ulimit -v "$1" && exec "$tessera" "${@:2}" "$module") \
    >"$scratch/out" 2>"$scratch/err"; } 2>/dev/null
}

# A limit below which the program does not even start.
least=1000
until run_within "$least" stats || [ $? -eq 2 ]; do
  least=$((least + 500))
  [ "$least" -lt 4000000 ] || { echo "the program does not start within $least KiB"; exit 1; }
done

# falling VERB ..: with ever less memory
falling() {
  local limit=$((least + 40000)) status
  for (( ; limit >= least; limit -= 1000)); do
    run_within "$limit" "$@"
    status=$?
    runs=$((runs + 1))
    [ "$status" -eq 0 ] && continue
    refused=$((refused + 1))
    [ "$status" -eq 2 ] && [ -s "$scratch/err" ] && continue
    echo "$* within $limit KiB: exit status $status, and it said: $(head -c 300 "$scratch/err")"
    failed=1
  done
}

falling sweep --mesh=data=8 --mesh=data=4,model=2 --target=tpu-v5e:2x4
falling suggest --mesh=data=4,model=2 --target=tpu-v5e:2x4 --tries=20
falling memory --mesh=data=8
falling reshards --mesh=data=8
falling shard --mesh=data=8
falling report --mesh=data=8 --json
echo "$runs runs, $refused of them refused"
[ "$refused" -gt 0 ] || { echo "no run was short of memory"; exit 1; }
exit "$failed"
