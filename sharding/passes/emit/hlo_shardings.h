// HLO shardings of a program in the form of HLO, made once for each distinct one.
//
//   HloShardings shardings;
//   HloShardingId s = shardings.Add(HloSharding::Replicated());
//   HloShardingId t = shardings.Tuple({s, s});
//   shardings.text(t);        // "{{replicated}, {replicated}}"
//   shardings.elements(t);    // {s, s}

#ifndef TESSERA_SHARDING_PASSES_EMIT_HLO_SHARDINGS_H_
#define TESSERA_SHARDING_PASSES_EMIT_HLO_SHARDINGS_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/sharding/hlo_sharding.h"

namespace tessera::sharding::passes {

using HloShardingId = int32_t;
// No `sharding=` attribute.
inline constexpr HloShardingId kNoHloSharding = -1;

class HloShardings {
 public:
  // How texts are spelled; before anything is added.
  void set_form(const HloShardingForm& form) { form_ = form; }

  HloShardingId Add(const HloSharding& leaf);
  // {replicated}, as a leaf.
  HloShardingId Replicated() { return Add(HloSharding::Replicated()); }
  // Missing elements become {replicated}; none at all if all are missing.
  HloShardingId Tuple(const std::vector<HloShardingId>& elements);

  const std::string& text(HloShardingId id) const { return entries_[Index(id)].text; }
  bool is_tuple(HloShardingId id) const { return entries_[Index(id)].is_tuple; }
  // Of a tuple: its leaves in order.
  absl::Span<const HloShardingId> elements(HloShardingId id) const {
    return entries_[Index(id)].elements;
  }
  // Equal in meaning, however they are written. Missing ones equal nothing.
  bool Same(HloShardingId a, HloShardingId b) const;
  // Leaf `i` of an instruction that has sharding `id`, be that a tuple or one for all.
  HloShardingId Leaf(HloShardingId id, size_t i) const;

 private:
  struct Entry {
    std::string text;
    bool is_tuple = false;
    std::vector<HloShardingId> elements;
    HloSharding sharding;
  };
  static size_t Index(HloShardingId id) { return static_cast<size_t>(id); }
  HloShardingId Intern(Entry entry);
  HloShardingId NewTuple(const std::vector<HloShardingId>& elements);

  HloShardingForm form_;
  std::deque<Entry> entries_;
  absl::flat_hash_map<std::string, HloShardingId> ids_;
  // Results of Tuple(): layers repeat, and the text of a long tuple is long work.
  absl::flat_hash_map<std::vector<HloShardingId>, HloShardingId> tuples_;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_HLO_SHARDINGS_H_
