// layout-assignment: where an array is read in another order than that in which it lies, it is moved.
//
//   q = f32[8,64,4,32] parameter(0)                         batch dimensions 0 and 2 of a product
//   ->  t = f32[8,4,64,32] transpose(q), dimensions={0,2,1,3},  and what reads q in that order reads t
//
// Orders are those of layout_constraints.h, of each loop and branch before what runs it, in two rounds as
// in XLA: a loop carries the order in which its body leaves an element. An operation that only renames
// dimensions becomes a bitcast, as in XLA's layout normalization; a transpose that is left moves data.
//
// Cost: linear. Tested by layout_assignment_test.cc.

#ifndef TESSERA_TARGET_GPU_LAYOUTS_LAYOUT_ASSIGNMENT_H_
#define TESSERA_TARGET_GPU_LAYOUTS_LAYOUT_ASSIGNMENT_H_

#include "absl/status/status.h"
#include "tessera/target/pass.h"

namespace tessera::target {

absl::Status AssignLayouts(Context& context);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_LAYOUTS_LAYOUT_ASSIGNMENT_H_
