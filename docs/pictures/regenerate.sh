#!/usr/bin/env bash
# Makes the pictures of this folder anew with the tool itself:
#
#   docs/pictures/regenerate.sh            writes them
#   docs/pictures/regenerate.sh --check    fails if one of them would change
#
# The binary is bazel-bin/pipeline/tessera; TESSERA names another one.
set -eu
cd "$(dirname "$0")"
tessera=${TESSERA:-../../bazel-bin/pipeline/tessera}
folder=.
[ "${1:-}" = --check ] && folder=$(mktemp -d)

# NAME SHAPE: the figures of XLA's page on tiled layouts, then formats of TPUs.
pictures='
layout_tiles f32[3,5]{1,0:T(2,2)}
layout_two_levels bf16[4,8]{1,0:T(2,4)(2,1)}
layout_combined f32[2,3,4]{2,1,0:T(*,5)}
layout_across_tiles f32[4,4]{1,0:T(2,2)(2,1,2)}
layout_three_dimensions f32[2,3,4]{2,1,0:T(2,2)}
layout_packed s4[3,5]{1,0:T(2,4)E(4)}
layout_not_dividing f32[6,4]{1,0:T(4,2)(8,1)}
layout_tpu bf16[20,300]{1,0:T(8,128)(2,1)}
layout_tpu_padding f32[64,128,2]{2,1,0:T(8,128)}
'
while read -r name shape; do
  [ -z "$name" ] || "$tessera" layout "$shape" --svg="$folder/$name.svg"
done <<< "$pictures"

if [ "$folder" != . ]; then
  for picture in layout_*.svg; do cmp "$picture" "$folder/$picture"; done
  rm -r "$folder"
fi
