// Arguments that a compiler of TPUs copies before it reads them.
//
//   for (const ValueId v : CopiedArguments(flow, {{0, 2}}, laid)) homes.is_free[v] = false;
//
// Of a donated argument whose result is a gathered array, as the parameters of a step whose optimizer state
// is sharded:
//
//   p = bf16[64,128] argument(0), donated;  ROOT r = bf16[64,128] all-gather(f(p, ..)), dimensions={0}
//   ->  everybody reads copy(p), and r is copied to where p was
//
// An all-gather has the layout of its operand. If the argument lies otherwise, a copy is there anyway, and reads of
// the argument come first. Found from outside, by small programs. Cost: linear. Tested by live_memory_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_COPIED_ARGUMENTS_H_
#define TESSERA_TARGET_SCHEDULE_COPIED_ARGUMENTS_H_

#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {

// `aliases`: (array of the result, array of the arguments). `laid`: the shape of a value with its
// layout.
std::vector<ValueId> CopiedArguments(const Dataflow& flow,
                                     absl::Span<const std::pair<int, int>> aliases,
                                     absl::FunctionRef<layout::Shape(ValueId)> laid);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_COPIED_ARGUMENTS_H_
