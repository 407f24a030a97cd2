// Any text as a shape. What parses must print and parse to the same again, and every question about
// it must be answered or refused, whatever its sizes.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tessera/layout/advise.h"
#include "tessera/layout/decompose.h"
#include "tessera/layout/draw.h"
#include "tessera/layout/draw_svg.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/layout/validate.h"

namespace tessera::layout {
namespace {

void Demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void CheckArray(const Shape& array) {
  const absl::StatusOr<IndexMap> map = IndexMap::Create(array);
  if (!map.ok()) return;
  for (int64_t offset : {int64_t{0}, map->total() / 2, map->total() - 1}) {
    const auto index = map->IndexAt(offset);
    if (!index.ok() || !index->has_value()) continue;
    Demand(*map->Offset(**index) == offset, "the index of an offset has another offset");
  }
  Decompose(array).status().IgnoreError();
  DrawSvg(array).status().IgnoreError();
  static const TileRules* const rules = new TileRules(*NamedTileRules("tpu+large"));
  if (array.rank() < 8) Advise(array, *rules).status().IgnoreError();
}

void Check(absl::string_view text) {
  ParseLayout(text).status().IgnoreError();
  const absl::StatusOr<Shape> shape = ParseShape(text);
  if (!shape.ok()) return;
  const std::string printed = ShapeToString(*shape);
  const absl::StatusOr<Shape> again = ParseShape(printed);
  Demand(again.ok() && *again == *shape, "the printed text is another shape");
  Demand(ShapeToString(*again) == printed, "canonical text is printed otherwise");
  Demand(Equal(*again, *shape), "equal shapes do not compare equal");
  Demand(SizesOf(*shape).ok() || !Validate(*shape).ok() || printed.find('?') != std::string::npos ||
             shape->is_tuple() || printed.find("M(") != std::string::npos,
         "a valid array has no sizes");
  Draw(*shape).status().IgnoreError();
  ForEachLeaf(*shape, [](const Shape& leaf) { CheckArray(leaf.array()); });
}

}  // namespace
}  // namespace tessera::layout

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tessera::layout::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
