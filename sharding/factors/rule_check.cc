// The checks run from the outside in. Does the rule speak of the op's tensors and dimensions? Do
// the dimensions name factors that exist? Is each factor used? Do the groups make sense? The order
// is part of the contract, since only the first mistake is told; tested by rule_text_test.cc and
// the case family op_rule_text.

#include "tessera/sharding/factors/rule_check.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::sharding::factors {
namespace {

using Mistake = std::optional<RuleMistake>;

struct Side {
  RuleSection section;
  const char* noun;
  const std::vector<TensorMapping>& tensors;
  absl::Span<const int> ranks;
};

std::string Count(int64_t n, const char* noun) {
  return absl::StrCat(n, " ", noun, n == 1 ? "" : "s");
}

Mistake CheckDim(const DimMapping& dim, const RuleSpec& rule, const std::string& who, RulePart part,
                 std::vector<bool>* seen) {
  const int64_t num_factors = static_cast<int64_t>(rule.sizes.size());
  if (dim.empty()) return RuleMistake{absl::StrCat(who, " has no factor"), part};
  for (int64_t f : dim) {
    const std::string name = FactorName(f);
    if (f < 0 || f >= num_factors) {
      return RuleMistake{
          absl::StrCat(who, " names factor ", name, ", but the rule gives sizes for ",
                       Count(num_factors, "factor"), " only"),
          part};
    }
    if ((*seen)[f]) {
      return RuleMistake{
          absl::StrCat(who, " names factor ", name, " again; a tensor may name a factor once"),
          part};
    }
    (*seen)[f] = true;
    if (dim.size() > 1 && rule.sizes[f] == 1) {
      return RuleMistake{
          absl::StrCat(who, " has several factors, so ", name, " of size 1 must be left out"),
          part};
    }
  }
  return std::nullopt;
}

Mistake CheckTensor(const TensorMapping& tensor, int rank, const RuleSpec& rule, const Side& side,
                    int index) {
  const RulePart part{side.section, index};
  const std::string who = absl::StrCat(side.noun, " ", index);
  if (rank == kNotATensor) {
    return RuleMistake{absl::StrCat(who, " is not an array of static shape; no rule can cover it"),
                       part};
  }
  if (static_cast<int>(tensor.size()) != rank) {
    return RuleMistake{
        absl::StrCat(who, " has ", Count(rank, "dimension"), ", the rule gives it ", tensor.size()),
        part};
  }
  std::vector<bool> seen(rule.sizes.size(), false);
  for (int d = 0; d < rank; ++d) {
    const std::string place = absl::StrCat(who, ", dimension ", d);
    Mistake mistake = CheckDim(tensor[d], rule, place, {side.section, index, d}, &seen);
    if (mistake) return mistake;
  }
  return std::nullopt;
}

Mistake CheckSide(const RuleSpec& rule, const Side& side) {
  if (side.tensors.size() != side.ranks.size()) {
    return RuleMistake{absl::StrCat("the op has ", Count(side.ranks.size(), side.noun),
                                    ", the rule has ", side.tensors.size()),
                       {side.section}};
  }
  if (side.ranks.empty()) {
    return RuleMistake{absl::StrCat("the op has no ", side.noun, "; a rule needs at least one"),
                       {side.section}};
  }
  for (size_t i = 0; i < side.ranks.size(); ++i) {
    Mistake mistake = CheckTensor(side.tensors[i], side.ranks[i], rule, side, static_cast<int>(i));
    if (mistake) return mistake;
  }
  return std::nullopt;
}

Mistake CheckAllUsed(const RuleSpec& rule) {
  std::vector<bool> used(rule.sizes.size(), false);
  const auto use = [&](const TensorMapping& tensor) {
    for (const DimMapping& dim : tensor) {
      for (int64_t f : dim) used[f] = true;
    }
  };
  std::for_each(rule.operands.begin(), rule.operands.end(), use);
  std::for_each(rule.results.begin(), rule.results.end(), use);
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return std::nullopt;
  const int f = static_cast<int>(unused - used.begin());
  return RuleMistake{absl::StrCat("factor ", FactorName(f), " (size ", rule.sizes[f],
                                  ") is in no dimension; drop it or use it"),
                     {RuleSection::kSizes, f}};
}

struct Group {
  RuleSection section;
  const char* name;
  const std::vector<int64_t>& members;
};

Mistake CheckMember(const RuleSpec& rule, const Group& group, size_t i, GroupOrder order) {
  const int64_t f = group.members[i];
  const RulePart part{group.section, static_cast<int>(i)};
  const auto begin = group.members.begin();
  if (f < 0 || f >= static_cast<int64_t>(rule.sizes.size())) {
    return RuleMistake{absl::StrCat(group.name, " names factor ", FactorName(f),
                                    ", but the rule has ", Count(rule.sizes.size(), "factor")),
                       part};
  }
  if (std::find(begin, begin + i, f) != begin + i) {
    return RuleMistake{absl::StrCat(group.name, " names factor ", FactorName(f), " twice"), part};
  }
  if (order == GroupOrder::kAscending && i > 0 && f < group.members[i - 1]) {
    return RuleMistake{absl::StrCat(group.name, " is not ascending: factor ", FactorName(f),
                                    " must stand before ", FactorName(group.members[i - 1])),
                       part};
  }
  return std::nullopt;
}

Mistake CheckGroup(const RuleSpec& rule, const Group& group, GroupOrder order) {
  for (size_t i = 0; i < group.members.size(); ++i) {
    if (Mistake mistake = CheckMember(rule, group, i, order)) return mistake;
  }
  return std::nullopt;
}

// A factor may be in one of reduction, need_replication, permutation.
Mistake CheckDisjoint(absl::Span<const Group> groups, size_t num_factors) {
  std::vector<const char*> owner(num_factors, nullptr);
  for (const Group& group : groups) {
    for (size_t i = 0; i < group.members.size(); ++i) {
      const int64_t f = group.members[i];
      if (owner[f] != nullptr) {
        return RuleMistake{absl::StrCat("factor ", FactorName(f), " is in ", owner[f], " and in ",
                                        group.name, "; it can be in one of them only"),
                           {group.section, static_cast<int>(i)}};
      }
      owner[f] = group.name;
    }
  }
  return std::nullopt;
}

Mistake CheckReductionNotInResults(const RuleSpec& rule) {
  for (size_t r = 0; r < rule.results.size(); ++r) {
    for (size_t d = 0; d < rule.results[r].size(); ++d) {
      const DimMapping& dim = rule.results[r][d];
      const auto reduced =
          std::find_first_of(dim.begin(), dim.end(), rule.reduction.begin(), rule.reduction.end());
      if (reduced == dim.end()) continue;
      return RuleMistake{absl::StrCat("result ", r, ", dimension ", d, " names factor ",
                                      FactorName(*reduced), ", which is reduced away"),
                         {RuleSection::kResults, static_cast<int>(r), static_cast<int>(d)}};
    }
  }
  return std::nullopt;
}

Mistake CheckGroups(const RuleSpec& rule, GroupOrder order) {
  const Group kinds[] = {
      {RuleSection::kReduction, "reduction", rule.reduction},
      {RuleSection::kNeedReplication, "need_replication", rule.need_replication},
      {RuleSection::kPermutation, "permutation", rule.permutation},
  };
  for (const Group& group : kinds) {
    if (Mistake mistake = CheckGroup(rule, group, order)) return mistake;
  }
  if (Mistake mistake = CheckDisjoint(kinds, rule.sizes.size())) return mistake;
  const Group blocked{RuleSection::kBlockedPropagation, "blocked_propagation",
                      rule.blocked_propagation};
  if (Mistake mistake = CheckGroup(rule, blocked, order)) return mistake;
  return CheckReductionNotInResults(rule);
}

}  // namespace

Mistake CheckRule(const RuleSpec& rule, absl::Span<const int> operand_ranks,
                  absl::Span<const int> result_ranks, GroupOrder order) {
  const Side sides[] = {
      {RuleSection::kOperands, "operand", rule.operands, operand_ranks},
      {RuleSection::kResults, "result", rule.results, result_ranks},
  };
  for (const Side& side : sides) {
    if (Mistake mistake = CheckSide(rule, side)) return mistake;
  }
  if (Mistake mistake = CheckAllUsed(rule)) return mistake;
  return CheckGroups(rule, order);
}

}  // namespace tessera::sharding::factors
