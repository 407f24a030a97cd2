#!/usr/bin/env bash
# Public reports of shardings that surprised people, each answered by one command about a module of the same form
# (modules/, made by programs.py):
#
#   examples/incidents/shardings.sh
#   examples/incidents/shardings.sh BINARY EXPECTED   also fails if the output is not that of the file
#
# The binary is bazel-bin/pipeline/tessera; TESSERA names another one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tessera=$(realpath "${1:-${TESSERA:-$here/../../bazel-bin/pipeline/tessera}}")
expected=${2:+$(realpath "$2")}

# REPORT VERB MODULE ARGUMENTS
incidents='
jax#26946          explain      not_divisible    result:0
jax#37047          explain      open_and_closed  dot_general.2:0
jax#37047          explain      open_and_closed  dot_general.3:0
xla#13306          explain      split_in_two     reshape.1
pytorch/xla#7846   shardings    layers
pytorch/xla#7846   explain      layers
jax#15680          explain      transform        result
jax#15680          collectives  transform
jax#15680          collectives  transform_of_whole_rows
xla#47945          explain      grouped_convolution  result:0 --axis=data
xla#47945          collectives  grouped_convolution
xla#15207          collectives  full_resharding
xla#15207          collectives  resharding_in_two_steps
jax#18672          collectives  loop             --formulas
'
answers() {
  cd "$here"
  while read -r report verb module arguments; do
    [ -n "$report" ] || continue
    echo "== $report: tessera $verb modules/$module.hlo${arguments:+ $arguments}"
    "$tessera" "$verb" "modules/$module.hlo" $arguments 2>&1
  done <<< "$incidents"
}

if [ -n "$expected" ]; then
  answers | diff "$expected" -
else
  answers
fi
