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
#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/export/reshard_inserter.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/constant_text.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;

// All axes of a change, in mesh order and merged.
AxisList AxesOf(const HloProgram& program, const Op* op) {
  AxisList all;
  for (const AxisList& axes : op->As<AxesInfo>()->axes)
    all.insert(all.end(), axes.begin(), axes.end());
  const TensorSharding* s = program.Find(op->result());
  return SortAndMerge(all, program.meshes().mesh(s->mesh_id()));
}

void TakeOver(HloProgram& program, Op* op, Value* by) {
  op->result()->ReplaceAllUsesWith(by);
  op->result()->ForwardTo(by);
  program.Erase(op);
}

// all-reduce(made partial(x)) over the same axes: x, or a reshard of x if it was split along them.
void Simplify(HloProgram& program, Op* sum) {
  const Op* made = sum->operand(0)->def();
  if (made == nullptr) return;
  const bool replicated = made->kind == OpKind::kReplicatedToUnreduced;
  if (!replicated && made->kind != OpKind::kShardedToUnreduced) return;
  if (AxesOf(program, made) != AxesOf(program, sum)) return;
  Value* x = made->operand(0);
  if (replicated) return TakeOver(program, sum, x);
  sum->operands[0].Set(x);
  program.SetKind(sum, OpKind::kReshard);
  sum->extra->payload = nullptr;
}

// A constant is never a partial sum: its users read a converted copy.
void MakeWhole(HloProgram& program, Op* constant) {
  const TensorSharding partial = *program.Find(constant->result());
  TensorSharding whole = partial;
  whole.mutable_unreduced_axes().clear();
  constant->result()->set_sharding(program.shardings().Intern(whole));
  Op* change = program.AddOp({OpKind::kReplicatedToUnreduced, hlo::kNoId, OpPart::kInserted, true},
                             {constant->result()}, {&constant->result()->shape()},
                             InsertPoint::After(constant));
  change->result()->set_sharding(program.shardings().Intern(partial));
  program.NewPayload<AxesInfo>(change)->axes = {partial.unreduced_axes()};
  constant->result()->ReplaceOtherUsesWith(change->result());
}

bool KeepsPartial(const Op* op) {
  return HasOpcode(op, Opcode::kTranspose) || HasOpcode(op, Opcode::kReshape) ||
         HasOpcode(op, Opcode::kCopy) || op->part == OpPart::kSortTranspose;
}

void MoveToOperand(HloProgram& program, Op* op) {
  const TensorSharding* result = program.Find(op->result());
  Value* operand = op->operand(0);
  if (!HasUnreduced(result) || operand->def() == nullptr) return;
  TensorSharding moved = operand->has_sharding()
                             ? *program.Find(operand)
                             : TensorSharding::FullyClosed(result->mesh_id(), operand->rank());
  bool overlaps = false;
  moved.ForEachAxis([&](AxisRef axis) { overlaps |= OverlapsAny(axis, result->unreduced_axes()); });
  if (overlaps) return;
  moved.mutable_unreduced_axes() = result->unreduced_axes();
  moved.set_reduction(result->reduction());
  operand->set_sharding(program.shardings().Intern(moved));
}

}  // namespace

void SimplifyCollectives(HloProgram& program) {
  if (program.CountOf(OpKind::kAllReduce) == 0) return;
  std::vector<Op*> sums;
  ForEachOp(program, [&](Op* op) {
    if (op->kind == OpKind::kAllReduce) sums.push_back(op);
  });
  for (Op* sum : sums) Simplify(program, sum);
}

void MoveUnreducedToOperands(HloProgram& program) {
  if (!AnyUnreduced(program)) return;
  std::vector<Op*> constants, moving;
  ForEachOp(program, [&](Op* op) {
    if (op->num_results() != 1 || !HasUnreduced(program.Find(op->result()))) return;
    if (op->kind == OpKind::kConstant) constants.push_back(op);
  });
  for (Op* constant : constants) MakeWhole(program, constant);
  for (Function* f : program.functions()) {
    ForEachOpPostOrder(f->body, [&](Op* op) {
      if (KeepsPartial(op)) moving.push_back(op);
    });
  }
  std::reverse(moving.begin(), moving.end());
  for (Op* op : moving) MoveToOperand(program, op);
}

}  // namespace tessera::sharding::passes
