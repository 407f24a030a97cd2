// The third step of in_place.cc: every value shows the sharding that the table says.

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/in_place/in_place_computation.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {

using absl::string_view;

void CompareLeaves(const std::string& about, const LeafShardings& expected, const Instruction& i,
                   Spellings& spellings, std::vector<std::string>& differences) {
  const auto differ = [&](const Path& path, string_view wanted, string_view got) {
    differences.push_back(absl::StrCat("sharding: ", ToString({about, path}), ": expected ",
                                       wanted.empty() ? "none" : wanted, ", actual ",
                                       got.empty() ? "none" : got));
  };
  const string_view sharding = i.sharding();
  const bool whole_none =
      expected.size() == 1 && expected[0].first.empty() && expected[0].second.empty();
  if (whole_none) {
    if (!sharding.empty()) differ({}, "", sharding);
    return;
  }
  const std::vector<Path> leaves = TupleLeaves(i.shape);
  if (leaves.empty()) {  // a call without results
    if (!spellings.Same(expected[0].second, sharding)) differ({}, expected[0].second, sharding);
    return;
  }
  std::vector<string_view> got(leaves.size(), sharding);
  if (!sharding.empty() && absl::StartsWith(i.shape, "(") && IsTupleSharding(sharding)) {
    got = SplitTopLevel(sharding.substr(1, sharding.size() - 2));
    if (got.size() != leaves.size())
      return differ({}, absl::StrCat(leaves.size(), " leaves"), sharding);
  }
  for (const auto& [path, wanted] : expected) {
    const auto leaf = std::find(leaves.begin(), leaves.end(), path);
    const string_view found = leaf == leaves.end() ? "" : got[leaf - leaves.begin()];
    if (!spellings.Same(wanted, found)) differ(path, wanted, found);
  }
}

void InPlaceComputation::CompareShardings() {
  for (const Instruction& x : old_.instructions) {
    const std::string name(x.name);
    if (IsConsumed(x.name) || rows_->unchecked.contains(name) || rows_->copies.count(name) > 0 ||
        IsBoundaryTarget(x.target())) {
      continue;
    }
    const Instruction& y = *new_.Get(x.name);
    const auto expected = rows_->shardings.find(name);
    if (expected != rows_->shardings.end()) {
      CompareLeaves(absl::StrCat(old_.name, "/", name), expected->second, y, spellings_,
                    differences_);
    } else if (x.is_root && x.opcode == "parameter") {
      continue;  // one row cannot say both what comes in and what goes out: the table has none
    } else if (x.opcode != "tuple" && x.opcode != "get-tuple-element" && !y.sharding().empty()) {
      Differ("sharding", absl::StrCat(name, ": expected none, actual ", y.sharding()));
    }
  }
}

}  // namespace tessera::testing::pairs
