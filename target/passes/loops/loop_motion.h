// Which sums leave a loop, and how they are summed behind it.
//
//   MoveSumsOutOfLoops(context, {/*max_stacked_bytes=*/10240, /*is_summed_as_element=*/false});
//
// What is moved: while_loop_all_reduce_code_motion.cc. Tested by gpu/recorded_passes_test.cc and
// tpu/tpu_passes_test.cc.

#ifndef TESSERA_TARGET_PASSES_LOOPS_LOOP_MOTION_H_
#define TESSERA_TARGET_PASSES_LOOPS_LOOP_MOTION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

struct LoopMotion {
  int64_t max_stacked_bytes = 0;      // 0: what a loop stacks is summed in it
  bool is_summed_as_element = false;  // behind the loop in the type of what was added up
};

absl::Status MoveSumsOutOfLoops(Context& context, const LoopMotion& motion);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_LOOPS_LOOP_MOTION_H_
