// File: projection/svg.h
//
// Regions as a picture for a page: one self-contained <svg>, no script, readable in grey.
//
//   SvgPicture picture;
//   picture.Add({"result", {8, 8}, block_cells, "the block"});
//   picture.Add({"lhs", {8, 16}, need, "read by the block"});
//   std::string svg = picture.ToString();
//
// Cells are squares of 18 with a gap of 1; a region is one outline for each of its boxes, with a
// title that says what it is; cells of the bounding box that are not read are hatched. Equal input
// gives equal bytes.
#ifndef TESSERA_PROJECTION_SVG_H_
#define TESSERA_PROJECTION_SVG_H_

#include <string>
#include <vector>

#include "tessera/projection/set.h"

namespace tessera::projection {

struct SvgTensor {
  std::string name;
  ZPoint shape;
  ZSet cells;
  std::string title;  // of the region
};

class SvgPicture {
 public:
  void Add(SvgTensor tensor) { tensors_.push_back(std::move(tensor)); }
  // Tensors below each other. Tensors of more than 4,096 cells are scaled by powers of two.
  std::string ToString() const;

 private:
  std::vector<SvgTensor> tensors_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SVG_H_
