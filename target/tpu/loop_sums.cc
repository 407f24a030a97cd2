// while-loop-all-reduce-code-motion, as TPUs do it: what a loop adds up is summed behind it, in the
// type of the element. What it stacks is summed behind it up to 10 KiB, as on GPUs.
//
//   body: a' = add(a: f32[8], convert(all-reduce(g: bf16[8])))
//   ->  behind the loop: add(start of a, f32[8] all-reduce)
//
// How: passes/loops/while_loop_all_reduce_code_motion.cc.

#include "tessera/target/passes/loops/loop_motion.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kMaxStackedBytes = 10240;

}  // namespace

absl::Status MoveAddedSumsOutOfLoops(Context& context) {
  return MoveSumsOutOfLoops(context, {kMaxStackedBytes, /*is_summed_as_element=*/true});
}

}  // namespace tessera::target
