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

}  // namespace tessera::projection
