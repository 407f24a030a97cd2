// Every consumer of a constant expression gets an expression of its own.
//
//   b = broadcast(c); n = add(b, b)         three private copies of c and b, two of n: each user of
//   u = f(n); v = g(n); return b       ->   n reads its own n', each n' its own b' (twice), the
//                                           return a b of its own
//
// Then users that change the sharding of "their" zeros cannot bind the zeros of others. Broadcasts
// of scalars that are no constants are copied in the same way. Scalars are shared.
//
// One walk over a function in program order sorts ops into three classes.
//
//   constant          a constant, an iota, or a pure broadcast, reshape, slice or element-wise op
//                     (or a call of nothing but such) all of whose operands are constant
//   scalar expansion  a broadcast of a scalar that is not constant
//   consumer          anything else but group marks. Each operand that is constant or an expansion
//                     is replaced by a copy of the whole expression after it
//
// A copy of an op is put directly before the original; within one copy, what is shared in the
// original stays shared; results of rank 0 are never copied. Group marks on copied values are
// copied too. At the end the originals have no users but group marks, and go.
//
// Cost: the sum of the expressions' sizes over their consumers. Tested by import_test.cc in the
// folder above.

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/passes/propagate/hlo_view.h"
#include "tessera/sharding/passes/queries/op_error.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

// Values of Op::scratch.
constexpr uint8_t kIsConstant = 1;
constexpr uint8_t kIsExpansion = 2;

class Splitter {
 public:
  explicit Splitter(HloProgram* program) : program_(*program) {}

  absl::Status Run(Function* f) {
    ForEachOp(f->body, [&](Op* op) { Visit(op); });
    if (too_many_ != nullptr) return TooMany();
    for (Op* op : expansions_) EraseIfUnused(op);
    for (auto op = constants_.rbegin(); op != constants_.rend(); ++op) EraseIfUnused(*op);
    expansions_.clear();
    constants_.clear();
    groups_.clear();
    return absl::OkStatus();
  }

 private:
  absl::Status TooMany() const;
  void Visit(Op* op);
  bool IsConstant(const Op& op) const;
  bool IsConstantCall(const Op& op) const;
  bool IsExpansion(const Op& op) const;
  bool NeedsCopy(Value* value) const;
  Value* CopyOf(Value* value);
  void CopyOp(Op* op);
  void CopyGroups(const Value* value);
  const std::vector<Op*>& GroupsOf(const Value* value);
  Value* Copied(Value* value) const;
  void EraseIfUnused(Op* op);

  // The ops of the expression that is being copied, each with its copy. An op's number is its place
  // in the list, if that place is about the op.
  struct Copy {
    const Op* original;
    Op* copy;
  };
  // A value that is being copied, and the operand of its op that comes next.
  struct Frame {
    Value* value;
    size_t next = 0;
  };

  HloProgram& program_;
  std::vector<Copy> copies_;
  std::vector<Frame> stack_;
  // The group marks of values that were copied: of many readers they are few.
  absl::flat_hash_map<const Value*, std::vector<Op*>> groups_;
  int64_t num_copies_ = 0;        // of ops and of group marks
  const Op* too_many_ = nullptr;  // the consumer with whose copies there are
  std::vector<Op*> constants_;
  std::vector<Op*> expansions_;
};

bool IsSource(const Op& op) {
  return op.kind == OpKind::kConstant ||
         (op.kind == OpKind::kHlo && OpcodeOf(op) == hlo::Opcode::kIota);
}

bool Splitter::IsConstantCall(const Op& op) const {
  if (op.kind != OpKind::kCall) return false;
  const Block& body = *op.As<CallInfo>()->callee->body;
  for (const Op* inner = body.first; inner != body.last; inner = inner->next) {
    if (!IsSource(*inner) && !PreservesConstants(program_, *inner)) return false;
  }
  return true;
}

bool Splitter::IsConstant(const Op& op) const {
  if (IsSource(op)) return true;
  const bool from_constants = std::all_of(op.operands.begin(), op.operands.end(), [](const Use& u) {
    return u.value()->def() != nullptr && u.value()->def()->scratch == kIsConstant;
  });
  return from_constants && (PreservesConstants(program_, op) || IsConstantCall(op));
}

bool Splitter::IsExpansion(const Op& op) const {
  return op.kind == OpKind::kHlo && OpcodeOf(op) == hlo::Opcode::kBroadcast &&
         op.operand(0)->rank() == 0;
}

void Splitter::Visit(Op* op) {
  if (op->kind == OpKind::kShardingGroup || op->scratch != 0 || too_many_ != nullptr) return;
  if (IsConstant(*op)) {
    op->scratch = kIsConstant;
    constants_.push_back(op);
    return;
  }
  if (IsExpansion(*op)) {
    op->scratch = kIsExpansion;
    expansions_.push_back(op);
    return;
  }
  for (Use& use : op->operands) {
    const Op* def = use.value()->def();
    if (def == nullptr || def->scratch == 0 || use.value()->rank() == 0) continue;
    copies_.clear();
    use.Set(CopyOf(use.value()));
    num_copies_ += static_cast<int64_t>(copies_.size());
    if (num_copies_ <= kMaxConstantCopies) continue;
    too_many_ = op;
    return;
  }
}

// The copy of the value, or the value itself if it was not copied.
Value* Splitter::Copied(Value* value) const {
  const Op* op = value->def();
  const size_t place = op == nullptr ? copies_.size() : static_cast<size_t>(op->number);
  if (place >= copies_.size() || copies_[place].original != op) return value;
  return copies_[place].copy->result(value->index());
}

bool Splitter::NeedsCopy(Value* value) const {
  return value->def() != nullptr && value->rank() > 0 && Copied(value) == value;
}

// The copy of a value of a constant op or expansion, operands first. Copies are left out of the
// walk, for they stand before their originals.
Value* Splitter::CopyOf(Value* value) {
  stack_.push_back({value});
  while (!stack_.empty()) {
    Frame& top = stack_.back();
    Op* op = top.value->def();
    if (top.next < op->operands.size()) {
      Value* operand = op->operands[top.next++].value();
      if (NeedsCopy(operand)) stack_.push_back({operand});
      continue;
    }
    CopyOp(op);
    if (program_.CountOf(OpKind::kShardingGroup) > 0) CopyGroups(top.value);
    stack_.pop_back();
  }
  return Copied(value);
}

absl::Status Splitter::TooMany() const {
  return ErrorAtOp(program_, too_many_,
                   absl::StrCat("there are more than ", kMaxConstantCopies,
                                " copies of constants, of which each reader gets one with all that "
                                "it is computed from, as in XLA"));
}

void Splitter::CopyOp(Op* op) {
  absl::InlinedVector<Value*, 4> operands;
  for (const Use& use : op->operands) operands.push_back(Copied(use.value()));
  Op* copy = program_.CloneOver(op, operands, InsertPoint::Before(op));
  copy->is_clone = true;
  op->number = static_cast<int32_t>(copies_.size());
  copies_.push_back({op, copy});
}

// Copies of the value get copies of its marks, and take none of them away.
const std::vector<Op*>& Splitter::GroupsOf(const Value* value) {
  const auto [known, is_new] = groups_.try_emplace(value);
  for (const Use* use = is_new ? value->first_use() : nullptr; use != nullptr; use = use->next()) {
    if (use->user()->kind == OpKind::kShardingGroup) known->second.push_back(use->user());
  }
  return known->second;
}

void Splitter::CopyGroups(const Value* value) {
  for (const Op* group : GroupsOf(value)) {
    program_.CloneOver(group, {Copied(group->operand(0))}, InsertPoint::Before(value->def()));
    ++num_copies_;
  }
}

void Splitter::EraseIfUnused(Op* op) {
  op->scratch = 0;
  std::vector<Op*> groups;
  for (const Value& result : op->results) {
    for (const Use* use = result.first_use(); use != nullptr; use = use->next()) {
      if (use->user()->kind != OpKind::kShardingGroup) return;
      groups.push_back(use->user());
    }
  }
  for (Op* group : groups) program_.Erase(group);
  program_.Erase(op);
}

}  // namespace

absl::Status SplitConstants(HloProgram* program) {
  Splitter splitter(program);
  for (Function* f : CalleesFirst(*program)) TESSERA_RETURN_IF_ERROR(splitter.Run(f));
  return absl::OkStatus();
}

}  // namespace tessera::sharding::passes
