// File: scope.h
//
// What the parser knows of the computation that it is reading: names so far, root, parameters.

#ifndef TESSERA_HLO_PARSE_SCOPE_H_
#define TESSERA_HLO_PARSE_SCOPE_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/values/hash.h"

namespace tessera::hlo {

// Names of the instructions of one computation, or of the computations of a module: open addressing
// over (hash, id); the names themselves stay in the module. At most half full.
class NameIds {
 public:
  void Clear() {
    slots_.resize(kFewSlots);
    std::fill(slots_.begin(), slots_.end(), Slot{});
    count_ = 0;
  }
  // `name_of(id)` gives the name of an id that is in the table.
  template <typename NameOf>
  uint32_t Find(absl::string_view name, uint32_t hash, const NameOf& name_of) const {
    const size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask; slots_[i].id != kNoId; i = (i + 1) & mask) {
      if (slots_[i].hash == hash && SameText(name_of(slots_[i].id), name)) return slots_[i].id;
    }
    return kNoId;
  }
  // The name must not be there yet.
  void Add(uint32_t hash, uint32_t id) {
    if (++count_ * 2 > slots_.size()) Grow();
    Put({hash, id});
  }
  // False if the name is there.
  template <typename NameOf>
  bool AddNew(absl::string_view name, uint32_t hash, uint32_t id, const NameOf& name_of) {
    if (2 * (count_ + 1) > slots_.size()) Grow();
    const size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    for (; slots_[i].id != kNoId; i = (i + 1) & mask) {
      if (slots_[i].hash == hash && SameText(name_of(slots_[i].id), name)) return false;
    }
    slots_[i] = {hash, id};
    ++count_;
    return true;
  }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t id = kNoId;
  };
  static constexpr size_t kFewSlots = 32;
  static constexpr size_t kGrowth = 2;

  void Put(Slot slot) {
    const size_t mask = slots_.size() - 1;
    size_t i = slot.hash & mask;
    while (slots_[i].id != kNoId) i = (i + 1) & mask;
    slots_[i] = slot;
  }
  void Grow() {
    std::vector<Slot> old(kGrowth * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id != kNoId) Put(slot);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kFewSlots);
  size_t count_ = 0;
};

struct Scope {
  NameIds names;
  std::vector<InstructionId> instructions;
  std::vector<InstructionId> parameters;  // by number; kNoId for one not seen yet
  InstructionId root = kNoId;
  bool has_errors = false;
  ComputationId expected_id = 0;  // right unless computations come in between
  // Names whose definitions failed: mistakes that follow from that are not reported.
  absl::flat_hash_set<absl::string_view> poisoned;
  // get-tuple-elements made from `x#1`.
  absl::flat_hash_map<std::pair<InstructionId, int64_t>, InstructionId> elements;

  void Clear() {
    names.Clear();
    instructions.clear();
    parameters.clear();
    root = kNoId;
    has_errors = false;
    poisoned.clear();
    elements.clear();
  }
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_SCOPE_H_
