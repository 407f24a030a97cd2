#include "tessera/projection/map/offsets.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

absl::Status Accumulate(absl::string_view name, const ZPoint& part, ZPoint* sum) {
  if (part.rank() == 0) return absl::OkStatus();
  if (part.rank() != sum->rank()) {
    return MakeError(ErrorCode::kRankMismatch,
                     absl::StrCat("offset part ", name, " ", part.ToString(),
                                  " for a tensor of rank ", sum->rank()));
  }
  TESSERA_ASSIGN_OR_RETURN(*sum, sum->Plus(part));
  return absl::OkStatus();
}

}  // namespace

absl::string_view OffsetRoleName(OffsetRole role) {
  constexpr absl::string_view kNames[kNumOffsetRoles] = {"bounds", "relative", "pad", "view"};
  return kNames[static_cast<int>(role)];
}

absl::StatusOr<ZPoint> Offsets::Anchor(int rank) const {
  ZPoint sum = ZPoint::Filled(rank, 0);
  for (OffsetRole role : {OffsetRole::kBounds, OffsetRole::kPad, OffsetRole::kView}) {
    TESSERA_RETURN_IF_ERROR(Accumulate(OffsetRoleName(role), Get(role), &sum));
  }
  for (const auto& [name, part] : user_) TESSERA_RETURN_IF_ERROR(Accumulate(name, part, &sum));
  return sum;
}

absl::StatusOr<ZPoint> Offsets::Total(int rank) const {
  TESSERA_ASSIGN_OR_RETURN(ZPoint sum, Anchor(rank));
  TESSERA_RETURN_IF_ERROR(Accumulate("relative", Get(OffsetRole::kRelative), &sum));
  return sum;
}

bool operator==(const Offsets& a, const Offsets& b) {
  return std::equal(a.roles_, a.roles_ + kNumOffsetRoles, b.roles_) && a.user_ == b.user_;
}

}  // namespace tessera::projection
