// HLO shardings of a plan, made once for each distinct one.
//
//   PlanShardings shardings;
//   PlanSharding s = shardings.Add(HloSharding::Replicated());
//   PlanSharding t = shardings.Tuple({s, s});
//   shardings.text(t);        // "{{replicated}, {replicated}}"
//   shardings.elements(t);    // {s, s}

#ifndef TESSERA_SHARDING_GRAPH_PLAN_PLAN_SHARDINGS_H_
#define TESSERA_SHARDING_GRAPH_PLAN_PLAN_SHARDINGS_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/sharding/hlo_sharding.h"

namespace tessera::sharding::graph {

using PlanSharding = int32_t;
// No `sharding=` attribute.
inline constexpr PlanSharding kNoPlanSharding = -1;

class PlanShardings {
 public:
  // How texts are spelled; before anything is added.
  void set_form(const HloShardingForm& form) { form_ = form; }

  PlanSharding Add(const HloSharding& leaf);
  // {replicated}, as a leaf.
  PlanSharding Replicated() { return Add(HloSharding::Replicated()); }
  // Missing elements become {replicated}; none at all if all are missing.
  PlanSharding Tuple(const std::vector<PlanSharding>& elements);

  const std::string& text(PlanSharding id) const { return entries_[Index(id)].text; }
  bool is_tuple(PlanSharding id) const { return entries_[Index(id)].is_tuple; }
  // Of a tuple: its leaves in order.
  absl::Span<const PlanSharding> elements(PlanSharding id) const {
    return entries_[Index(id)].elements;
  }
  // Equal in meaning, however they are written. Missing ones equal nothing.
  bool Same(PlanSharding a, PlanSharding b) const;
  // Leaf `i` of an instruction that has sharding `id`, be that a tuple or one for all.
  PlanSharding Leaf(PlanSharding id, size_t i) const;

 private:
  struct Entry {
    std::string text;
    bool is_tuple = false;
    std::vector<PlanSharding> elements;
    HloSharding sharding;
  };
  static size_t Index(PlanSharding id) { return static_cast<size_t>(id); }
  PlanSharding Intern(Entry entry);
  PlanSharding NewTuple(const std::vector<PlanSharding>& elements);

  HloShardingForm form_;
  std::deque<Entry> entries_;
  absl::flat_hash_map<std::string, PlanSharding> ids_;
  // What Tuple() made: layers repeat, and the text of a long tuple is long work.
  absl::flat_hash_map<std::vector<PlanSharding>, PlanSharding> tuples_;
};

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PLAN_PLAN_SHARDINGS_H_
