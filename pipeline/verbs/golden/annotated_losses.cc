#include "tessera/pipeline/verbs/golden/annotated_losses.h"

#include <vector>

namespace tessera::pipeline {
namespace {

using sharding::TensorSharding;
using sharding::explain::Annotation;
using sharding::explain::SlotId;
using sharding::propagation::OpId;
using sharding::propagation::ValueId;
using Neighbours = absl::flat_hash_map<SlotId, std::vector<SlotId>>;

bool Closes(const Explained& now, const Annotation& annotation, int64_t dim) {
  const TensorSharding* written = now.sharded->program->Find(annotation.sharding);
  return written != nullptr && dim < written->rank() &&
         written->dim(static_cast<int>(dim)).is_closed;
}

// Links the lost tensors of each operation in a chain: a search from one reaches all.
Neighbours NeighboursAmong(const absl::flat_hash_map<SlotId, int64_t>& lost, const Explained& now) {
  Neighbours neighbours;
  const auto& program = now.log->numbered();
  for (OpId op = 0; op < program.num_ops(); ++op) {
    SlotId last = sharding::explain::kNoIndex;
    for (const ValueId value : program.tensors(op)) {
      const SlotId slot = now.log->SlotOf(value);
      if (lost.count(slot) == 0) continue;
      if (last >= 0 && last != slot) {
        neighbours[last].push_back(slot);
        neighbours[slot].push_back(last);
      }
      last = slot;
    }
  }
  return neighbours;
}

}  // namespace

AnnotatedLosses::AnnotatedLosses(const Explained& now, const LostByAxis& lost) {
  for (const auto& [axis, slots] : lost) {
    std::vector<SlotId> reached;
    auto& annotated = annotated_[axis];
    for (const Annotation& annotation : now.log->annotations()) {
      const auto lost_here = slots.find(annotation.slot);
      if (lost_here == slots.end() || !Closes(now, annotation, lost_here->second)) continue;
      const SlotId slot = annotation.slot;
      if (annotated.try_emplace(slot, slot).second) reached.push_back(slot);
    }
    if (reached.empty()) continue;
    const Neighbours neighbours = NeighboursAmong(slots, now);
    for (size_t next = 0; next < reached.size(); ++next) {
      const auto linked = neighbours.find(reached[next]);
      if (linked == neighbours.end()) continue;
      const SlotId origin = annotated.at(reached[next]);  // a copy: the table grows
      for (const SlotId slot : linked->second) {
        if (annotated.try_emplace(slot, origin).second) reached.push_back(slot);
      }
    }
  }
}

std::optional<SlotId> AnnotatedLosses::AnnotatedOf(const std::string& axis, SlotId slot) const {
  const auto of_axis = annotated_.find(axis);
  if (of_axis == annotated_.end()) return std::nullopt;
  const auto found = of_axis->second.find(slot);
  if (found == of_axis->second.end()) return std::nullopt;
  return found->second;
}

}  // namespace tessera::pipeline
