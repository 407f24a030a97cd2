// A requested copy, checked.

#ifndef TESSERA_LAYOUT_RELAYOUT_PLAN_REQUEST_H_
#define TESSERA_LAYOUT_RELAYOUT_PLAN_REQUEST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/relayout/options.h"
#include "tessera/layout/shape.h"

namespace tessera::layout::relayout {

struct Request {
  Shape src;  // arrays
  Shape dst;
  Shape::Dims perm;
  IndexMap src_map;
  IndexMap dst_map;
  int64_t src_bits = 8;  // of an element
  int64_t dst_bits = 8;
  int64_t elements = 0;
};

// Errors as plan.h lists them, in its order; V_PADDED_OVERFLOW too if the bits of a side leave
// int64.
absl::StatusOr<Request> CheckRequest(const Shape& src, const Shape& dst, const Options& options);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_PLAN_REQUEST_H_
