#include "tessera/sharding/propagation/run/wake_index.h"

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {
namespace {

// A use by one of these, or by a terminator inside one, means the edges of its results.
bool HasEdges(OpKind kind) {
  return kind == OpKind::kWhile || kind == OpKind::kCase || kind == OpKind::kOptBarrier ||
         kind == OpKind::kNamedComputation || kind == OpKind::kManualComputation;
}

}  // namespace

WakeIndex::WakeIndex(const Program& program) : program_(program) {
  roles_.reserve(program.num_ops());
  for (OpId o = 0; o < program.num_ops(); ++o) roles_.push_back(RoleOf(program.op(o)));
  FillEdgeTensors();
  FillWakes();
  FillUnwokenReaders();
}

uint8_t WakeIndex::RoleOf(const OpSpec& op) {
  const uint8_t acts = op.removable ? kActs : 0;
  switch (op.kind) {
    case OpKind::kDataFlowEdge:
    case OpKind::kPropagationBarrier:
      return kHasStep | kActs;
    case OpKind::kPlain:
    case OpKind::kRegion:
      return op.rule == factors::kNoRule ? acts : kHasStep | kActs;
    default:
      return kSwaps | acts;
  }
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
  for (const Use use : program_.uses(v)) {
    const OpId woken = roles_[use.op] & kSwaps ? WokenBy(use) : use.op;
    if (woken != kNone) Wake(woken);
  }
}

OpId WakeIndex::WokenBy(Use use) const {
  const OpSpec& op = program_.op(use.op);
  switch (op.kind) {
    case OpKind::kWhile:
    case OpKind::kCase:
    case OpKind::kOptBarrier:
      return EdgeOf(use.op, use.operand);
    case OpKind::kTerminator:
      return HasEdges(program_.op(op.parent).kind) ? EdgeOf(op.parent, use.operand) : op.parent;
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

// A value that is its own owner wakes all ops with a step that read it; of any other value, and of
// the sources of edges, that is not guaranteed.
void WakeIndex::AddReaders(ValueId v) {
  const ValueId owner = program_.sharding_owner(v);
  const OpId def = program_.def(v);
  if (!program_.is_block_argument(v) && has_step(def)) readers_.emplace_back(owner, def);
  for (const Use use : program_.uses(v)) {
    if (has_step(use.op)) readers_.emplace_back(owner, use.op);
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
