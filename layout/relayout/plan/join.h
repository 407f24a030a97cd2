// Stars without stars: dimensions that both sides hold together become one.
//
//   u8[6,7,8]{2,1,0:T(*,16)} to u8[6,7,8]{2,1,0}      is u8[6,56]{1,0:T(16)} to u8[6,56]{1,0}

#ifndef TESSERA_LAYOUT_RELAYOUT_PLAN_JOIN_H_
#define TESSERA_LAYOUT_RELAYOUT_PLAN_JOIN_H_

#include <optional>

#include "tessera/layout/relayout/plan/request.h"

namespace tessera::layout::relayout {

// The same copy between arrays in which every dimension that a star of a first tile combines is one
// with its next more minor one. Nothing without such a star, or if on the other side the two are
// apart, or cut by tiles of their own.
std::optional<Request> JoinStars(const Request& request);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_PLAN_JOIN_H_
