#include "tessera/sharding/propagation/cached_step.h"

#include <algorithm>

namespace tessera::sharding::propagation {
namespace {

constexpr uint32_t kFree = 0xffffffffu;
constexpr size_t kFirstSize = 256;

uint64_t HashOf(absl::Span<const uint32_t> key) {
  uint64_t hash = key.size();
  for (uint32_t word : key) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

CachedStep::CachedStep(const Tables& tables) : step_(tables), slots_(kFirstSize, kFree) {}

OpStep::Answer CachedStep::Run(const StepMode& mode, RuleId rule,
                               absl::Span<const ShardingId> shardings) {
  // Without any sharding there is nothing to move.
  const auto is_empty = [](ShardingId id) { return id == kNoSharding; };
  if (std::all_of(shardings.begin(), shardings.end(), is_empty)) {
    ++remembered_;
    return {{}, true};
  }
  MakeKey(mode, rule, shardings);
  const uint64_t hash = HashOf(key_);
  const size_t slot = FindSlot(hash);
  if (slots_[slot] != kFree) {
    const Entry& found = entries_[slots_[slot]];
    ++remembered_;
    return {absl::MakeConstSpan(updates_).subspan(found.update_begin, found.update_count),
            found.at_rest};
  }
  const OpStep::Answer answer = step_.Run(mode, rule, shardings);
  slots_[slot] = static_cast<uint32_t>(entries_.size());
  entries_.push_back({hash, static_cast<uint32_t>(keys_.size()), static_cast<uint32_t>(key_.size()),
                      static_cast<uint32_t>(updates_.size()),
                      static_cast<uint32_t>(answer.updates.size()), answer.at_rest});
  keys_.insert(keys_.end(), key_.begin(), key_.end());
  updates_.insert(updates_.end(), answer.updates.begin(), answer.updates.end());
  if (entries_.size() * 2 > slots_.size()) Grow();
  return answer;
}

void CachedStep::MakeKey(const StepMode& mode, RuleId rule,
                         absl::Span<const ShardingId> shardings) {
  key_.clear();
  key_.push_back(mode.code());
  key_.push_back(rule);
  key_.insert(key_.end(), shardings.begin(), shardings.end());
}

size_t CachedStep::FindSlot(uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  while (slots_[slot] != kFree) {
    const Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && IsKeyOf(entry)) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

bool CachedStep::IsKeyOf(const Entry& entry) const {
  return entry.key_size == key_.size() &&
         std::equal(key_.begin(), key_.end(), keys_.begin() + entry.key_begin);
}

void CachedStep::Grow() {
  slots_.assign(slots_.size() * 2, kFree);
  const size_t mask = slots_.size() - 1;
  for (size_t e = 0; e < entries_.size(); ++e) {
    size_t slot = entries_[e].hash & mask;
    while (slots_[slot] != kFree) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<uint32_t>(e);
  }
}

}  // namespace tessera::sharding::propagation
