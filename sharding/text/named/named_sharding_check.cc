#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/text/named/named_sharding.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

absl::Status CheckOverlaps(const NamedSharding& named) {
  AxisList all;
  for (const DimensionSharding& dim : named.dims) {
    all.insert(all.end(), dim.axes.begin(), dim.axes.end());
  }
  for (const AxisList* list : {&named.replicated, &named.unreduced, &named.manual}) {
    all.insert(all.end(), list->begin(), list->end());
  }
  std::sort(all.begin(), all.end());
  for (size_t i = 1; i < all.size(); ++i) {
    if (!Overlaps(all[i - 1], all[i]) && CanCoexist(all[i - 1], all[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the axes ", AxisRefToString(all[i - 1], named.mesh), " and ",
        AxisRefToString(all[i], named.mesh), " overlap or cannot be parts of one axis"));
  }
  return absl::OkStatus();
}

absl::Status CheckList(const AxisList& refs, bool sorted, absl::string_view what,
                       const Mesh& mesh) {
  if (sorted && !std::is_sorted(refs.begin(), refs.end())) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " axes must stand in the order of the mesh"));
  }
  for (size_t i = 1; i < refs.size(); ++i) {
    if (!CanMerge(refs[i - 1], refs[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "neighbouring ", what, " axes should be one: ", AxisRefToString(refs[i - 1], mesh), ", ",
        AxisRefToString(refs[i], mesh)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckNamedSharding(const NamedSharding& named) {
  TESSERA_RETURN_IF_ERROR(CheckOverlaps(named));
  for (const DimensionSharding& dim : named.dims) {
    TESSERA_RETURN_IF_ERROR(CheckList(dim.axes, false, "dimension", named.mesh));
  }
  TESSERA_RETURN_IF_ERROR(CheckList(named.replicated, true, "replicated", named.mesh));
  TESSERA_RETURN_IF_ERROR(CheckList(named.unreduced, true, "unreduced", named.mesh));
  return CheckList(named.manual, true, "manual", named.mesh);
}

}  // namespace tessera::sharding
