// One tensor as squares. The panels of tensors of more than two dimensions stand beside each other.
#ifndef TESSERA_PROJECTION_DRAW_SVG_TENSOR_H_
#define TESSERA_PROJECTION_DRAW_SVG_TENSOR_H_

#include <cstdint>
#include <string>

#include "tessera/projection/draw/svg.h"
#include "tessera/projection/draw/svg_canvas.h"

namespace tessera::projection {

// Its left edge at x, from canvas->y down, which then is below it. Returns the width.
int64_t DrawTensor(const SvgTensor& t, int64_t x, SvgCanvas* canvas);

// Patterns and classes of the squares.
std::string TensorStyle();

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_DRAW_SVG_TENSOR_H_
