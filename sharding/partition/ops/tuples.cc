#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/ops.h"

namespace tessera::sharding::partition {

absl::StatusOr<NodeId> PartitionTuple(Visit& v) {
  std::vector<NodeId> elements;
  std::vector<Shape> shapes;
  for (size_t i = 0; i < v.operands.size(); ++i) {
    elements.push_back(
        ReshardLeaves(v.operands[i], LeavesOf(*v.base, static_cast<int64_t>(i), v.leaves)));
    shapes.push_back(v.graph().shape(elements.back()));
  }
  return v.graph().Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements);
}

absl::StatusOr<NodeId> PartitionGetTupleElement(Visit& v) {
  const int64_t index = hlo::GetTupleIndex(v.module(), v.id);
  const Placed& tuple = v.operands[0];
  const NodeId element = v.graph().Element(tuple.node, index);
  return ReshardLeaves({element, v.base, LeavesOf(*tuple.base, index, tuple.leaves), v.scope},
                       v.leaves);
}

}  // namespace tessera::sharding::partition
