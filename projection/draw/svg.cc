// The columns of a picture. How one tensor is drawn is said in svg_tensor.cc.
#include "tessera/projection/draw/svg.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/draw/svg_canvas.h"
#include "tessera/projection/draw/svg_tensor.h"

namespace tessera::projection {
namespace {

constexpr int64_t kArrow = 4 * SvgCanvas::kPitch;

void DrawArrow(int64_t x, int64_t y, absl::string_view title, SvgCanvas* canvas) {
  canvas->Shape(
      "path",
      absl::StrCat("class=\"arrow\" d=\"M", x, " ", y, "h", kArrow - 12, "m-6 -5l6 5l-6 5\""),
      title);
}

}  // namespace

std::string SvgPicture::ToString() const {
  SvgCanvas canvas;
  int64_t left = SvgCanvas::kMargin, width = 0, bottom = canvas.y;
  for (const Item& item : items_) {
    if (item.is_arrow) {
      bottom = std::max(bottom, canvas.y);
      canvas.y = SvgCanvas::kMargin;
      DrawArrow(left + width, canvas.y + 3 * SvgCanvas::kPitch, item.text, &canvas);
      left += width + kArrow;
      width = 0;
    } else if (item.tensor.has_value()) {
      width = std::max(width, DrawTensor(*item.tensor, left, &canvas));
    } else {
      canvas.Text(left, item.text);
      canvas.y += SvgCanvas::kLine;
      width = std::max(width, SvgCanvas::TextWidth(item.text));
    }
  }
  canvas.y = std::max(bottom, canvas.y);
  return canvas.ToString(TensorStyle());
}

}  // namespace tessera::projection
