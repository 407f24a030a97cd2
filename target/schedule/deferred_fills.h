// An order whose constant fills run where they are needed.
//
//   order = {fill, loop, product, later_loop}      // later_loop reads fill
//   DeferFills(scope, order, is_fill)              // {loop, product, fill, later_loop}
//
// XLA has the pass `constant-deferring` after the choice of an order: each broadcast of a constant goes to the place
// in front of its first reader. So it has no memory before, although the measures of the orders count it. Arrays that are
// allocated and not filled stay (`AllocateBuffer`). Cost: linear. Tested by deferred_fills_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_DEFERRED_FILLS_H_
#define TESSERA_TARGET_SCHEDULE_DEFERRED_FILLS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {

// `is_fill` by kernel of the scope. Fills that nothing reads go to the end.
std::vector<uint32_t> DeferFills(const ScopeKernels& scope, absl::Span<const uint32_t> order,
                                 const std::vector<bool>& is_fill);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_DEFERRED_FILLS_H_
