#include "tessera/testing/families/layout_families.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/layout/advise.h"
#include "tessera/layout/decompose.h"
#include "tessera/layout/draw.h"
#include "tessera/layout/error.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/regular_form.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/layout/validate.h"
#include "tessera/text/diagnostic.h"

namespace tessera::testing {
namespace {

using layout::Shape;
using nlohmann::json;
using Numbers = std::vector<int64_t>;

absl::StatusOr<Shape> ShapeOf(const json& text) {
  return layout::ParseShape(text.get<std::string>());
}

// "ok" or the code of an error.
std::string CodeOf(const absl::Status& status) {
  return status.ok() ? "ok" : layout::ErrorCode(status);
}

template <typename Container>
Numbers ToNumbers(const Container& numbers) {
  return Numbers(numbers.begin(), numbers.end());
}

Outcome ExpectNumbers(const char* what, const Numbers& actual, const json& expected) {
  return Expect(what, absl::StrJoin(actual, ","), absl::StrJoin(expected.get<Numbers>(), ","));
}

Outcome CheckParse(const json& c) {
  const absl::StatusOr<Shape> shape = ShapeOf(c["text"]);
  const Outcome verdict = Expect("parse", CodeOf(shape.status()), c["parse"].get<std::string>());
  if (verdict.verdict != Verdict::kPassed) return verdict;
  if (!shape.ok()) {
    return Expect("offset", text::ErrorOffset(shape.status()), c["offset"].get<size_t>());
  }
  return First({
      Expect("printed", layout::ShapeToString(*shape), c["printed"].get<std::string>()),
      Expect("valid", CodeOf(layout::Validate(*shape)), c["valid"].get<std::string>()),
  });
}

Outcome CheckSize(const json& c) {
  const absl::StatusOr<Shape> shape = ShapeOf(c["text"]);
  if (!shape.ok()) return Failed(shape.status().ToString());
  const absl::StatusOr<layout::MemorySizes> sizes = layout::SizesOf(*shape);
  if (!sizes.ok()) return Failed(sizes.status().ToString());
  const auto number = [&](const char* key, int64_t actual) {
    return Expect(key, actual, c[key].get<int64_t>());
  };
  const json xla = sizes->xla_array_size ? json(*sizes->xla_array_size) : json();
  return First({
      number("elements", sizes->elements),
      number("expanded_elements", sizes->expanded_elements),
      number("total_elements", sizes->total_elements),
      number("bits_per_element", sizes->bits_per_element),
      number("data_bytes", sizes->data_bytes),
      number("padded_bytes", sizes->padded_bytes),
      number("alloc_bytes", sizes->alloc_bytes),
      ExpectNumbers("level_padding", sizes->level_padding, c["level_padding"]),
      number("tail_padding", sizes->tail_padding),
      Expect("xla_array_size", xla, c["xla_array_size"]),
  });
}

// Offsets of all elements in row-major order.
Numbers AllOffsets(const layout::IndexMap& map) {
  Numbers offsets;
  if (std::count(map.dims().begin(), map.dims().end(), 0) > 0) return offsets;
  layout::Sizes64 index(map.dims().size(), 0);
  do {
    offsets.push_back(map.OffsetOf(index));
  } while (layout::NextIndex(map.dims(), absl::MakeSpan(index)));
  return offsets;
}

// Row-major number of the element in each slot, -1 for padding.
Numbers AllElements(const layout::IndexMap& map) {
  Numbers elements;
  for (int64_t offset = 0; offset < map.total(); ++offset) {
    const auto index = map.IndexOf(offset);
    elements.push_back(index.has_value() ? layout::Linearize(*index, map.dims()) : -1);
  }
  return elements;
}

Outcome CheckClosedForm(const Shape& shape, const layout::IndexMap& map) {
  const auto form = layout::RegularFormOf(shape, map.tiling());
  if (!form.has_value()) return Passed();
  layout::Sizes64 index(map.dims().size(), 0);
  do {
    if (layout::OffsetOf(*form, index) == map.OffsetOf(index)) continue;
    return Failed("the closed form disagrees at " + absl::StrJoin(index, ","));
  } while (layout::NextIndex(map.dims(), absl::MakeSpan(index)));
  return Passed();
}

Outcome CheckIndex(const json& c) {
  const absl::StatusOr<Shape> shape = ShapeOf(c["text"]);
  if (!shape.ok()) return Failed(shape.status().ToString());
  const absl::StatusOr<layout::IndexMap> map = layout::IndexMap::Create(*shape);
  if (!map.ok()) return Failed(map.status().ToString());
  return First({
      ExpectNumbers("expanded", ToNumbers(map->tiling().final_sizes()), c["expanded"]),
      Expect("total", map->total(), c["total"].get<int64_t>()),
      ExpectNumbers("offsets", AllOffsets(*map), c["offsets"]),
      ExpectNumbers("inverse", AllElements(*map), c["inverse"]),
      CheckClosedForm(*shape, *map),
  });
}

json ToJson(const std::vector<layout::ArrayOp>& ops) {
  json list = json::array();
  for (const layout::ArrayOp& op : ops) {
    json one = {{"op", std::string(layout::ArrayOpName(op.kind))}, {"dims", ToNumbers(op.dims)}};
    const std::string argument(layout::ArrayOpArgumentName(op.kind));
    if (!argument.empty()) one[argument] = ToNumbers(op.argument);
    list.push_back(std::move(one));
  }
  return list;
}

Outcome CheckDecompose(const json& c) {
  const absl::StatusOr<Shape> shape = ShapeOf(c["text"]);
  if (!shape.ok()) return Failed(shape.status().ToString());
  const auto ops = layout::Decompose(*shape);
  if (!ops.ok()) return Failed(ops.status().ToString());
  return First({
      Expect("ops", ToJson(*ops), c["ops"]),
      Expect("inverse", ToJson(layout::Invert(*ops, shape->array().dims())), c["inverse"]),
  });
}

Shape ArrayToAdvise(const json& c) {
  const auto type = layout::ElementTypeFromName(c["type"].get<std::string>());
  Shape array = Shape::Array(*type, c["dims"].get<Numbers>());
  if (c["current"].is_null()) return array;
  const Numbers order = c["current"].get<Numbers>();
  array.mutable_layout().minor_to_major.assign(order.begin(), order.end());
  return array;
}

Outcome CheckAdvice(const json& c) {
  const auto rules = layout::NamedTileRules(c["rule"].get<std::string>());
  if (!rules.ok()) return Failed(rules.status().ToString());
  const auto advice = layout::Advise(ArrayToAdvise(c), *rules);
  if (!advice.ok()) return Failed(advice.status().ToString());
  std::vector<std::string> equals;
  for (const Shape& shape : advice->equals) equals.push_back(layout::ShapeToString(shape));
  std::sort(equals.begin(), equals.end());
  const json min_set = equals.size() > 24 ? json() : json(equals);
  return First({
      Expect("data_bytes", advice->data_bytes, c["data_bytes"].get<int64_t>()),
      Expect("padded_bytes", advice->best_bytes, c["padded_bytes"].get<int64_t>()),
      Expect("best", layout::ShapeToString(advice->best), c["best"].get<std::string>()),
      Expect("min_count", equals.size(), c["min_count"].get<size_t>()),
      Expect("min_set", min_set, c["min_set"]),
      Expect("same_order_best", layout::ShapeToString(advice->same_order_best),
             c["same_order_best"].get<std::string>()),
      Expect("same_order_bytes", advice->same_order_bytes, c["same_order_bytes"].get<int64_t>()),
  });
}

Outcome CheckDraw(const json& c) {
  const absl::StatusOr<Shape> shape = ShapeOf(c["text"]);
  if (!shape.ok()) return Failed(shape.status().ToString());
  const absl::StatusOr<std::string> picture = layout::Draw(*shape);
  if (!picture.ok()) return Failed(picture.status().ToString());
  const absl::StatusOr<std::string> memory = layout::DrawMemory(*shape);
  if (!memory.ok()) return Failed(memory.status().ToString());
  const std::string expected = absl::StrJoin(c["lines"].get<std::vector<std::string>>(), "\n");
  return First({
      Expect("lines", *picture, expected + "\n"),
      Expect("memory", *memory, c["memory"].get<std::string>()),
  });
}

Outcome CheckEqual(const json& c) {
  const absl::StatusOr<Shape> a = ShapeOf(c["a"]);
  const absl::StatusOr<Shape> b = ShapeOf(c["b"]);
  if (!a.ok() || !b.ok()) return Failed("a shape does not parse");
  return Expect("equal", layout::Equal(*a, *b), c["equal"].get<bool>());
}

}  // namespace

std::vector<Family> LayoutFamilies() {
  return {
      {"layout_parse", CheckParse},   {"layout_size", CheckSize},
      {"layout_index", CheckIndex},   {"layout_decompose", CheckDecompose},
      {"layout_advice", CheckAdvice}, {"layout_draw", CheckDraw},
      {"layout_equal", CheckEqual},
  };
}

}  // namespace tessera::testing
