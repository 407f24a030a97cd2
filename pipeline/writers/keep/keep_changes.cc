// The last step of keep_matching.cc: of all slots those for which the text must change.

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/pipeline/writers/keep/keep_matching.h"

namespace tessera::pipeline::writers {

using hlo::InstructionId;
using sharding::passes::HloRole;
using sharding::passes::kNoNode;
using sharding::passes::NodeId;

// A loop that reads two copies of one constant has room for one of them in the text. The other one
// then has no user there, and neither have the copies of what it was made from: users first, they
// are dropped.
void Matching::DropUnusedCopies() {
  absl::flat_hash_map<InstructionId, std::vector<const Slot*>> uses;  // of what has copies
  for (const Slot& slot : slots_) {
    if (NodesOf(slot.source).size() > 1) uses[slot.source].push_back(&slot);
  }
  bool dropped = false;
  for (auto id = source_.instructions.rbegin(); id != source_.instructions.rend(); ++id) {
    if (NodesOf(*id).size() < 2) continue;
    absl::flat_hash_set<NodeId> read;
    for (const Slot* slot : uses[*id]) {
      if (HasReader(*slot)) read.insert(slot->value);
    }
    NodeLists::List used;
    absl::c_copy_if(NodesOf(*id), std::back_inserter(used),
                    [&](NodeId node) { return read.contains(node); });
    if (used.empty() || used.size() == NodesOf(*id).size()) continue;
    lists_.Keep(*id, std::move(used));
    dropped = true;
  }
  if (!dropped) return;
  const auto is_lost = [&](const Slot& slot) { return !HasReader(slot); };
  slots_.erase(std::remove_if(slots_.begin(), slots_.end(), is_lost), slots_.end());
}

// The reader of the slot is still there: the result, a border of a shard_map, or an instruction.
bool Matching::HasReader(const Slot& slot) const {
  return slot.user == kNoNode || Node(slot.user).role() == HloRole::kBoundary ||
         StandsFor(slot.user, slot.reader);
}

// Of constraints in a row that nobody reads in the end none is read: after all other readers come
// constraints, readers first.
void Matching::NoteUses() {
  std::vector<const Slot*> constraints;
  for (const Slot& slot : slots_) {
    const bool reads =
        slot.reader == hlo::kNoId || CallKindOf(module_, slot.reader) != CallKind::kConstraint;
    if (reads) {
      NoteUse(slot);
    } else {
      constraints.push_back(&slot);
    }
  }
  absl::c_sort(constraints, [](const Slot* a, const Slot* b) { return a->reader > b->reader; });
  for (const Slot* slot : constraints) {
    if (HasUser(slot->reader)) NoteUse(*slot);
  }
}

void Matching::NoteUse(const Slot& slot) {
  used_nodes_[static_cast<size_t>(slot.value)] = true;
  if (CallKindOf(module_, slot.source) == CallKind::kConstraint) {
    used_constraints_.insert(slot.source);
  }
}

void Matching::KeepChanges() {
  const auto is_plain = [&](const Slot& slot) {
    return slot.num_inserted == 0 && NodesOf(slot.source).size() < 2;
  };
  slots_.erase(std::remove_if(slots_.begin(), slots_.end(), is_plain), slots_.end());
  std::stable_sort(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) {
    return std::make_pair(a.holder.instruction, a.holder.operand) <
           std::make_pair(b.holder.instruction, b.holder.operand);
  });
}

const Slot* Matching::SlotOf(InstructionId holder, uint32_t k) const {
  const auto at = std::make_pair(holder, k);
  const auto slot =
      std::lower_bound(slots_.begin(), slots_.end(), at,
                       [](const Slot& a, const std::pair<InstructionId, uint32_t>& b) {
                         return std::make_pair(a.holder.instruction, a.holder.operand) < b;
                       });
  const bool is_there = slot != slots_.end() && slot->holder.exists &&
                        std::make_pair(slot->holder.instruction, slot->holder.operand) == at;
  return is_there ? &*slot : nullptr;
}

}  // namespace tessera::pipeline::writers
