// A sharding constraint also shards its operand.
//
//   x = add(..); c = constraint(x, [{"a"}, {}])      ->   x gets [{"a"}, {}] too
//
// Only if the constraint is closed throughout, and nobody constrains x in another way. And x must
// have no sharding yet, or (in newer releases) a fully open one that names nothing. The
// in-shardings of manual computations count as constraints. A value with a data-flow edge does not
// take the sharding: its other users read the constraint instead.
//
// Chains: when constraints follow one another on a value without sharding, c2(c1(x)), users of x
// after the last of them read that one.

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

bool Constrains(const Op* op) {
  return op->kind == OpKind::kConstraint || op->kind == OpKind::kManualComputation;
}

// The sharding that a constraint or manual computation requires of the operand of this use.
ShardingId RequestedSharding(const Use& use) {
  const Op* user = use.user();
  if (user->kind == OpKind::kConstraint) return user->result()->sharding();
  return user->blocks()[0]->args[static_cast<size_t>(use.number())]->sharding();
}

// Who constrains a value, found once however many others read it and however many constraints ask.
class Constraints {
 public:
  // Some constraining user of `x` other than `op`.
  bool HasOther(const Value& x, const Op* op) {
    const OfValue& known = Of(x);
    return known.has_more_users || (known.user != nullptr && known.user != op);
  }
  // Whether a constraining user has another sharding than `sharding`.
  bool HasConflict(const Value& x, ShardingId sharding) {
    const OfValue& known = Of(x);
    const size_t same = known.asked.contains(sharding) ? 1 : 0;
    return known.asked.size() > same;
  }

  // Other ops read the value now.
  void ReadersChanged(const Value& x) { known_.erase(&x); }
  // The sharding of `x` was none or `before`. A manual computation requires its argument's sharding
  // from the operand.
  void ShardingChanged(const Value& x, ShardingId before) {
    const Op* manual = x.owner() != nullptr ? x.owner()->parent : nullptr;
    if (manual == nullptr || manual->kind != OpKind::kManualComputation) return;
    const auto known = known_.find(manual->operand(x.index()));
    if (known == known_.end()) return;
    Asked& asked = known->second.asked;
    if (--asked[before] == 0) asked.erase(before);
    ++asked[x.sharding()];
  }

 private:
  using Asked = absl::flat_hash_map<ShardingId, int>;  // and how often
  struct OfValue {
    const Op* user = nullptr;
    bool has_more_users = false;
    Asked asked;
  };

  const OfValue& Of(const Value& x) {
    const auto [known, is_new] = known_.try_emplace(&x);
    OfValue& of = known->second;
    for (const Use* use = is_new ? x.first_use() : nullptr; use != nullptr; use = use->next()) {
      if (!Constrains(use->user())) continue;
      of.has_more_users |= of.user != nullptr && of.user != use->user();
      of.user = use->user();
      ++of.asked[RequestedSharding(*use)];
    }
    return of;
  }

  absl::flat_hash_map<const Value*, OfValue> known_;
};

bool HasOpenDim(const TensorSharding& s) {
  return std::any_of(s.dims().begin(), s.dims().end(),
                     [](const DimensionSharding& d) { return !d.is_closed; });
}

// Whether a sharding of the value keeps a constraint from being applied. In newer releases, a fully
// open sharding of a tensor with dimensions does not.
bool IsTaken(const HloProgram& program, Value* x) {
  const TensorSharding* s = program.Find(ShardingOwnerOf(x));
  if (s == nullptr) return false;
  const bool says_nothing = s->rank() > 0 && s->IsFullyOpen();
  return !(says_nothing && program.behaviors().empty_open_shardings_take_constraints);
}

bool IsEdgeValue(Value* x) {
  const bool is_edge = x->def() != nullptr && x->def()->kind == OpKind::kDataFlowEdge;
  return is_edge || ShardingOwnerOf(x) != x;
}

// Whether `a` precedes `b` in one block, by numbers given at the beginning of the pass. The pass
// moves and adds only constraints that it has visited, which are never compared.
bool StandsBefore(const Op* a, const Op* b) {
  return a->block == b->block && a->number < b->number;
}

void NumberOps(HloProgram* program) {
  int32_t number = 0;
  ForEachOp(*program, [&](Op* op) { op->number = number++; });
}

// The last of a chain of constraints that begins with `op`; null if `op` begins none.
Op* EndOfChain(const HloProgram& program, Constraints& constraints, Op* op) {
  const Value& x = *op->operand(0);
  const bool is_inner = x.def() != nullptr && x.def()->kind == OpKind::kConstraint;
  if (is_inner || IsTaken(program, op->operand(0)) || constraints.HasOther(x, op)) return nullptr;
  Op* end = op;
  while (end->result()->has_one_use() &&
         end->result()->first_use()->user()->kind == OpKind::kConstraint) {
    end = end->result()->first_use()->user();
  }
  return end == op || constraints.HasOther(*end->result(), nullptr) ? nullptr : end;
}

void RedirectAfterChain(const HloProgram& program, Constraints& constraints, Op* op) {
  Op* end = EndOfChain(program, constraints, op);
  if (end == nullptr) return;
  op->operand(0)->ReplaceAllUsesExcept(end->result(), [&](const Use& use) {
    const Op* user = use.user();
    const bool is_result = user->kind == OpKind::kReturn && user->block->parent == nullptr &&
                           user->block->function->is_entry;
    return user == op || is_result || !StandsBefore(end, user);
  });
  constraints.ReadersChanged(*op->operand(0));
  constraints.ReadersChanged(*end->result());
}

// The edge gets the unreduced axes of the constraint, on an open sharding if it had none.
void AddUnreducedAxes(HloProgram* program, Value* owner, const TensorSharding& s) {
  if (!program->behaviors().edges_take_unreduced || s.unreduced_axes().empty()) return;
  TensorSharding updated = owner->has_sharding() ? program->shardings()[owner->sharding()]
                                                 : TensorSharding::FullyOpen(s.mesh_id(), s.rank());
  updated.mutable_unreduced_axes() = s.unreduced_axes();
  updated.set_reduction(s.reduction());
  owner->set_sharding(program->shardings().Intern(updated));
}

// Notes the origin of the operand's sharding, for explanations.
void NoteBound(Op* op, const Use& use) {
  if (op->kind == OpKind::kConstraint) {
    op->attribute = kBoundItsOperand;
  } else {
    op->As<ManualInfo>()->bound_operands.push_back(use.number());
  }
}

class Applier {
 public:
  explicit Applier(HloProgram* program) : program_(*program) {}

  void Visit(Op* op) {
    if (op->kind == OpKind::kConstraint) {
      RedirectAfterChain(program_, constraints_, op);
      Apply(op, &op->operands[0]);
    } else if (op->kind == OpKind::kManualComputation) {
      for (Use& use : op->operands) Apply(op, &use);
    }
  }

 private:
  // Applies the sharding that `op` requires of the operand `use`.
  void Apply(Op* op, Use* use) {
    Value* x = use->value();
    const ShardingId asked = RequestedSharding(*use);
    if (asked == kNoSharding || IsTaken(program_, x)) return;
    if (HasOpenDim(program_.shardings()[asked]) || constraints_.HasConflict(*x, asked)) return;
    if (!IsEdgeValue(x)) {
      NoteBound(op, *use);
      return Write(x, asked);
    }
    Op* constraint = op->kind == OpKind::kConstraint ? op : NewConstraint(x, asked);
    program_.Move(constraint, InsertPoint::After(x));
    x->ReplaceOtherUsesWith(constraint->result());
    constraints_.ReadersChanged(*x);
    constraints_.ReadersChanged(*constraint->result());
    AddUnreducedAxes(&program_, ShardingOwnerOf(x), program_.shardings()[asked]);
  }

  void Write(Value* x, ShardingId sharding) {
    const ShardingId before = x->sharding();
    WriteSharding(program_, x, sharding);
    constraints_.ShardingChanged(*x, before);
  }

  Op* NewConstraint(Value* x, ShardingId sharding) {
    OpHead head;
    head.kind = OpKind::kConstraint;
    head.part = OpPart::kInserted;
    Op* constraint = program_.AddOp(head, {x}, {&x->shape()}, InsertPoint::After(x));
    constraint->result()->set_sharding(sharding);
    return constraint;
  }

  HloProgram& program_;
  Constraints constraints_;
};

}  // namespace

void ApplyConstraints(HloProgram* program) {
  if (program->CountOf(OpKind::kConstraint) + program->CountOf(OpKind::kManualComputation) == 0)
    return;
  NumberOps(program);
  Applier applier(program);
  ForEachOpPostOrder(*program, [&](Op* op) { applier.Visit(op); });
}

}  // namespace tessera::sharding::passes
