#include "tessera/sharding/propagation/plan.h"

namespace tessera::sharding::propagation {
namespace {

bool HasStep(const OpSpec& op) {
  switch (op.kind) {
    case OpKind::kEdge:
    case OpKind::kBarrier:
      return true;
    case OpKind::kPlain:
    case OpKind::kRegion:
      return op.rule != factors::kNoRule;
    default:
      return false;
  }
}

// A use by one of these, or by a terminator inside one, means the edges of its results.
bool HasEdges(OpKind kind) {
  return kind == OpKind::kWhile || kind == OpKind::kCase || kind == OpKind::kOptBarrier ||
         kind == OpKind::kNamed || kind == OpKind::kManual;
}

}  // namespace

IdLists IdLists::Inverse(int32_t n) const {
  IdLists inverse;
  inverse.begin_.assign(n + 1, 0);
  std::vector<int32_t> last(n, -1);  // the last list that was counted for an id
  for (int32_t list = 0; list < size(); ++list) {
    for (const int32_t id : (*this)[list]) {
      if (last[id] != list) ++inverse.begin_[id + 1];
      last[id] = list;
    }
  }
  for (int32_t id = 0; id < n; ++id) inverse.begin_[id + 1] += inverse.begin_[id];
  inverse.ids_.resize(inverse.begin_[n]);
  std::vector<int32_t> next(inverse.begin_.begin(), inverse.begin_.end() - 1);
  last.assign(n, -1);
  for (int32_t list = 0; list < size(); ++list) {
    for (const int32_t id : (*this)[list]) {
      if (last[id] != list) inverse.ids_[next[id]++] = list;
      last[id] = list;
    }
  }
  return inverse;
}

Plan::Plan(const Program& program) : program_(program) {
  FillTensors();
  FillWakes();
  touched_ = tensors_.Inverse(program.num_values());
}

void Plan::FillTensors() {
  has_step_.resize(program_.num_ops());
  tensors_.Reserve(program_.num_ops(), 3 * static_cast<size_t>(program_.num_ops()));
  for (OpId o = 0; o < program_.num_ops(); ++o) {
    has_step_[o] = HasStep(program_.op(o));
    if (has_step_[o]) {
      const EdgeId edge = program_.edge(o);
      const absl::Span<const ValueId> operands =
          edge == kNone ? program_.operands(o)
                        : absl::MakeConstSpan(program_.edges()[edge].sources);
      for (const ValueId v : operands) tensors_.Append(program_.home(v));
      for (const ValueId v : program_.results(o)) tensors_.Append(program_.home(v));
    }
    tensors_.Close();
  }
}

void Plan::FillWakes() {
  wakes_.Reserve(program_.num_values(), 3 * static_cast<size_t>(program_.num_values()));
  for (ValueId v = 0; v < program_.num_values(); ++v) {
    if (program_.home(v) == v) {
      const OpId def = program_.def(v);
      if (const EdgeId edge = program_.edge(def); edge != kNone) {
        for (const ValueId target : program_.edges()[edge].other_targets) WakeUsers(target);
      }
      Wake(def);
      WakeUsers(v);
    }
    wakes_.Close();
  }
}

void Plan::WakeUsers(ValueId v) {
  for (const Use use : program_.uses(v)) {
    if (const OpId woken = WokenBy(use); woken != kNone) Wake(woken);
  }
}

OpId Plan::WokenBy(Use use) const {
  const OpSpec& op = program_.op(use.op);
  switch (op.kind) {
    case OpKind::kWhile:
    case OpKind::kCase:
    case OpKind::kOptBarrier:
      return EdgeOf(use.op, use.operand);
    case OpKind::kTerminator:
      return HasEdges(program_.op(op.parent).kind) ? EdgeOf(op.parent, use.operand) : op.parent;
    case OpKind::kNamed:
    case OpKind::kManual:
    case OpKind::kReturn:
    case OpKind::kFunction:
      return kNone;
    default:
      return use.op;
  }
}

// The edge op of result `result` of `o`; `o` itself if there is none.
OpId Plan::EdgeOf(OpId o, int32_t result) const {
  const absl::Span<const ValueId> results = program_.results(o);
  if (result >= static_cast<int32_t>(results.size())) return o;
  return program_.def(program_.home(results[result]));
}

void Plan::Wake(OpId o) {
  if (has_step_[o] || program_.op(o).removable) wakes_.Append(o);
}

}  // namespace tessera::sharding::propagation
