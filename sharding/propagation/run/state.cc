#include "tessera/sharding/propagation/run/state.h"

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {

State::State(const NumberedProgram& program, const Tables& tables, Observer* observer)
    : program_(program), tables_(tables), observer_(observer) {
  shardings_.reserve(program.num_values());
  for (ValueId v = 0; v < program.num_values(); ++v) {
    shardings_.push_back(program.value(v).sharding());
  }
  for (const Output& output : program.outputs()) outputs_.push_back(output.sharding);
  for (ValueId v = 0; v < program.num_values(); ++v) {
    const bool has_sibling = program.value(v).index() == 1 && !program.is_block_argument(v);
    if (has_sibling) CompleteResults(program.def(v));
  }
}

// An op that has a sharding for one of its results has one for each.
void State::CompleteResults(OpId o) {
  const absl::Span<const ValueId> results = program_.results(o);
  const auto given =
      absl::c_find_if(results, [&](ValueId v) { return shardings_[v] != kNoSharding; });
  if (given == results.end()) return;
  const MeshId mesh = (*tables_.shardings)[shardings_[*given]].mesh_id();
  for (const ValueId v : results) {
    if (shardings_[v] == kNoSharding) shardings_[v] = Open(mesh, v);
  }
}

ShardingId State::Open(MeshId mesh, ValueId v) {
  return tables_.shardings->Intern(TensorSharding::FullyOpen(mesh, program_.rank(v)));
}

void State::Write(ValueId v, ShardingId sharding, WriteReason reason) {
  written_.clear();
  if (FillsSiblings(v)) FillSiblings(v, (*tables_.shardings)[sharding].mesh_id());
  Set(v, sharding, reason);
}

void State::WriteOutput(int k, ShardingId sharding, WriteReason reason) {
  ++writes_;
  if (observer_ != nullptr) {
    observer_->OnWrite({kNone, k, reason.tensor, outputs_[k], sharding, reason.cause});
  }
  outputs_[k] = sharding;
}

void State::Set(ValueId v, ShardingId sharding, WriteReason reason) {
  ++writes_;
  written_.push_back(v);
  if (observer_ != nullptr) {
    observer_->OnWrite({v, kNone, reason.tensor, shardings_[v], sharding, reason.cause});
  }
  shardings_[v] = sharding;
}

bool State::FillsSiblings(ValueId v) const {
  if (shardings_[v] != kNoSharding || program_.is_block_argument(v)) return false;
  const absl::Span<const ValueId> results = program_.results(program_.def(v));
  return results.size() > 1 &&
         absl::c_all_of(results, [&](ValueId r) { return shardings_[r] == kNoSharding; });
}

void State::FillSiblings(ValueId v, MeshId mesh) {
  for (const ValueId sibling : program_.results(program_.def(v))) {
    if (sibling == v) continue;
    Set(sibling, Open(mesh, sibling), {Cause::kOpenFilling});
  }
}

}  // namespace tessera::sharding::propagation
