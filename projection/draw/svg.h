// Regions as a picture for a page: one self-contained <svg>, no script, readable in grey.
//
//   SvgPicture picture;
//   picture.Add({"lhs", {8, 16}, need, "read by the block"});
//   picture.Arrow("(d0, d1) -> (d0, s0)");
//   picture.Add({"result", {8, 8}, block_cells, "the block"});
//   std::string svg = picture.ToString();
//
// Tensors stand below each other; an arrow begins a new column to the right. Cells are squares of
// 18 with a gap of 1. A region is one outline for each of its boxes, with a title that says what it
// is. Cells of the bounding box that are not read are hatched. With fragments, cells have the
// colour of the part that reads them, in stripes where there are several. Equal input gives equal
// bytes.
#ifndef TESSERA_PROJECTION_DRAW_SVG_H_
#define TESSERA_PROJECTION_DRAW_SVG_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/projection/map/policy.h"
#include "tessera/projection/partition/shards.h"
#include "tessera/projection/set/set.h"

namespace tessera::projection {

struct SvgTensor {
  std::string name;
  ZPoint shape;
  ZSet cells;
  std::string title;  // of the region

  // Who reads what; `cells` is not looked at then.
  std::vector<Fragment> fragments = {};
  int64_t element_bytes = 1;
  // The cells of the question, if they may reach outside the tensor, and those that are there. Drawn for tensors
  // of at most two dimensions that are not scaled.
  std::optional<ZRange> reach = std::nullopt;
  OutOfBoundsPolicy outside = OutOfBoundsPolicy::kDrop;
};

class SvgPicture {
 public:
  void Add(SvgTensor tensor) { items_.push_back({std::move(tensor), "", false}); }
  void Text(std::string line) { items_.push_back({std::nullopt, std::move(line), false}); }
  // To the next column.
  void Arrow(std::string title) { items_.push_back({std::nullopt, std::move(title), true}); }
  // Tensors of more than 4,096 cells are scaled by powers of two.
  std::string ToString() const;

 private:
  struct Item {
    std::optional<SvgTensor> tensor;
    std::string text;
    bool is_arrow;
  };
  std::vector<Item> items_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_DRAW_SVG_H_
