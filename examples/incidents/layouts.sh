#!/usr/bin/env bash
# Public reports of arrays that padding blew up, each answered by one command:
#
#   examples/incidents/layouts.sh
#   examples/incidents/layouts.sh BINARY EXPECTED   also fails if the output is not that of the file
#
# The binary is bazel-bin/pipeline/tessera; TESSERA names another one.
set -eu
tessera=${1:-${TESSERA:-$(dirname "$0")/../../bazel-bin/pipeline/tessera}}

# REPORT SHAPE RULES
incidents='
flowpm#27         s32[8388608,8,4]{2,1,0:T(8,128)}              tpu
pytorch/xla#6674  bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}  tpu
tensorflow#30803  f32[256,512,128,2]{3,2,1,0:T(8,128)}          tpu
tensorflow#30803  f32[32,128,32,64]{3,0,2,1:T(8,128)}           tpu
pytorch/xla#1965  u32[12582912,1]{1,0:T(8,128)}                 tpu
pytorch/xla#3041  f32[29184,1,2560]{2,1,0:T(2,128)}             tpu
flax#1733         f32[1,8,2176,1056,2]{4,3,2,1,0:T(8,128)}      tpu
tt-xla#4761       f32[1,4096,5,64,1,2]{5,4,3,2,1,0:T(32,32)}    tile:32x32
'
answers() {
  while read -r report shape rules; do
    [ -n "$report" ] || continue
    printf '== %s: tessera layout %s --advise=%s\n' "$report" "'$shape'" "$rules"
    "$tessera" layout "$shape" --advise="$rules"
  done <<< "$incidents"
}

if [ "$#" -gt 1 ]; then
  answers | diff "$2" -
else
  answers
fi
