#include "tessera/sharding/explain/golden/matching.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"

namespace tessera::sharding::golden {
namespace {

// The facts that two tensors must share besides opcode, element type and rank. Elements of a loop's
// state that do not have the same dimensions must have the same K in a state of as many elements.
struct Level {
  bool leaf;  // K of `while.3{K}`
  bool dims, op_name, op_tail, source;
  bool anywhere;  // says enough to be believed of tensors that are no neighbours
};
constexpr std::array<Level, 8> kLevels = {{
    {true, true, true, true, true, true},
    {false, true, true, true, true, true},
    {false, true, true, true, false, true},
    {false, true, false, true, false, true},
    {false, false, true, true, true, true},
    {false, false, false, true, false, true},
    {false, true, false, false, false, false},
    {false, false, false, false, false, false},
}};

// `dot_general.17` is `dot_general`; a copy of an inlined body may have two numbers.
absl::string_view WithoutNumbers(absl::string_view name) {
  while (true) {
    const size_t dot = name.rfind('.');
    const bool is_number = dot != absl::string_view::npos && dot + 1 < name.size() &&
                           name.find_first_not_of("0123456789", dot + 1) == absl::string_view::npos;
    if (!is_number) return name;
    name = name.substr(0, dot);
  }
}

// `while.3` and `{1}` of `while.3{1}`.
absl::string_view InstructionOf(const Entry& entry) {
  return absl::string_view(entry.name).substr(0, entry.name.find('{'));
}
absl::string_view LeafOf(const Entry& entry) {
  return absl::string_view(entry.name).substr(InstructionOf(entry).size());
}

// The name of a tensor in the program; without metadata, its name in the module.
absl::string_view OpNameOf(const Entry& entry) {
  if (!entry.op_name.empty() || entry.opcode == kResult) return entry.op_name;
  return WithoutNumbers(InstructionOf(entry));
}

// After the last '/': the name of the primitive, whatever functions stand around it.
absl::string_view TailOf(absl::string_view op_name) {
  return op_name.substr(op_name.rfind('/') + 1);
}

// Hashes of what the levels compare, each made once for an entry.
struct Parts {
  Parts(const Entry& entry, int leaves) : Parts(entry, OpNameOf(entry), leaves) {}
  Parts(const Entry& entry, absl::string_view name, int leaves)
      : always(absl::HashOf(entry.opcode, static_cast<int>(entry.shape.element_type()),
                            entry.shape.rank())),
        leaf(absl::HashOf(LeafOf(entry))),
        state(entry.opcode == kResult ? 0 : absl::HashOf(LeafOf(entry), leaves)),
        dims(absl::HashOf(entry.shape.dims())),
        op_name(absl::HashOf(name)),
        op_tail(absl::HashOf(TailOf(name))),
        source(absl::HashOf(entry.source)) {}

  uint64_t always, leaf, state, dims, op_name, op_tail, source;
};

using Keys = std::array<uint64_t, kLevels.size()>;

// `leaves`: entries of the same instruction.
Keys KeysOf(const Entry& entry, int leaves) {
  const Parts parts(entry, leaves);
  Keys keys;
  for (size_t l = 0; l < kLevels.size(); ++l) {
    const Level& level = kLevels[l];
    keys[l] = absl::HashOf(parts.always, level.leaf ? parts.leaf : 0,
                           level.dims ? parts.dims : parts.state, level.op_name ? parts.op_name : 0,
                           level.op_tail ? parts.op_tail : 0, level.source ? parts.source : 0);
  }
  return keys;
}

// One side: its entries, who uses them, and the partners found so far.
struct Side {
  explicit Side(absl::Span<const Entry> list)
      : entries(list), users(list.size()), partner(list.size(), -1) {
    absl::flat_hash_map<absl::string_view, int> leaves;
    for (const Entry& entry : list) ++leaves[InstructionOf(entry)];
    for (size_t e = 0; e < list.size(); ++e) {
      keys.push_back(KeysOf(list[e], leaves[InstructionOf(list[e])]));
      for (const int operand : list[e].operands) {
        if (operand < 0) continue;
        std::vector<int>& of = users[static_cast<size_t>(operand)];
        if (of.empty() || of.back() != static_cast<int>(e)) of.push_back(static_cast<int>(e));
      }
    }
  }

  // Those without a partner; x * x has one operand.
  std::vector<int> Alone(absl::Span<const int> of) const {
    std::vector<int> alone;
    for (const int e : of) {
      if (e < 0 || partner[static_cast<size_t>(e)] >= 0) continue;
      if (alone.empty() || alone.back() != e) alone.push_back(e);
    }
    return alone;
  }

  absl::Span<const Entry> entries;
  std::vector<std::vector<int>> users;
  std::vector<Keys> keys;
  std::vector<int> partner;
};

class Matcher {
 public:
  Matcher(absl::Span<const Entry> before, absl::Span<const Entry> after)
      : before_(before), after_(after) {}

  Matching Run() {
    for (const bool in_order : {false, true}) {
      for (size_t l = 0; l < kLevels.size(); ++l) {
        if (kLevels[l].anywhere) PairEverywhere(l, in_order);
      }
    }
    return {std::move(before_.partner), std::move(after_.partner), pairs_};
  }

 private:
  void PairEverywhere(size_t level, bool in_order) {
    PairAlike(before_.Alone(All(before_)), after_.Alone(All(after_)), {level, in_order, false});
    while (!fresh_.empty() || !seen_once_.empty()) {
      const bool is_fresh = !fresh_.empty();
      auto& from = is_fresh ? fresh_ : seen_once_;
      const auto [b, a] = from.back();
      from.pop_back();
      if (is_fresh) seen_once_.emplace_back(b, a);
      PairNeighbours(before_.users[b], after_.users[a], is_fresh);
      PairNeighbours(before_.entries[b].operands, after_.entries[a].operands, is_fresh);
    }
  }

  void PairNeighbours(absl::Span<const int> before, absl::Span<const int> after,
                      bool operands_alike) {
    for (size_t l = 0; l < kLevels.size(); ++l) {
      const std::vector<int> left = before_.Alone(before), right = after_.Alone(after);
      if (left.empty() || right.empty()) return;
      PairAlike(left, right, {l, false, operands_alike});
    }
  }

  struct Rule {
    size_t level;
    bool in_order;        // several of one key are pairs if they are as many on both sides
    bool operands_alike;  // the same of their operands are matched, with each other
  };

  uint64_t KeyBefore(int e, const Rule& rule) const {
    const uint64_t key = before_.keys[Index(e)][rule.level];
    if (!rule.operands_alike) return key;
    std::vector<int> matched;
    for (const int o : before_.entries[Index(e)].operands) {
      matched.push_back(o >= 0 && before_.partner[Index(o)] >= 0 ? o : -1);
    }
    return absl::HashOf(key, matched);
  }

  // Operands are named by their partners, so that equal ones are equal.
  uint64_t KeyAfter(int e, const Rule& rule) const {
    const uint64_t key = after_.keys[Index(e)][rule.level];
    if (!rule.operands_alike) return key;
    std::vector<int> matched;
    for (const int o : after_.entries[Index(e)].operands) {
      matched.push_back(o >= 0 ? after_.partner[Index(o)] : -1);
    }
    return absl::HashOf(key, matched);
  }

  // Pairs those whose key only one has on each side.
  void PairAlike(absl::Span<const int> before, absl::Span<const int> after, const Rule& rule) {
    absl::flat_hash_map<uint64_t, std::pair<std::vector<int>, std::vector<int>>> groups;
    std::vector<uint64_t> keys;
    for (const int e : before) {
      keys.push_back(KeyBefore(e, rule));
      groups[keys.back()].first.push_back(e);
    }
    for (const int e : after) groups[KeyAfter(e, rule)].second.push_back(e);
    // By the order of `before`, not of the table: the answer is the same in every run.
    for (size_t at = 0; at < before.size(); ++at) {
      const auto& [left, right] = groups[keys[at]];
      if (left.front() != before[at] || left.size() != right.size()) continue;
      if (!rule.in_order && left.size() > 1) continue;
      for (size_t k = 0; k < left.size(); ++k) Pair(left[k], right[k]);
    }
  }

  void Pair(int before, int after) {
    int& left = before_.partner[Index(before)];
    int& right = after_.partner[Index(after)];
    if (left >= 0 || right >= 0) return;
    left = after;
    right = before;
    ++pairs_;
    fresh_.emplace_back(Index(before), Index(after));
  }

  static size_t Index(int e) { return static_cast<size_t>(e); }
  static std::vector<int> All(const Side& side) {
    std::vector<int> all(side.entries.size());
    for (size_t e = 0; e < all.size(); ++e) all[e] = static_cast<int>(e);
    return all;
  }

  Side before_, after_;
  // Pairs whose neighbours were not looked at; or only at those whose operands are matched alike.
  std::vector<std::pair<size_t, size_t>> fresh_, seen_once_;
  int pairs_ = 0;
};

// Whether nothing that matching reads tells the two apart.
bool AreAlike(const Entry& a, const Entry& b) {
  return a.name == b.name && a.opcode == b.opcode &&
         a.shape.element_type() == b.shape.element_type() && a.shape.dims() == b.shape.dims() &&
         a.op_name == b.op_name && a.source == b.source && a.operands == b.operands;
}

// Of two settings of one module, or of a golden file without a change. Every step would pair an
// entry with itself, and the steps in order would leave none alone.
Matching EachWithItself(size_t size) {
  std::vector<int> all(size);
  std::iota(all.begin(), all.end(), 0);
  return {all, all, static_cast<int>(size)};
}

}  // namespace

Matching Match(absl::Span<const Entry> before, absl::Span<const Entry> after) {
  if (absl::c_equal(before, after, AreAlike)) return EachWithItself(before.size());
  return Matcher(before, after).Run();
}

}  // namespace tessera::sharding::golden
