// The order in which the dimensions of an array lie in memory, the most major one first.
//
//   LiesAlike({0, 1, 2}, {1, 0, 2}, {4,1,8});    // true: a dimension of size 1 lies nowhere
//   Reshaped({1, 0}, {4,6}, {4,2,3});            // {1, 2, 0}: the reshape moves nothing
//   Reshaped({1, 0}, {4,6}, {24});               // none: it would have to
//
// Cost: linear in the dimensions. Tested by order_test.cc.

#ifndef TESSERA_TARGET_GPU_LAYOUTS_ORDER_H_
#define TESSERA_TARGET_GPU_LAYOUTS_ORDER_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"

namespace tessera::target {

using Order = hlo::IntList;
using Sizes = absl::Span<const int64_t>;

Order DefaultOrder(size_t rank);
bool IsDefault(const Order& order);
// With this dimension in front.
Order WithMajor(int64_t dimension, size_t rank);
bool LiesAlike(const Order& a, const Order& b, Sizes sizes);
// A reshape between them only adds or removes dimensions of size 1.
bool DiffersByOnes(Sizes a, Sizes b);
// The dimensions of `order` that are in `kept`, numbered by their places there.
Order Kept(const Order& order, absl::Span<const int64_t> kept);
// Each dimension d as to[d].
Order Renumbered(const Order& order, absl::Span<const int64_t> to);
// The order in which a reshape from sizes `from` to sizes `to` moves nothing. None if there is none.
std::optional<Order> Reshaped(const Order& order, Sizes from, Sizes to);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_LAYOUTS_ORDER_H_
