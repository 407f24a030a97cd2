// The sharding that each instruction of a computation shows in place, leaf by leaf in the shape
// that it has in the source. That differs for a loop whose state was re-packed, and a parameter
// that became several. It differs, too, for a tuple that stands for one that was made anew, or that
// is gone after the pass.

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_KEEP_SHARDINGS_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_KEEP_SHARDINGS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/leaves.h"
#include "tessera/pipeline/writers/keep/keep_matching.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

class KeepShardings {
 public:
  KeepShardings(const hlo::Module& module, hlo::ComputationId computation,
                const sharding::passes::HloForm& form, int counterpart, const Matching& matching);

  // Text of `sharding=`, empty for none; good until the next call. Not for borders of shard_maps
  // and what is consumed.
  absl::string_view Of(hlo::InstructionId id);
  // The same for one of several nodes that an ordinary instruction became.
  absl::string_view OfNode(hlo::InstructionId id, sharding::passes::NodeId node);

 private:
  using NodeId = sharding::passes::NodeId;
  using HloShardingId = sharding::passes::HloShardingId;
  // kNoHloSharding: nothing is known about the leaf.
  using Leaves = absl::InlinedVector<HloShardingId, 4>;

  sharding::passes::HloNode Node(NodeId id) const { return target_.node(id); }
  Leaves LeavesOf(hlo::InstructionId id);
  Leaves LeavesOfNode(hlo::InstructionId id, NodeId node) const;
  void FindRoles(const hlo::Computation& source);
  void FindPackings(const hlo::Computation& source);
  Leaves Held(hlo::InstructionId tuple, uint32_t k);
  void AddRole(hlo::InstructionId id, Leaves leaves);
  Leaves InOrder(hlo::InstructionId id, NodeId node) const;
  Leaves ByMap(hlo::InstructionId id, NodeId node, const sharding::passes::LeafMap& map) const;
  Leaves OfParameter(hlo::InstructionId id) const;
  Leaves OfElement(hlo::InstructionId id);
  // One leaf of what a get-tuple-element reads, as a value of its own; `depth` elements lead to it.
  HloShardingId Leaf(hlo::InstructionId id, const layout::LeafPath& path, size_t depth);
  HloShardingId LeafOfTuple(hlo::InstructionId tuple, const layout::LeafPath& path);
  HloShardingId LeafOfInfeed(NodeId infeed, size_t leaf, size_t depth) const;
  HloShardingId LeafOfParameter(hlo::InstructionId id, size_t leaf) const;
  HloShardingId Element(NodeId node, int element) const;
  HloShardingId ConstantInRegion(size_t leaf) const;
  const sharding::passes::LeafMap* LoopMap(NodeId loop) const;
  absl::string_view Text(HloShardingId leaf) const;
  absl::string_view Text(hlo::InstructionId id, const Leaves& leaves);

  const hlo::Module& module_;
  const sharding::passes::HloForm& form_;
  const sharding::passes::HloComputation& target_;
  const Matching& matching_;
  hlo::InstructionId root_;
  absl::flat_hash_map<std::pair<NodeId, int64_t>, NodeId> elements_;
  absl::flat_hash_map<hlo::InstructionId, Leaves> roles_;  // of tuples
  layout::LeafNumbers leaf_numbers_;
  std::string text_;  // of a tuple
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_KEEP_SHARDINGS_H_
