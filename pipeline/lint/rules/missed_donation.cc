// Arguments whose memory results could take: equal shape and sharding, and neither is aliased. Arrays of
// one argument of the function are one finding: mom['w'] and mom['b'] are of mom.
//
// A training step returns its parameters and optimizer state. Without donation both the old and the new
// ones are in memory. Each result is paired with one array of an argument, in order.
//
// Cost: a table lookup for each array of an argument, and each result. Tested by lint_test.cc.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {
namespace {

// The argument of the function that it is an array of: "mom" of "mom['w']"; "" if the module does not say.
std::string ArgumentOf(const LintTensor& t) {
  return t.op_name.substr(0, t.op_name.find_first_of("[."));
}

struct Group {
  const LintTensor* largest = nullptr;
  int64_t arrays = 0, bytes = 0;
};

Finding FindingOf(const std::string& argument, const Group& group) {
  const LintTensor& t = *group.largest;
  const std::string array = absl::StrCat(DisplayName(t), " ", t.shape, " ", t.spec);
  Finding finding;
  finding.name = t.name;
  finding.location = t.location;
  finding.message =
      group.arrays == 1
          ? absl::StrCat("argument ", t.argument, ", ", array,
                         ", is not donated, and a result has its shape and sharding")
          : absl::StrCat(group.arrays, " arrays of the argument ", argument,
                         " are not donated, and results have their shapes and shardings, such as ",
                         array);
  absl::StrAppend(&finding.message, ": ", layout::FormatBytes(group.bytes), " twice");
  finding.fix = absl::StrCat("donate it, as in jax.jit(step, donate_argn",
                             argument.empty() ? "ums=0" : absl::StrCat("ames=\"", argument, "\""),
                             "), if the caller drops it");
  finding.amount = static_cast<double>(group.bytes);
  return finding;
}

}  // namespace

void CheckDonation(const LintProgram& program, double budget, std::vector<Finding>* found) {
  std::map<std::pair<std::string, std::string>, int64_t> free_results;
  for (const LintTensor& t : program.tensors) {
    if (t.result >= 0 && !t.is_aliased) ++free_results[{t.shape, t.spec}];
  }
  std::vector<std::pair<std::string, Group>> groups;
  std::map<std::string, size_t> places;
  for (const LintTensor& t : program.tensors) {
    if (t.argument < 0 || t.is_aliased || static_cast<double>(t.bytes) <= budget) continue;
    const auto result = free_results.find({t.shape, t.spec});
    if (result == free_results.end() || result->second == 0) continue;
    --result->second;
    const std::string argument = ArgumentOf(t);
    const auto [place, is_new] = places.try_emplace(argument, groups.size());
    if (is_new || argument.empty()) {
      place->second = groups.size();
      groups.push_back({argument, {}});
    }
    Group& group = groups[place->second].second;
    ++group.arrays;
    group.bytes += t.bytes;
    if (group.largest == nullptr || t.bytes > group.largest->bytes) group.largest = &t;
  }
  for (const auto& [argument, group] : groups) found->push_back(FindingOf(argument, group));
}

}  // namespace tessera::pipeline::lint
