#include "tessera/testing/pairs/table/repacking.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace tessera::testing::pairs {

using absl::string_view;

PathMap Repacking::Loop(const Computation& c, const Instruction& x, const Place& y) const {
  PathMap map;
  const std::vector<Path>& from = m_.Before(c).Varying(x);
  const std::vector<Path>& to = m_.After(*y.computation).Varying(*y.instruction);
  for (size_t k = 0; k < from.size() && k < to.size(); ++k) map[from[k]] = to[k];
  for (string_view key : {"body", "condition"}) {
    const Computation* region = before_.Get(absl::StripPrefix(x.Attribute(key), "%"));
    if (region != nullptr) AddParameterLeaves(*region, &map);
  }
  return map;
}

void Repacking::AddParameterLeaves(const Computation& region, PathMap* map) const {
  if (region.Parameters().empty()) return;
  const Instruction& p = region.instructions[static_cast<size_t>(region.Parameters()[0])];
  for (const Path& path : TupleLeaves(p.shape)) {
    const PlacedValue* to = m_.OfParameter({{&region, &p}, path});
    if (to != nullptr) map->emplace(path, to->path);
  }
}

PathMap Repacking::Branch(const Computation& branch) const {
  PathMap map;
  AddParameterLeaves(branch, &map);
  return map;
}

}  // namespace tessera::testing::pairs
