// The tensors that two recordings shard differently.
//
//   const Comparison c = Compare(golden, now);
//   c.changes[0].axes;         // "lost 'model' on dimension 1"
//   c.IsEqual();               // nothing changed, nothing is new or gone
//
// Tensors are found again by matching.h, whatever their names. Tested by comparison_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_GOLDEN_COMPARISON_H_
#define TESSERA_SHARDING_EXPLAIN_GOLDEN_COMPARISON_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/explain/golden/axis_changes.h"
#include "tessera/sharding/explain/golden/recording.h"

namespace tessera::sharding::golden {

// A tensor of both that has other axes, or another shape.
struct Change {
  int before = 0, after = 0;  // entries
  std::vector<AxisChange> axes;
  bool is_reshaped = false;
  int64_t bytes_before = 0, bytes_after = 0;  // per device
};

// Bytes per device of a kind of tensors.
struct Sum {
  const char* what = "";  // "arguments", "results", "other tensors"
  int64_t before = 0, after = 0;
};

struct Comparison {
  std::vector<Change> changes;   // in the order of what is now
  std::vector<int> gone, added;  // entries that only one side has
  int same = 0;                  // tensors that did not change
  std::vector<Sum> sums;

  bool IsEqual() const { return changes.empty() && gone.empty() && added.empty(); }
};

Comparison Compare(const Recording& before, const Recording& after);

// Both are about equal meshes, whatever their symbols.
bool HaveSameMeshes(const Recording& a, const Recording& b);

}  // namespace tessera::sharding::golden

#endif  // TESSERA_SHARDING_EXPLAIN_GOLDEN_COMPARISON_H_
