// Where the taps of a window fall.
#ifndef TESSERA_TESTING_EVALUATOR_OPS_WINDOW_PLACE_H_
#define TESSERA_TESTING_EVALUATOR_OPS_WINDOW_PLACE_H_

#include <optional>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

// Position of tap `tap` of the window at `position` in an input dimension of `extent`; none where
// it falls outside, or on a hole between dilated cells.
inline std::optional<int64_t> PlaceOfTap(const hlo::WindowDimension& w, int64_t extent,
                                         int64_t position, int64_t tap) {
  const int64_t at = position * w.stride - w.padding_low + tap * w.window_dilation;
  if (at < 0 || at % w.base_dilation != 0 || at / w.base_dilation >= extent) return std::nullopt;
  return at / w.base_dilation;
}

// The same in all dimensions; windows without dimensions in the text are trivial.
inline std::optional<ZPoint> PlaceOfTap(const hlo::Window& window, const ZPoint& dims,
                                        const ZPoint& position, const ZPoint& tap) {
  ZPoint at = position;
  for (int d = 0; d < dims.rank(); ++d) {
    const std::optional<int64_t> place = PlaceOfTap(window[d], dims[d], position[d], tap[d]);
    if (!place.has_value()) return std::nullopt;
    at[d] = *place;
  }
  return at;
}

// All taps of a window, row-major.
inline std::vector<ZPoint> TapsOf(const hlo::Window& window) {
  ZPoint sizes;
  for (const hlo::WindowDimension& w : window) sizes.push_back(w.size);
  std::vector<ZPoint> taps;
  projection::ForEachCell(ZRange::FromShape(sizes), [&](const ZPoint& tap) {
    taps.push_back(tap);
    return true;
  });
  return taps;
}

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_OPS_WINDOW_PLACE_H_
