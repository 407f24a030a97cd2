// What the partitioner asks of a whole module, found at the first question.

#include <numeric>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

// Calls `each(operand, user)`, once for a user that reads an operand in several places.
template <typename Each>
void ModuleView::ForEachUse(const Each& each) const {
  std::vector<hlo::InstructionId> last(module_.num_instructions(), hlo::kNoId);  // user, by operand
  for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) {
    if (module_.computation(c).removed) continue;
    for (hlo::InstructionId id : module_.computation(c).instructions) {
      for (hlo::InstructionId operand : module_.operands(id)) {
        if (std::exchange(last[operand], id) != id) each(operand, id);
      }
    }
  }
}

void ModuleView::FindUsers() const {
  // Counted, then written list by list.
  users_end_.assign(module_.num_instructions() + 1, 0);
  ForEachUse([this](hlo::InstructionId operand, hlo::InstructionId) { ++users_end_[operand]; });
  std::partial_sum(users_end_.begin(), users_end_.end(), users_end_.begin());
  users_.resize(users_end_.back());
  std::vector<uint32_t> next(users_end_.size(), 0);  // how many of each are written
  ForEachUse([&](hlo::InstructionId operand, hlo::InstructionId user) {
    const uint32_t begin = operand == 0 ? 0 : users_end_[operand - 1];
    users_[begin + next[operand]++] = user;
  });
}

absl::Span<const hlo::InstructionId> ModuleView::users(hlo::InstructionId id) const {
  if (users_end_.empty()) FindUsers();
  const uint32_t begin = id == 0 ? 0 : users_end_[id - 1];
  return absl::MakeConstSpan(users_).subspan(begin, users_end_[id] - begin);
}

absl::Span<const hlo::InstructionId> ModuleView::callers(hlo::ComputationId id) const {
  if (callers_.empty()) {
    callers_.resize(module_.num_computations());
    for (hlo::ComputationId c = 0; c < module_.num_computations(); ++c) {
      if (module_.computation(c).removed) continue;
      for (hlo::InstructionId caller : module_.computation(c).instructions) {
        for (hlo::ComputationId called : module_.called(caller)) callers_[called].push_back(caller);
      }
    }
  }
  return callers_[id];
}

hlo::InstructionId ModuleView::SkipCopies(hlo::InstructionId id) const {
  std::vector<hlo::InstructionId> copies;
  while (module_.instruction(id).opcode == hlo::Opcode::kCopy) {
    const auto known = skipped_copies_.find(id);
    if (known != skipped_copies_.end()) {
      id = known->second;
      break;
    }
    copies.push_back(id);
    id = module_.operands(id)[0];
  }
  for (hlo::InstructionId copy : copies) skipped_copies_[copy] = id;
  return id;
}

}  // namespace tessera::sharding::partition
