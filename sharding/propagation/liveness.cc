#include "tessera/sharding/propagation/liveness.h"

#include "absl/algorithm/container.h"

namespace tessera::sharding::propagation {

Liveness::Liveness(const Program& program)
    : program_(program),
      use_count_(program.num_values()),
      erased_(program.num_ops()),
      dead_(program.num_ops()),
      single_use_(program.num_ops()) {
  for (ValueId v = 0; v < program.num_values(); ++v) {
    use_count_[v] = static_cast<int32_t>(program.uses(v).size());
  }
  for (OpId o = 0; o < program.num_ops(); ++o) {
    dead_[o] = ComputeDead(o);
    single_use_[o] = ComputeSingleUse(o);
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

void Liveness::DropUse(ValueId v) {
  const int32_t left = --use_count_[v];
  if (left == 0 && !program_.is_block_argument(v)) {
    dead_[program_.def(v)] = ComputeDead(program_.def(v));
  }
  if (left != 1) return;
  for (const Use use : program_.uses(v)) {
    if (!erased_[use.op]) single_use_[use.op] = ComputeSingleUse(use.op);
  }
}

bool Liveness::ComputeDead(OpId o) const {
  return program_.op(o).removable && !erased_[o] &&
         absl::c_all_of(program_.results(o), [&](ValueId v) { return use_count_[v] == 0; });
}

bool Liveness::ComputeSingleUse(OpId o) const {
  return absl::c_all_of(program_.operands(o), [&](ValueId v) {
    const bool is_scalar = program_.has_shape(v) && program_.rank(v) == 0;
    return is_scalar || use_count_[v] == 1;
  });
}

}  // namespace tessera::sharding::propagation
