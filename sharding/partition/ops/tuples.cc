// XLA: SpmdPartitioningVisitor::HandleTuple, HandleGetTupleElement.

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/ops.h"

namespace tessera::sharding::partition {

absl::StatusOr<NodeId> PartitionTuple(Visit& v) {
  std::vector<NodeId> elements;
  elements.reserve(v.operands.size());
  auto leaf = v.leaves.begin();
  for (size_t i = 0; i < v.operands.size(); ++i) {
    const auto end = leaf + CountLeaves(*v.operands[i].base);
    elements.push_back(leaf == end ? v.operands[i].node
                                   : ReshardLeaves(v.operands[i], std::vector<Tiling>(leaf, end)));
    leaf = end;
  }
  return v.graph().AddTuple(elements);
}

absl::StatusOr<NodeId> PartitionGetTupleElement(Visit& v) {
  const int64_t index = hlo::GetTupleIndex(v.module(), v.id);
  const PartitionedLeaves& tuple = v.operands[0];  // with the leaves of the element
  const NodeId element = v.graph().Element(tuple.node, index);
  return ReshardLeaves({element, v.base, tuple.leaves, v.scope}, v.leaves);
}

}  // namespace tessera::sharding::partition
