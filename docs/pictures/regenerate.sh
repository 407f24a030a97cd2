#!/usr/bin/env bash
# Makes the pictures in this folder anew with the tool itself:
#
#   docs/pictures/regenerate.sh                   writes them
#   docs/pictures/regenerate.sh --check [BINARY]  fails if one of them would change
#
# The binary is bazel-bin/pipeline/tessera; TESSERA names another one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
check=
[ "${1:-}" = --check ] && check=yes && shift
tessera=$(realpath "${1:-${TESSERA:-$here/../../bazel-bin/pipeline/tessera}}")
folder=$here
[ -n "$check" ] && folder=$(mktemp -d)

# NAME SHAPE [FLAGS]: the two figures of XLA's page on tiled layouts, then others.
pictures="
layout_tiles f32[3,5]{1,0:T(2,2)}
layout_two_levels bf16[4,8]{1,0:T(2,4)(2,1)}
layout_combined f32[2,3,4]{2,1,0:T(*,5)}
layout_across_tiles f32[4,4]{1,0:T(2,2)(2,1,2)}
layout_three_dimensions f32[2,3,4]{2,1,0:T(2,2)}
layout_packed s4[3,5]{1,0:T(2,4)E(4)}
layout_not_dividing f32[6,4]{1,0:T(4,2)(8,1)}
layout_tpu bf16[20,300]{1,0:T(8,128)(2,1)}
layout_tpu_padding f32[64,128,2]{2,1,0:T(8,128)}
layout_shard f32[6,20]{1,0:T(4,4)} --sharding=P('x','y') --mesh=x=2,y=4
"
names=
while read -r name shape flags; do
  [ -n "$name" ] || continue
  names="$names $name"
  # shellcheck disable=SC2086
  "$tessera" layout "$shape" --svg="$folder/$name.svg" ${flags:-} > /dev/null
done <<< "$pictures"

steps=$here/../../examples/tutorial
"$here/step_time.py" "$tessera" tpu-v5p:4x4x4 "$steps/slow.hlo" "$steps/mended.hlo" > "$folder/step_time.svg"
[ -n "$check" ] || exit 0

for name in $names step_time; do cmp "$here/$name.svg" "$folder/$name.svg"; done
for picture in "$here"/*.svg; do test -e "$folder/${picture##*/}"; done
rm -r "$folder"
