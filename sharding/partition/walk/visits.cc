// Visits one instruction: looks up its operands, runs the partitioner of its opcode, and records
// the visit if it may repeat. XLA: SpmdPartitioningVisitor::Preprocess and Postprocess.

#include <algorithm>
#include <optional>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/manual_code.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/walk/body_walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

// A custom call stays manual (ops/manual_code.h): a kernel of Pallas in a shard_map.
bool IsInManualCode(const Visit& v) {
  return std::all_of(v.leaves.begin(), v.leaves.end(),
                     [](const Tiling& leaf) { return leaf.IsManual(); });
}

}  // namespace

absl::Status BodyWalk::VisitOne(const Frame& frame, hlo::InstructionId id) {
  graph_.Visit(input_.cause(id));
  const hlo::Instruction& instruction = module_.instruction(id);
  Visited visited = {id, LeavesOf(frame, id), input_.operands(id), {}};
  for (hlo::InstructionId operand : visited.operand_ids) {
    visited.operands.push_back(values_.Of(operand));
  }
  TESSERA_ASSIGN_OR_RETURN(const NodeId node, Partition(frame, visited));
  values_.Set(id,
              {node, visited.leaves, instruction.shape, instruction.opcode == Opcode::kConstant});
  if (input_.HasSideEffect(id)) bodies_.Keep(frame.body, node);
  return absl::OkStatus();
}

absl::StatusOr<NodeId> BodyWalk::Partition(const Frame& frame, const Visited& visited) {
  const Opcode opcode = module_.instruction(visited.id).opcode;
  if (opcode == Opcode::kGetTupleElement) {
    return Element(frame, visited);
  }
  if (opcode == Opcode::kTuple && visits_ == Visits::kRepeated) {
    if (const auto node = Tuple(visited)) return *node;
  }
  const bool comes_again = input_.classes()[input_.class_of(visited.id)].comes_again;
  if (!comes_again || !MayRepeat(visited.id)) return PartitionAfresh(frame, visited);
  visit_cache_.BeginRecord();
  TESSERA_ASSIGN_OR_RETURN(const NodeId node, PartitionAfresh(frame, visited));
  visit_cache_.EndRecord(node);
  return node;
}

// The leaves of one element.
absl::Span<const Tiling> BodyWalk::LeavesOfElement(hlo::ShapeId tuple, LeafLists::Id leaves,
                                                   int64_t index) {
  const std::vector<int64_t>& begin = tuple_leaves_.Of(tuple);
  const auto first = static_cast<size_t>(At(begin, index));
  const auto count = static_cast<size_t>(At(begin, index + 1)) - first;
  return absl::MakeConstSpan(lists_[leaves]).subspan(first, count);
}

// The node of a tuple whose elements have their final shardings already; else nothing. A visit would
// copy all leaves.
std::optional<NodeId> BodyWalk::Tuple(const Visited& visited) {
  if (lists_.FirstHasManual(visited.leaves)) return std::nullopt;
  const hlo::ShapeId shape = module_.shape_id(visited.id);
  std::vector<NodeId> elements;
  for (const ValueState& state : visited.operands) {
    const auto leaves = LeavesOfElement(shape, visited.leaves, Size(elements));
    if (!leaves.empty() && leaves != absl::MakeConstSpan(lists_[state.leaves])) {
      return std::nullopt;
    }
    elements.push_back(state.node);
  }
  return graph_.AddTuple(elements);
}

// Reads only the leaves of the element: copying all leaves for each element would be quadratic.
absl::StatusOr<NodeId> BodyWalk::Element(const Frame& frame, const Visited& visited) {
  const ValueState& value = visited.operands[0];
  const int64_t index = hlo::GetTupleIndex(module_, visited.id);
  const auto leaves = LeavesOfElement(value.shape, value.leaves, index);
  if (leaves == absl::MakeConstSpan(lists_[visited.leaves])) {
    return graph_.Element(value.node, index);
  }
  Visit v = VisitOf(frame, visited);
  v.operands.push_back({value.node,
                        &module_.interned_shape(value.shape),
                        {leaves.begin(), leaves.end()},
                        frame.scope});
  if (leaves.empty()) v.operands[0].leaves.emplace_back();
  return PartitionVisit(frame, visited, v);
}

absl::StatusOr<NodeId> BodyWalk::PartitionAfresh(const Frame& frame, const Visited& visited) {
  Visit v = VisitOf(frame, visited);
  v.operands.reserve(visited.operands.size());
  for (size_t i = 0; i < visited.operands.size(); ++i) {
    v.operands.push_back(LeavesOfOperand(frame, visited.operand_ids[i], visited.operands[i]));
  }
  return PartitionVisit(frame, visited, v);
}

Visit BodyWalk::VisitOf(const Frame& frame, const Visited& visited) const {
  Visit v;
  v.view = &view_;
  v.id = visited.id;
  v.base = &module_.shape(visited.id);
  v.leaves = lists_[visited.leaves];
  v.scope = frame.scope;
  v.unreduced = input_.IsUnreduced(visited.id);
  v.sharding_of = &sharding_of_;
  return v;
}

absl::StatusOr<NodeId> BodyWalk::PartitionVisit(const Frame& frame, const Visited& visited,
                                                Visit& v) {
  TESSERA_RETURN_IF_ERROR(EnterManualCode(v));
  TESSERA_ASSIGN_OR_RETURN(const NodeId node, Dispatch(frame, visited, v));
  if (!graph_.fault().empty()) return absl::InvalidArgumentError(graph_.fault());
  return node;
}

absl::StatusOr<NodeId> BodyWalk::Dispatch(const Frame& frame, const Visited& visited, Visit& v) {
  switch (v.opcode()) {
    case Opcode::kParameter:
      return graph_.AddParameter(ShardOf(visited, v));
    case Opcode::kWhile:
      return PartitionWhile(frame, visited, v);
    case Opcode::kConditional:
      return PartitionConditional(frame, visited, v);
    case Opcode::kCall:
      return PartitionCall(frame, visited, v);
    default:
      if (input_.HasSideEffect(v.id) && !SeesManual(v.opcode()) && !v.OnOneDevice() &&
          !IsInManualCode(v) && v.opcode() != Opcode::kRngGetAndUpdateState) {
        return absl::InvalidArgumentError(
            "an operation with a side effect must be on a single device or in manual code");
      }
      return input_.Run(v, HandlerOf(v.opcode()));
  }
}

}  // namespace tessera::sharding::partition
