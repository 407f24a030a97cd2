#include "tessera/testing/projection/torus_gathers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {

absl::StatusOr<StridedTraffic> StridedAllGather(int64_t ring, int64_t stride, int64_t group,
                                                int64_t shard_bytes) {
  const Checked reach = Checked(stride) * group;
  if (stride < 1 || group < 1 || !reach.ok() || reach.value() > ring || ring % reach.value() != 0) {
    return MakeError(ErrorCode::kBadShape, absl::StrCat("groups of ", group, " devices, ", stride,
                                                        " apart, on a ring of ", ring));
  }
  StridedTraffic out;
  out.wraps = reach.value() == ring;
  for (int64_t base = 0; base < ring; base += reach.value()) {
    for (int64_t offset = 0; offset < stride; ++offset) {
      std::vector<int64_t> members;
      for (int64_t i = 0; i < group; ++i) members.push_back(base + offset + i * stride);
      out.groups.push_back(std::move(members));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(RingTraffic one, RingCollective(CollectiveKind::kAllGather,
                                                           {group, true, out.wraps}, shard_bytes));
  const Checked busiest =
      Checked(one.busiest_link_bytes) * stride;  // `stride` groups share every link
  if (!busiest.ok()) return OverflowError("the bytes on a link");
  out.busiest_link_bytes = busiest.value();
  return out;
}

absl::StatusOr<std::vector<TorusPhase>> TorusAllGather(const ZPoint& sizes, int64_t shard_bytes) {
  std::vector<TorusPhase> phases;
  Checked gathered = shard_bytes;
  for (int a = 0; a < sizes.rank(); ++a) {
    if (!gathered.ok()) return OverflowError("the bytes on a link");
    TESSERA_ASSIGN_OR_RETURN(
        RingTraffic ring,
        RingCollective(CollectiveKind::kAllGather, {sizes[a], true, true}, gathered.value()));
    phases.push_back({a, ring.steps, ring.busiest_link_bytes});
    gathered *= sizes[a];
  }
  return phases;
}

double TorusAllGatherBound(const ZPoint& sizes, int64_t shard_bytes) {
  double devices = 1;
  for (int64_t size : sizes) devices *= static_cast<double>(size);
  return (devices - 1) * static_cast<double>(shard_bytes) / (2.0 * sizes.rank());
}

}  // namespace tessera::projection
