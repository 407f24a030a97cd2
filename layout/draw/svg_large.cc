#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/layout/draw/svg_parts.h"
#include "tessera/layout/draw/svg_style.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/text/checked.h"

namespace tessera::layout {

using text::Box;
using text::SvgWriter;
namespace {

constexpr double kTileWidth = 64;
constexpr double kTileHeight = 24;
constexpr double kBarWidth = 640;
constexpr double kLineHeight = 18;

// Slots of one row or column of tiles that hold data.
int64_t DataIn(int64_t tile, int64_t tile_size, int64_t data_size) {
  return std::clamp<int64_t>(data_size - tile * tile_size, 0, tile_size);
}

struct Part {
  std::string name;
  int64_t bytes;
};

// Data, what each level added, the tail.
std::vector<Part> PartsOf(const MemorySizes& sizes) {
  const auto bytes = [&](int64_t elements) {
    return static_cast<int64_t>(static_cast<double>(elements) * sizes.bits_per_element / 8);
  };
  std::vector<Part> parts = {{"data", sizes.data_bytes}};
  for (size_t i = 0; i < sizes.level_padding.size(); ++i) {
    parts.push_back({absl::StrCat("padding of tile ", i + 1), bytes(sizes.level_padding[i])});
  }
  parts.push_back({"tail", bytes(sizes.tail_padding)});
  return parts;
}

double DrawWasteBar(const MemorySizes& sizes, double x, double y, SvgWriter* svg) {
  const double whole = std::max<double>(static_cast<double>(sizes.padded_bytes), 1);
  double left = x;
  double line = y + kTileHeight + kLineHeight;
  int64_t number = 0;
  for (const Part& part : PartsOf(sizes)) {
    const int64_t hue = number++;
    if (part.bytes == 0) continue;
    const double share = static_cast<double>(part.bytes) / whole;
    const std::string label =
        absl::StrFormat("%s: %s, %.1f %%", part.name, FormatBytes(part.bytes), 100 * share);
    svg->Rect({left, y, kBarWidth * share, kTileHeight},
              absl::StrCat("class=\"tile\" ", HueOf(hue)), label);
    svg->Text(x, line, label, "class=\"left\"");
    left += kBarWidth * share;
    line += kLineHeight;
  }
  return line;
}

}  // namespace

Box DrawTiles(const DrawnSpace& space, const MemorySizes& sizes, double x, double y,
              SvgWriter* svg) {
  const size_t rank = space.sizes().size();
  const double top = DrawWasteBar(sizes, x, y, svg) + kLineHeight;
  const int64_t all_rows = CeilDiv(space.rows(), space.tile_rows());
  const int64_t all_columns = CeilDiv(space.columns(), space.tile_columns());
  const int64_t rows = std::min(all_rows, DrawnSpace::kMaxRows);
  const int64_t columns = std::min<int64_t>(all_columns, DrawnSpace::kMaxColumns);
  const int64_t slots = space.tile_rows() * space.tile_columns();
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t data = DataIn(row, space.tile_rows(), space.data_sizes()[rank - 2]) *
                           DataIn(column, space.tile_columns(), space.data_sizes()[rank - 1]);
      const double share = static_cast<double>(data) / static_cast<double>(slots);
      const Box box{x + kTileWidth * static_cast<double>(column),
                    top + kTileHeight * static_cast<double>(row), kTileWidth, kTileHeight};
      svg->Rect(box,
                absl::StrFormat("class=\"tile\" %s fill-opacity=\"%.2f\"",
                                HueOf(row * all_columns + column), 0.15 + 0.85 * share),
                absl::StrCat("tile ", row, ",", column, ": ", data, " of ", slots, " slots"));
      svg->Text(box.x + kTileWidth / 2, box.y + 16, absl::StrCat(data), "class=\"number\"");
    }
  }
  const double bottom = top + kTileHeight * static_cast<double>(rows) + kLineHeight;
  svg->Text(
      x, bottom,
      absl::StrCat("data slots in each of ", all_rows, " x ", all_columns, " tiles of ",
                   space.tile_rows(), " x ", space.tile_columns(), ", slice 1 of ", space.slices()),
      "class=\"left\"");
  return {x, y, std::max(kBarWidth, kTileWidth * static_cast<double>(columns)), bottom - y};
}

}  // namespace tessera::layout
