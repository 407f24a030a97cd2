// Which values share memory, and which lie in the memory of arguments.
//
//   Homes homes = FindHomes(flow, kept, {{0, 2}});    // result 0 in array 2 of the arguments
//   homes.of[v];             // the value whose memory v has
//   homes.is_free[v];        // it takes no memory of its own
//
// A dynamic-update-slice or scatter works in the memory of its operand 0, if that is a value of the same scope which
// nobody needs afterwards. A result is followed back, through updates and loops. Without an argument to lie in, it
// has memory for the whole program, as compilers count it, and all on the way lies there. An aliased result shares
// the memory of its argument with all values on the way back, if that way leads to the argument. Else only the value
// where the way ends does; on GPUs it may be a transpose. On TPUs no value does if the way goes through a loop whose
// dots or reductions read it or a part of it: the loop has a copy in their layout. A part that is updated, and then
// read whole, is copied alone; not in a loop in a loop, if a sum or a dot reads it in other tiles. A state that the
// loop writes over the old one cell by cell (written_over.h) has no copy for reductions. Cost: linear in the
// operands. Tested by live_memory_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_HOMES_H_
#define TESSERA_TARGET_SCHEDULE_HOMES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"

namespace tessera::target {

// Memory of a result before it is made: no argument, or one that is needed until then.
struct ResultRoom {
  ValueId argument = kNone;     // that the result is aliased with
  std::vector<ValueId> arrays;  // the result, and what lies in its memory
};

struct Homes {
  std::vector<ValueId> of;    // by ValueId
  std::vector<bool> is_free;  // by ValueId, that of `of`
  std::vector<ResultRoom> rooms;
};

// `aliases`: (array of the result, array of the arguments).
Homes FindHomes(const Dataflow& flow, const KeptValues& kept,
                absl::Span<const std::pair<int, int>> aliases);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_HOMES_H_
