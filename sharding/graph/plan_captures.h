// What regions capture, and where it went in the tuple that HLO hands them. Internal to the
// package.
//
//   graph   r = while(x) { .. uses w .. }      HLO   t = tuple(x, w); s = while(t); r = s#0
//
// In the module the state may have had other leaves, in another order: the leaf map of a region
// says which leaf of the module's tuple became which element.

#ifndef TESSERA_SHARDING_GRAPH_PLAN_CAPTURES_H_
#define TESSERA_SHARDING_GRAPH_PLAN_CAPTURES_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/graph/export_plan.h"
#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

// Values of outside that the blocks of `op` use, in order of first use.
std::vector<Value*> CapturedBy(const Op* op);
std::vector<Value*> CapturedBy(Block* block);

// Writes where the leaves of a region's parameter went.
class LeafMapper {
 public:
  // `tuple`: what the module hands the region, of `num_leaves`. The values of `captured` are the
  // elements from `first` on.
  LeafMapper(const hlo::Module& module, hlo::InstructionId tuple, size_t num_leaves,
             const std::vector<Value*>& captured, int first);

  void SetCarried(size_t leaf, int element) { map_[leaf] = element; }
  // The leaf always is the value `outer` of outside.
  void SetCaptured(size_t leaf, Value* outer);
  void WriteTo(PlanComputation* region);

 private:
  // Among what is captured: the value, else a reshard of it; -1 if there is neither.
  int PlaceOf(const Value* value) const;
  // The last copy of a constant expression that was split among its users, or -1. The loop of the
  // module has room for one of them.
  int PlaceOfClone(hlo::InstructionId original) const;

  const hlo::Module& module_;
  const hlo::InstructionId tuple_;
  const int first_;
  // Places of what is captured: the values, what is behind their reshards (the first place), and
  // the instructions that they are copies of (the last place).
  absl::flat_hash_map<const Value*, int> places_;
  absl::flat_hash_map<const Value*, int> behind_;
  absl::flat_hash_map<hlo::InstructionId, int> clones_;
  LeafMap map_;
  std::vector<hlo::InstructionId> constants_;
};

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PLAN_CAPTURES_H_
