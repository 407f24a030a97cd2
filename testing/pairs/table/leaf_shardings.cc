#include "tessera/testing/pairs/table/leaf_shardings.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/spelling.h"

namespace tessera::testing::pairs {

using absl::string_view;

bool IsTuple(const Instruction& i) { return absl::StartsWith(i.shape, "("); }

LeafShardings LeavesOf(const Instruction& i) {
  const std::vector<Path> paths = TupleLeaves(i.shape);
  std::vector<string_view> texts(paths.size(), i.sharding());
  if (IsTuple(i) && IsTupleSharding(i.sharding())) {
    texts = SplitTopLevel(i.sharding().substr(1, i.sharding().size() - 2));
    texts.resize(paths.size());
  }
  LeafShardings leaves;
  for (size_t k = 0; k < paths.size(); ++k) leaves.emplace_back(paths[k], texts[k]);
  return leaves;
}

std::optional<std::string> LeafOf(const Instruction& i, const Path& path) {
  for (const auto& [leaf, sharding] : LeavesOf(i)) {
    if (leaf == path) return sharding;
  }
  return std::nullopt;
}

bool SomeSharding(const LeafShardings& leaves) {
  return std::any_of(leaves.begin(), leaves.end(), [](const auto& l) { return !l.second.empty(); });
}

LeafShardings ByMap(const Instruction& x, const Instruction& y, const PathMap& map) {
  const std::string missing = IsTuple(x) && !y.sharding().empty() ? kReplicated : "";
  LeafShardings leaves;
  for (const Path& path : TupleLeaves(x.shape)) {
    const auto to = map.find(path);
    const auto found = to == map.end() ? std::nullopt : LeafOf(y, to->second);
    leaves.emplace_back(path, found.value_or(missing));
  }
  return leaves;
}

LeafShardings InOrder(const Instruction& x, const Instruction& y) {
  const std::vector<Path> paths = TupleLeaves(x.shape);
  const LeafShardings found = LeavesOf(y);
  LeafShardings leaves;
  if (found.size() < paths.size()) return leaves;
  for (size_t k = 0; k < paths.size(); ++k) {
    leaves.emplace_back(paths[k], found[found.size() - paths.size() + k].second);
  }
  return leaves;
}

}  // namespace tessera::testing::pairs
