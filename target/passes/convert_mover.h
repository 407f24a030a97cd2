// convert-mover: operations that only move elements run in the narrower of two types.
//
//   reshape(convert(x: bf16) to f32)        ->  convert(reshape(x)) to f32
//   convert(transpose(x: f32)) to bf16      ->  transpose(convert(x) to bf16)
//
// Widening converts go after concatenates, pads, reshapes, slices and transposes, operands first; then
// narrowing ones go in front of them, users first. An operation that a convert moves past has no other user. A
// constant beside a widening convert has to keep its value in the narrow type; it is converted, which
// constant_folding.h undoes. On GPUs, collective-quantizer then finds collectives next to a convert. On TPUs it
// runs in front of Shardy, too.
//
// Cost: linear in the program, and in the converts that move times what they pass. Tested by
// convert_mover_test.cc.

#ifndef TESSERA_TARGET_PASSES_CONVERT_MOVER_H_
#define TESSERA_TARGET_PASSES_CONVERT_MOVER_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status MoveConverts(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_CONVERT_MOVER_H_
