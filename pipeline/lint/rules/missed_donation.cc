// Arguments whose memory results could take: equal shape and sharding, and neither is aliased. Arrays of
// one argument of the function are one finding: mom['w'] and mom['b'] are of mom.
//
// A training step returns its parameters and optimizer state. Without donation both the old and the new
// ones are in memory. Each result is paired with one array of an argument, in order.
//
// A donated argument is lost where a result has its shape, but another sharding: XLA gives an argument's
// memory only to results that are as large on a device. JAX does not warn of it.
//
// Cost: a table lookup for each array of an argument, and each result. Tested by lint_test.cc.

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

Finding LostOf(const ArgumentGroup& group, const LintTensor& result) {
  return group.FindingOf(
      absl::StrCat(group.Subject("is donated, but no result takes its memory",
                                 "are donated, but no result takes their memory"),
                   group.Example(), "; ", DisplayName(result), " of this shape is ", result.spec,
                   ": ", layout::FormatBytes(group.bytes), " on each device"),
      absl::StrCat("give both the same sharding: shard the argument as ", result.spec,
                   ", or set out_shardings to ", group.largest->spec));
}

using Results = std::vector<const LintTensor*>;

// Results without the memory of an argument.
Results FreeResults(const LintProgram& program) {
  Results free;
  for (const LintTensor& t : program.tensors) {
    if (t.result >= 0 && !t.is_aliased) free.push_back(&t);
  }
  return free;
}

void CheckMissed(const LintProgram& program, const Results& results, double budget,
                 std::vector<Finding>* found) {
  std::map<std::pair<std::string, std::string>, int64_t> free;
  for (const LintTensor* result : results) ++free[{result->shape, result->spec}];
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

void CheckLost(const LintProgram& program, const Results& results, double budget,
               std::vector<Finding>* found) {
  std::map<std::string, std::vector<const LintTensor*>> free;  // by shape, the last one first
  for (auto result = results.rbegin(); result != results.rend(); ++result) {
    free[(*result)->shape].push_back(*result);
  }
  ArgumentGroups groups;
  std::map<const LintTensor*, const LintTensor*> result_of;
  for (const LintTensor& t : program.tensors) {
    if (!t.is_lost_donor || static_cast<double>(t.bytes) <= budget || free[t.shape].empty())
      continue;
    result_of[&t] = free[t.shape].back();
    free[t.shape].pop_back();
    groups.Add(t);
  }
  for (const ArgumentGroup& group : groups.all()) {
    found->push_back(LostOf(group, *result_of[group.largest]));
  }
}

}  // namespace

void CheckDonation(const LintProgram& program, double budget, std::vector<Finding>* found) {
  const Results results = FreeResults(program);
  CheckMissed(program, results, budget, found);
  CheckLost(program, results, budget, found);
}

}  // namespace tessera::pipeline::lint
