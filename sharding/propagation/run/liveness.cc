#include "tessera/sharding/propagation/run/liveness.h"

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {

Liveness::Liveness(const NumberedProgram& program)
    : program_(program), use_count_(program.num_values()), erased_(program.num_ops()) {
  for (const ValueId v : program.all_tensors()) ++use_count_[v];
  for (ValueId v = 0; v < program.num_values(); ++v) use_count_[v] -= !program.is_block_argument(v);
}

int Liveness::OtherUsers(ValueId v, OpId o) const {
  OpId other = kNone;
  for (const program::Use* use = program_.value(v).first_use(); use != nullptr; use = use->next()) {
    const OpId user = use->user()->number;
    if (user == o || user == other || erased_[user]) continue;
    if (other != kNone) return 2;
    other = user;
  }
  return other == kNone ? 0 : 1;
}

bool Liveness::IsDead(OpId o) const {
  for (const ValueId v : program_.results(o)) {
    if (use_count_[v] != 0) return false;
  }
  return program_.is_removable(o) && !erased(o);
}

bool Liveness::single_use(OpId o) const {
  return absl::c_all_of(program_.operands(o), [&](ValueId v) {
    return use_count_[v] == 1 || (program_.has_shape(v) && program_.rank(v) == 0);
  });
}

}  // namespace tessera::sharding::propagation
