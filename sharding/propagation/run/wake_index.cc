#include "tessera/sharding/propagation/run/wake_index.h"

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {
namespace {

// A use by one of these, or by a terminator inside one, means the edges of its results.
bool HasEdges(OpKind kind) {
  return kind == OpKind::kWhile || kind == OpKind::kCase || kind == OpKind::kOptBarrier ||
         kind == OpKind::kNamedComputation || kind == OpKind::kManualComputation;
}

// An edge and a barrier have the identity as their rule; these others may have one.
bool HasStep(OpKind kind) {
  return kind == OpKind::kHlo || kind == OpKind::kConstraint || kind == OpKind::kDataFlowEdge ||
         kind == OpKind::kPropagationBarrier;
}

}  // namespace

WakeIndex::WakeIndex(const NumberedProgram& program) : program_(program) {
  roles_.reserve(program.num_ops());
  for (OpId o = 0; o < program.num_ops(); ++o) roles_.push_back(RoleOf(o));
  FillEdgeTensors();
  FillWakes();
  FillUnwokenReaders();
}

uint8_t WakeIndex::RoleOf(OpId o) const {
  const OpKind kind = program_.kind(o);
  if (HasStep(kind)) return kHasStep | kActs;
  const uint8_t acts = program_.is_removable(o) ? kActs : 0;
  return HasEdges(kind) || kind == OpKind::kReturn ? kSwaps | acts : acts;
}

void WakeIndex::FillEdgeTensors() {
  for (const EdgeSpec& edge : program_.edges()) {
    for (const ValueId source : edge.sources) edge_tensors_.Append(source);
    edge_tensors_.Append(edge.result);
    edge_tensors_.Close();
  }
}

void WakeIndex::FillWakes() {
  const size_t values = static_cast<size_t>(program_.num_values());
  wakes_.Reserve(values, 3 * values);
  for (ValueId v = 0; v < program_.num_values(); ++v) {
    if (program_.sharding_owner(v) == v) {
      WakeAround(v);
    } else {
      AddReaders(v);
    }
    wakes_.Close();
  }
}

void WakeIndex::WakeAround(ValueId owner) {
  const OpId def = program_.def(owner);
  if (const EdgeId edge = program_.edge(def); edge != kNone) {
    for (const ValueId target : program_.edges()[edge].other_targets) WakeUsers(target);
  }
  Wake(def);
  WakeUsers(owner);
}

void WakeIndex::WakeUsers(ValueId v) {
  for (const program::Use* use = program_.value(v).first_use(); use != nullptr; use = use->next()) {
    const OpId user = use->user()->number;
    const OpId woken = roles_[user] & kSwaps ? WokenBy(*use) : user;
    if (woken != kNone) Wake(woken);
  }
}

// An operand of a named or manual computation wakes nobody, nor does one of the function's return.
OpId WakeIndex::WokenBy(const program::Use& use) const {
  const program::Op& op = *use.user();
  switch (op.kind) {
    case OpKind::kWhile:
    case OpKind::kCase:
    case OpKind::kOptBarrier:
      return EdgeOf(op.number, use.number());
    case OpKind::kReturn: {
      const program::Op* const parent = op.block->parent;
      if (parent == nullptr) return kNone;
      return HasEdges(parent->kind) ? EdgeOf(parent->number, use.number()) : parent->number;
    }
    default:
      return kNone;
  }
}

// The edge op of result `result` of `o`; `o` itself if there is none.
OpId WakeIndex::EdgeOf(OpId o, int32_t result) const {
  const absl::Span<const ValueId> results = program_.results(o);
  if (result >= static_cast<int32_t>(results.size())) return o;
  return program_.def(program_.sharding_owner(results[result]));
}

void WakeIndex::Wake(OpId o) {
  if (roles_[o] & kActs) wakes_.Append(o);
}

// A value that is its own owner wakes all ops with a step that read it. Of any other value, and of
// the sources of edges, that is not guaranteed.
void WakeIndex::AddReaders(ValueId v) {
  const ValueId owner = program_.sharding_owner(v);
  const OpId def = program_.def(v);
  if (!program_.is_block_argument(v) && has_step(def)) readers_.emplace_back(owner, def);
  for (const program::Use* use = program_.value(v).first_use(); use != nullptr; use = use->next()) {
    const OpId user = use->user()->number;
    if (has_step(user)) readers_.emplace_back(owner, user);
  }
}

void WakeIndex::FillUnwokenReaders() {
  for (const EdgeSpec& edge : program_.edges()) {
    for (const ValueId source : edge.sources) {
      readers_.emplace_back(program_.sharding_owner(source), program_.def(edge.result));
    }
  }
  absl::c_sort(readers_);
  auto reader = readers_.begin();
  unwoken_readers_.Reserve(program_.num_values(), readers_.size());
  for (ValueId v = 0; v < program_.num_values(); ++v) {
    for (; reader != readers_.end() && reader->first == v; ++reader) {
      unwoken_readers_.Append(reader->second);
    }
    unwoken_readers_.Close();
  }
}

}  // namespace tessera::sharding::propagation
