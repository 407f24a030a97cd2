// Arguments whose memory results could take: equal shape and sharding, and neither is aliased. Arrays of
// one argument of the function are one finding: mom['w'] and mom['b'] are of mom.
//
// A training step returns its parameters and optimizer state. Without donation both the old and the new
// ones are in memory. Each result is paired with one array of an argument, in order.
//
// A donated argument is lost where a result has its shape, but another sharding: XLA gives an argument's
// memory only to results that are as large on a device. JAX does not warn of it. A result that is as
// large takes the memory in any sharding. In another one, a loop of calls moves the array each time.
// Arguments that come back in their sharding have their results first.
//
// Cost: a table lookup for each array of an argument, and each result. Tested by lint_test.cc.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/argument_groups.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {
namespace {

Finding MissedOf(const ArgumentGroup& group) {
  const std::string& name = group.argument;
  return group.FindingOf(
      absl::StrCat(
          group.arrays == 1 ? absl::StrCat("argument ", group.largest->argument, ", ") : "",
          group.Subject("is not donated, and a result has its shape and sharding",
                        "are not donated, and results have their shapes and shardings"),
          group.Example(), ": ", layout::FormatBytes(group.bytes), " twice"),
      absl::StrCat("donate it, as in jax.jit(step, donate_argn",
                   name.empty() ? "ums=0" : absl::StrCat("ames=\"", name, "\""),
                   "), if the caller drops it"));
}

std::string SameSharding(const ArgumentGroup& group, const LintTensor& result) {
  return absl::StrCat("give both the same sharding: shard the argument as ", result.spec,
                      ", or set out_shardings to ", group.largest->spec);
}

Finding LostOf(const ArgumentGroup& group, const LintTensor& result) {
  return group.FindingOf(
      absl::StrCat(group.Subject("is donated, but no result takes its memory",
                                 "are donated, but no result takes their memory"),
                   group.Example(), "; ", DisplayName(result), " of this shape is ", result.spec,
                   ": ", layout::FormatBytes(group.bytes), " on each device"),
      SameSharding(group, result));
}

Finding MovedOf(const ArgumentGroup& group, const LintTensor& result) {
  return group.FindingOf(
      absl::StrCat(group.Subject("is donated, but comes back in another sharding",
                                 "are donated, but come back in another sharding"),
                   group.Example(), "; ", DisplayName(result), " takes the memory as ", result.spec,
                   ": ", layout::FormatBytes(group.bytes), " on each device"),
      SameSharding(group, result));
}

using Results = std::vector<const LintTensor*>;

template <typename IsOne>
Results Those(const LintProgram& program, IsOne&& is_one) {
  Results those;
  for (const LintTensor& t : program.tensors) {
    if (is_one(t)) those.push_back(&t);
  }
  return those;
}

// How many there are of a shape and sharding.
using Counts = std::map<std::pair<std::string, std::string>, int64_t>;

Counts CountsOf(const Results& arrays) {
  Counts counts;
  for (const LintTensor* t : arrays) ++counts[{t->shape, t->spec}];
  return counts;
}

void CheckMissed(const LintProgram& program, const Results& results, double budget,
                 std::vector<Finding>* found) {
  Counts free = CountsOf(results);
  ArgumentGroups groups;
  for (const LintTensor& t : program.tensors) {
    if (t.argument < 0 || t.is_aliased || static_cast<double>(t.bytes) <= budget) continue;
    const auto result = free.find({t.shape, t.spec});
    if (result == free.end() || result->second == 0) continue;
    --result->second;
    groups.Add(t);
  }
  for (const ArgumentGroup& group : groups.all()) found->push_back(MissedOf(group));
}

using FindingOfPair = Finding (*)(const ArgumentGroup&, const LintTensor&);

// Pairs each donor with a result of its shape, in order.
void CheckDonors(const Results& donors, const Results& results, double budget,
                 FindingOfPair finding_of, std::vector<Finding>* found) {
  std::map<std::string, Results> free;  // by shape, the last one first
  for (auto result = results.rbegin(); result != results.rend(); ++result) {
    free[(*result)->shape].push_back(*result);
  }
  ArgumentGroups groups;
  std::map<const LintTensor*, const LintTensor*> result_of;
  for (const LintTensor* t : donors) {
    Results& of_shape = free[t->shape];
    if (static_cast<double>(t->bytes) <= budget || of_shape.empty()) continue;
    result_of[t] = of_shape.back();
    of_shape.pop_back();
    groups.Add(*t);
  }
  for (const ArgumentGroup& group : groups.all()) {
    found->push_back(finding_of(group, *result_of[group.largest]));
  }
}

// Removes as many of each kind as `counts` has, and returns how many these were.
Counts Remove(Counts counts, Results* from) {
  Counts removed;
  const auto is_removed = [&](const LintTensor* t) {
    const auto left = counts.find({t->shape, t->spec});
    if (left == counts.end() || left->second == 0) return false;
    --left->second;
    ++removed[left->first];
    return true;
  };
  from->erase(std::remove_if(from->begin(), from->end(), is_removed), from->end());
  return removed;
}

void CheckMoved(const LintProgram& program, double budget, std::vector<Finding>* found) {
  Results donors = Those(program, [](const LintTensor& t) {
    return t.argument >= 0 && t.is_aliased && !t.is_lost_donor;
  });
  Results results = Those(program, [](const LintTensor& t) { return t.result >= 0; });
  Remove(Remove(CountsOf(results), &donors), &results);
  const auto has_own_memory = [](const LintTensor* result) { return !result->is_aliased; };
  results.erase(std::remove_if(results.begin(), results.end(), has_own_memory), results.end());
  CheckDonors(donors, results, budget, MovedOf, found);
}

}  // namespace

void CheckDonation(const LintProgram& program, double budget, std::vector<Finding>* found) {
  const Results free =
      Those(program, [](const LintTensor& t) { return t.result >= 0 && !t.is_aliased; });
  CheckMissed(program, free, budget, found);
  const Results lost = Those(program, [](const LintTensor& t) { return t.is_lost_donor; });
  CheckDonors(lost, free, budget, LostOf, found);
  CheckMoved(program, budget, found);
}

}  // namespace tessera::pipeline::lint
