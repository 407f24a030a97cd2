#include "tessera/projection/draw/picture.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/core/grid.h"

namespace tessera::projection {
namespace {

char Mark(Cover cover) {
  constexpr char kMarks[] = {'.', '/', '+', '#'};
  return kMarks[static_cast<int>(cover)];
}

std::string Summary(const ZPoint& shape, const ZSet& cells) {
  const std::optional<ZRange> box = cells.bounding();
  if (!box.has_value()) return "nothing";
  const int64_t used = cells.size().value_or(0), all = box->size().value_or(1);
  std::string out = absl::StrCat(used, used == 1 ? " cell" : " cells");
  if (*box == ZRange::FromShape(shape) && used == all) return out + ", all of it";
  absl::StrAppend(&out, " of ", BoxText(*box));
  if (used < all) absl::StrAppend(&out, ", ", used * 100 / all, "% of the box used");
  return out;
}

}  // namespace

std::string DrawRegion(absl::string_view name, const ZPoint& shape, const ZSet& cells) {
  return absl::StrCat(name, " ", ShapeText(shape), "  ", Summary(shape, cells), "\n",
                      DrawMarks(shape, [&](const ZRange& at) { return Mark(CoverOf(cells, at)); }));
}

std::string DrawMatrix(const ZProjection& p) {
  if (p.tensor_rank() == 0 || p.index_rank() == 0) {
    return absl::StrCat("[−] ", p.tensor_rank(), " x ", p.index_rank(), ", shape ",
                        p.shape().ToString(), "\n");
  }
  std::vector<std::vector<std::string>> table;
  for (int r = 0; r < p.tensor_rank(); ++r) {
    std::vector<std::string> line;
    for (int64_t entry : p.matrix().row(r)) line.push_back(absl::StrCat(entry));
    line.push_back(absl::StrCat(p.offset()[r]));
    line.push_back(absl::StrCat(p.shape()[r]));
    table.push_back(std::move(line));
  }
  std::string out;
  for (const std::vector<std::string>& line : table) {
    absl::StrAppend(&out, "[");
    for (size_t c = 0; c < line.size(); ++c) {
      size_t width = 0;
      for (const auto& other : table) width = std::max(width, other[c].size());
      if (static_cast<int>(c) >= p.index_rank()) absl::StrAppend(&out, " |");
      absl::StrAppend(&out, c > 0 || static_cast<int>(c) >= p.index_rank() ? " " : "",
                      std::string(width - line[c].size(), ' '), line[c]);
    }
    absl::StrAppend(&out, "]\n");
  }
  return out;
}

std::vector<std::string> MarkTexts(const ZProjection& p, const ZPoint& index) {
  std::vector<std::string> out;
  absl::StatusOr<ZPoint> anchor = p.Start(index);
  const ZPoint& relative = p.spec().offsets.Get(OffsetRole::kRelative);
  if (anchor.ok() && relative.rank() > 0) anchor = anchor->Minus(relative);
  for (const auto& [name, point] : p.spec().marks) {
    const absl::StatusOr<ZPoint> at = anchor.ok() ? anchor->Plus(point) : anchor;
    if (at.ok()) out.push_back(absl::StrCat(name, " at ", at->ToString()));
  }
  return out;
}

}  // namespace tessera::projection
