#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "tessera/layout/draw/svg_parts.h"
#include "tessera/layout/draw/svg_style.h"

namespace tessera::layout {

using text::Box;
using text::SvgWriter;
namespace {

constexpr int64_t kMaxStripColumns = 64;

// The first-level tile that owns a slot; -1 for padding of later levels and for the tail.
int64_t OwnerOf(const Tiling& tiling, int64_t offset) {
  if (offset >= tiling.elements) return -1;
  if (tiling.levels.empty()) return 0;
  Sizes64 index(tiling.final_sizes().size());
  Delinearize(offset, tiling.final_sizes(), absl::MakeSpan(index));
  for (size_t k = tiling.levels.size() - 1; k > 0; --k) {
    if (!LeaveTile(tiling.levels[k], &index)) return -1;
  }
  return TileNumber(tiling.levels[0], index);
}

// Slots of one tile of the first level; without tiles, of one row.
int64_t SlotsOfTile(const Tiling& tiling) {
  if (tiling.levels.empty()) return tiling.physical.empty() ? 1 : tiling.physical.back();
  int64_t slots = 1;
  for (const TileGroup& group : tiling.levels[0].groups) slots *= group.tile;
  return slots;
}

// Memory, in rows of one tile.
class StripPicture {
 public:
  StripPicture(const IndexMap& map, int64_t bits, SvgWriter* svg)
      : map_(map), svg_(svg), bits_(bits) {
    if (map.total() > 0) tile_slots_ = SlotsOfTile(map.tiling());
    columns_ = std::min(tile_slots_, kMaxStripColumns);
    size_t characters = 1;
    for (int64_t size : map.dims()) characters += absl::StrCat(size).size();
    cell_width_ = CellWidth(characters);
  }

  double width() const { return kAxisWidth + cell_width_ * static_cast<double>(columns_); }

  // Draws from (x, y) down; the height used.
  double Draw(double x, double y) {
    const double top = y;
    svg_->Text(x, y += kCellHeight - 6, "memory", "class=\"left\"");
    y += 6;
    for (int64_t start = 0; start < map_.total();) {
      const int64_t tile_end = (start / tile_slots_ + 1) * tile_slots_;
      const int64_t end = std::min({start + columns_, tile_end, map_.total()});
      svg_->Text(x + kAxisWidth - 24, y + 15, absl::StrCat(start), "class=\"axis\"");
      for (int64_t slot = start; slot < end; ++slot) {
        DrawSlot(slot, {x + kAxisWidth + cell_width_ * static_cast<double>(slot - start), y,
                        cell_width_, kCellHeight});
      }
      y += end == tile_end ? kCellHeight + 4 : kCellHeight;
      start = end;
    }
    return y - top;
  }

 private:
  void DrawSlot(int64_t slot, const Box& box) {
    const auto index = map_.IndexOf(slot);
    const int64_t owner = OwnerOf(map_.tiling(), slot);
    const std::string text = index.has_value() ? IndexText(*index) : "";
    const absl::string_view css_class =
        index.has_value() ? "cell" : (owner < 0 ? "cell pad none" : "cell pad");
    const std::string place = absl::StrCat("offset ", slot, ", byte ", slot * bits_ / 8);
    svg_->Rect(box,
               absl::StrCat("class=\"", css_class, "\" data-offset=\"", slot, "\" data-index=\"",
                            text, "\" ", HueOf(owner)),
               index.has_value() ? absl::StrCat("index ", text, ", ", place)
                                 : absl::StrCat("padding, ", place));
    if (index.has_value()) {
      svg_->Text(box.x + box.width / 2, box.y + 15, text, "class=\"number\"");
    } else {
      Hatch(box, svg_);
    }
  }

  const IndexMap& map_;
  SvgWriter* svg_;
  const int64_t bits_;
  int64_t tile_slots_ = 1;
  int64_t columns_ = 1;
  double cell_width_ = 0;
};

}  // namespace

Box DrawStrip(const IndexMap& map, int64_t bits, double x, double y, SvgWriter* svg) {
  StripPicture picture(map, bits, svg);
  return {x, y, picture.width(), picture.Draw(x, y)};
}

}  // namespace tessera::layout
