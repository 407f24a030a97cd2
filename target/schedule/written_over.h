// Whether a kernel writes a value over the one that it is computed of, cell by cell.
//
//   WrittenOver over(flow, kept);
//   over.Is(new_state, state);    // state' = 0.9 state + update, and nobody reads state any more
//
// The state of a recurrent layer in a loop that makes tokens: new and old are one memory, as the old one has
// no reader after the kernel. Cost: linear to build; a question looks at a few operands.
// Tested by written_over_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_WRITTEN_OVER_H_
#define TESSERA_TARGET_SCHEDULE_WRITTEN_OVER_H_

#include <vector>

#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"

namespace tessera::target {

class WrittenOver {
 public:
  // Both must outlive this.
  WrittenOver(const Dataflow& flow, const KeptValues& kept);

  // `made` and `old` of one scope.
  bool Is(ValueId made, ValueId old) const;

 private:
  // Whether an elementwise node gets to `old` through operands that it computes itself.
  bool ReadsCells(const Node& node, ValueId old, int depth) const;

  const Dataflow& flow_;
  const KeptValues& kept_;
  // By ValueId, in the order of the module; kNone: none, or the end.
  std::vector<NodeId> last_readers_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_WRITTEN_OVER_H_
