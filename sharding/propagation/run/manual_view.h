// File: manual_view.h
//
// Two ways to look at a value on the border of a manual computation: with the axes that are manual
// inside, and without them.
//
//   // manual axis a; the boundary (in- or out-sharding) says [{a, b}] repl{c}
//   WithManualPart([{d, ?}], boundary, {a});   // [{a, d, ?}] repl{c}
//   WithoutManualPart([{a, d}], {a});          // [{d}]
//
// In each dimension the manual axes stand before all others; where a sharding group breaks that, the
// manual part goes up to the last of them, as in the reference.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_MANUAL_VIEW_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_MANUAL_VIEW_H_

#include "absl/types/span.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::propagation {

// Per dimension the manual axes of `boundary`, then what `inner` has; open or closed as `inner`;
// replicated and unreduced axes of `boundary`.
TensorSharding WithManualPart(const TensorSharding& inner, const TensorSharding& boundary,
                              absl::Span<const int> manual_axes);

// `outer` without the manual part of each dimension, and without the manual ones among its
// replicated and unreduced axes: EraseManualAxes (sharding/trim.h).
TensorSharding WithoutManualPart(const TensorSharding& outer, absl::Span<const int> manual_axes);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_MANUAL_VIEW_H_
