#include "tessera/sharding/propagation/run/liveness.h"

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {

Liveness::Liveness(const Program& program)
    : program_(program), use_count_(program.num_values()), erased_(program.num_ops()) {
  for (ValueId v = 0; v < program.num_values(); ++v) {
    use_count_[v] = static_cast<int32_t>(program.uses(v).size());
  }
}

int Liveness::OtherUsers(ValueId v, OpId o) const {
  OpId other = kNone;
  for (const Use use : program_.uses(v)) {
    if (use.op == o || use.op == other || erased_[use.op]) continue;
    if (other != kNone) return 2;
    other = use.op;
  }
  return other == kNone ? 0 : 1;
}

bool Liveness::IsDead(OpId o) const {
  for (const ValueId v : program_.results(o)) {
    if (use_count_[v] != 0) return false;
  }
  return program_.op(o).removable && !erased(o);
}

bool Liveness::single_use(OpId o) const {
  return absl::c_all_of(program_.operands(o), [&](ValueId v) {
    return use_count_[v] == 1 || (program_.has_shape(v) && program_.rank(v) == 0);
  });
}

}  // namespace tessera::sharding::propagation
