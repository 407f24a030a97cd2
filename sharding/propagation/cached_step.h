// File: cached_step.h
//
// Remembers what a step answered, since a model is the same layer over and over.
//
//   CachedStep step(tables);
//   step.Run(mode, rule, shardings);   // computes
//   step.Run(mode, rule, shardings);   // remembers
//
// The key is (mode, rule, sharding ids): interning makes it a handful of integers.
//
//   keys_      [mode rule id id id][mode rule id id]...      one record after the other
//   updates_   [t id][t id][t id]...                         the answers likewise
//   entries_   {hash, where the key is, where the answer is} one for each record
//   slots_     open addressing, power of two, at most half full: number of an entry, or free
//
// Memory: some tens of bytes for each distinct step. A lookup costs one hash of the key and, as a
// rule, one comparison.

#ifndef TESSERA_SHARDING_PROPAGATION_CACHED_STEP_H_
#define TESSERA_SHARDING_PROPAGATION_CACHED_STEP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/propagation/op_step.h"

namespace tessera::sharding::propagation {

class CachedStep {
 public:
  explicit CachedStep(const Tables& tables);

  // As OpStep::Run. The answer is good until the next call.
  OpStep::Answer Run(const StepMode& mode, RuleId rule, absl::Span<const ShardingId> shardings);

  // Calls that were answered from memory.
  int64_t remembered() const { return remembered_; }

 private:
  struct Entry {
    uint64_t hash = 0;
    uint32_t key_begin = 0;
    uint32_t key_size = 0;
    uint32_t update_begin = 0;
    uint32_t update_count = 0;
    bool at_rest = true;
  };

  void MakeKey(const StepMode& mode, RuleId rule, absl::Span<const ShardingId> shardings);
  // The slot of the key at hand: its entry's, or the free one where it belongs.
  size_t FindSlot(uint64_t hash) const;
  bool IsKeyOf(const Entry& entry) const;
  void Grow();

  OpStep step_;
  std::vector<uint32_t> key_;  // at hand
  std::vector<uint32_t> keys_;
  std::vector<OpStep::Update> updates_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;
  int64_t remembered_ = 0;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_CACHED_STEP_H_
