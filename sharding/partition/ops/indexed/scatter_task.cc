#include "tessera/sharding/partition/ops/indexed/scatter_task.h"

#include <algorithm>
#include <cstddef>

namespace tessera::sharding::partition {
namespace {

bool AllAlike(const std::vector<PartitionedHlo>& values) {
  return std::all_of(values.begin(), values.end(), [&values](const PartitionedHlo& value) {
    return value.tiling == values[0].tiling && value.base == values[0].base;
  });
}

// The tiling with the shards of all values, or the tiling of the first.
Tiling CommonTiling(const std::vector<PartitionedHlo>& values) {
  Tiling common = values[0].tiling;
  for (const PartitionedHlo& value : values) {
    if (value.tiling == common) continue;
    if (!MergeIfCompatible(value.tiling, common.tiles(), &common)) return values[0].tiling;
  }
  return common;
}

bool Among(const std::vector<PartitionedHlo>& values, NodeId node) {
  return std::any_of(values.begin(), values.end(),
                     [node](const PartitionedHlo& value) { return value.node == node; });
}

}  // namespace

ScatterTask ScatterTaskOf(Visit& v) {
  ScatterTask task;
  const size_t count = (v.operands.size() - 1) / 2;
  for (size_t i = 0; i < count; ++i) task.operands.push_back(v.operand(i));
  if (!AllAlike(task.operands)) {
    const Tiling common = CommonTiling(task.operands);
    for (PartitionedHlo& operand : task.operands) operand = Reshard(operand, common);
  }
  for (size_t i = 0; i < count; ++i) {
    task.updates.push_back(v.operand(count + 1 + i));
    if (Among(task.operands, task.updates.back().node)) {
      task.updates.back() = Unshared(task.updates.back());
    }
  }
  if (!AllAlike(task.updates)) {
    // As in the reference, which moves the operands here.
    const Tiling common = CommonTiling(task.updates);
    for (PartitionedHlo& operand : task.operands) operand = Reshard(operand, common);
  }
  task.indices = v.operand(count);
  if (Among(task.operands, task.indices.node) || Among(task.updates, task.indices.node)) {
    task.indices = Unshared(task.indices);
  }
  const Tiling tiling = task.indices.tiling;
  if (tiling.IsTiled() && !IsEven(task.indices.base, tiling)) {
    // Cut again with padding that no update can hit.
    const PartitionedHlo whole = Replicate(task.indices);
    Graph& graph = v.graph();
    const NodeId fill = graph.Scalar(whole.base.element_type(), recipe::Fill::Number::kMinusOne);
    PartitionedHlo cut = whole;
    cut.tiling = tiling;
    if (graph.IsScalarBroadcast(whole.node) || tiling.HasManual()) {
      cut = Masked(ReshardAfresh(whole, tiling), fill);
    } else {
      cut.node = SliceReplicated(whole, tiling, fill);
    }
    cut.scope->Remember(cut.node, whole.tiling, whole);
    cut.scope->Remember(whole.node, tiling, cut);
    task.indices = cut;
  }
  task.out_base = *v.base;
  task.out = v.leaves;
  return task;
}

std::optional<Reduction> ReducerOf(const Visit& v) {
  const hlo::Module& module = v.module();
  const hlo::Computation& reducer = module.computation(module.called(v.id)[0]);
  const hlo::Instruction& root = module.instruction(reducer.root);
  const auto operands = module.operands(reducer.root);
  if (reducer.parameters.size() != 2 || operands.size() != 2) return std::nullopt;
  for (hlo::InstructionId parameter : reducer.parameters) {
    if (std::find(operands.begin(), operands.end(), parameter) == operands.end()) {
      return std::nullopt;
    }
  }
  const bool pred = v.base->element_type() == layout::ElementType::kPred;
  switch (root.opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kMaximum:
      break;
    case Opcode::kAnd:
    case Opcode::kOr:
      if (pred) break;
      return std::nullopt;
    default:
      return std::nullopt;
  }
  return Reduction{root.opcode, true};
}

recipe::Fill::Number IdentityOf(Opcode reducer) {
  using Number = recipe::Fill::Number;
  if (reducer == Opcode::kMultiply) return Number::kOne;
  if (reducer == Opcode::kMinimum || reducer == Opcode::kAnd) return Number::kHighest;
  return reducer == Opcode::kMaximum ? Number::kLowest : Number::kZero;
}

}  // namespace tessera::sharding::partition
