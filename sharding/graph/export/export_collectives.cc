// Changes of unreduced axes after reshards were inserted.
//
//   SimplifyCollectives       summing up what was just made partial gives the value back
//   MoveUnreducedToOperands   where a partial value is only transposed, reshaped or copied, its
//                             operand is partial as well
//
// Example: replicated -> unreduced {"x"} -> all-reduce {"x"}: both go.

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/export/reshard_inserter.h"
#include "tessera/sharding/graph/queries/constant_text.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::graph {
namespace {

using hlo::Opcode;

// All axes of a change, in mesh order and merged.
AxisList AxesOf(const Graph& graph, const Op* op) {
  AxisList all;
  for (const AxisList& axes : op->As<AxesInfo>()->axes)
    all.insert(all.end(), axes.begin(), axes.end());
  const TensorSharding* s = graph.Find(op->result());
  return SortAndMerge(all, graph.meshes().mesh(s->mesh_id()));
}

void TakeOver(Graph& graph, Op* op, Value* by) {
  op->result()->ReplaceAllUsesWith(by);
  op->result()->ForwardTo(by);
  graph.Erase(op);
}

// all-reduce(made partial(x)) over the same axes: x, or a reshard of x if it was split along them.
void Simplify(Graph& graph, Op* sum) {
  const Op* made = sum->operand(0)->def();
  if (made == nullptr) return;
  const bool replicated = made->kind == OpKind::kReplicatedToUnreduced;
  if (!replicated && made->kind != OpKind::kShardedToUnreduced) return;
  if (AxesOf(graph, made) != AxesOf(graph, sum)) return;
  Value* x = made->operand(0);
  if (replicated) return TakeOver(graph, sum, x);
  sum->operands[0].Set(x);
  graph.SetKind(sum, OpKind::kReshard);
  sum->extra->payload = nullptr;
}

// A constant is never partial: its users read a change of it instead.
void MakeWhole(Graph& graph, Op* constant) {
  const TensorSharding partial = *graph.Find(constant->result());
  TensorSharding whole = partial;
  whole.mutable_unreduced_axes().clear();
  constant->result()->set_sharding(graph.shardings().Intern(whole));
  Op* change = graph.AddOp({OpKind::kReplicatedToUnreduced, hlo::kNoId, OpPart::kInserted, true},
                           {constant->result()}, {&constant->result()->shape()},
                           InsertPoint::After(constant));
  change->result()->set_sharding(graph.shardings().Intern(partial));
  graph.NewPayload<AxesInfo>(change)->axes = {partial.unreduced_axes()};
  constant->result()->ReplaceOtherUsesWith(change->result());
}

bool KeepsPartial(const Op* op) {
  return HasOpcode(op, Opcode::kTranspose) || HasOpcode(op, Opcode::kReshape) ||
         HasOpcode(op, Opcode::kCopy) || op->part == OpPart::kSortTranspose;
}

void MoveToOperand(Graph& graph, Op* op) {
  const TensorSharding* result = graph.Find(op->result());
  Value* operand = op->operand(0);
  if (!HasUnreduced(result) || operand->def() == nullptr) return;
  TensorSharding moved = operand->has_sharding()
                             ? *graph.Find(operand)
                             : TensorSharding::FullyClosed(result->mesh_id(), operand->rank());
  bool overlaps = false;
  moved.ForEachAxis([&](AxisRef axis) { overlaps |= OverlapsAny(axis, result->unreduced_axes()); });
  if (overlaps) return;
  moved.mutable_unreduced_axes() = result->unreduced_axes();
  moved.set_reduction(result->reduction());
  operand->set_sharding(graph.shardings().Intern(moved));
}

}  // namespace

void SimplifyCollectives(Graph& graph) {
  if (graph.CountOf(OpKind::kAllReduce) == 0) return;
  std::vector<Op*> sums;
  ForEachOp(graph, [&](Op* op) {
    if (op->kind == OpKind::kAllReduce) sums.push_back(op);
  });
  for (Op* sum : sums) Simplify(graph, sum);
}

void MoveUnreducedToOperands(Graph& graph) {
  if (!AnyUnreduced(graph)) return;
  std::vector<Op*> constants, moving;
  ForEachOp(graph, [&](Op* op) {
    if (op->num_results() != 1 || !HasUnreduced(graph.Find(op->result()))) return;
    if (op->kind == OpKind::kConstant) constants.push_back(op);
  });
  for (Op* constant : constants) MakeWhole(graph, constant);
  for (Function* f : graph.functions()) {
    ForEachOpPostOrder(f->body, [&](Op* op) {
      if (KeepsPartial(op)) moving.push_back(op);
    });
  }
  std::reverse(moving.begin(), moving.end());
  for (Op* op : moving) MoveToOperand(graph, op);
}

}  // namespace tessera::sharding::graph
