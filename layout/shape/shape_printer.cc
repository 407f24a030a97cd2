#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"

namespace tessera::layout {
namespace {

template <typename Container>
void AppendJoined(const Container& numbers, std::string* out) {
  bool first = true;
  for (int64_t number : numbers) {
    if (!first) out->push_back(',');
    first = false;
    absl::StrAppend(out, number);
  }
}

void AppendTypeSuffix(char mark, ElementType type, std::string* out) {
  if (type != ElementType::kInvalid)
    absl::StrAppend(out, absl::string_view(&mark, 1), "(", ElementTypeName(type), ")");
}

void AppendSplits(const Layout& layout, std::string* out) {
  if (layout.splits.empty()) return;
  out->append("SC");
  for (const SplitConfig& split : layout.splits) {
    absl::StrAppend(out, "(", split.dimension, ":");
    AppendJoined(split.points, out);
    out->push_back(')');
  }
}

void AppendTiles(const Layout& layout, std::string* out) {
  if (layout.tiles.empty()) return;
  out->push_back('T');
  for (const Tile& tile : layout.tiles) out->append(tile.ToString());
}

// Everything after the ':', in the order that readers demand; nothing for defaults.
void AppendSuffixes(const Layout& layout, std::string* out) {
  AppendTiles(layout, out);
  if (layout.tail_alignment != 1) absl::StrAppend(out, "L(", layout.tail_alignment, ")");
  AppendTypeSuffix('#', layout.index_type, out);
  AppendTypeSuffix('*', layout.pointer_type, out);
  if (layout.element_bits != 0) absl::StrAppend(out, "E(", layout.element_bits, ")");
  if (layout.memory_space != 0) absl::StrAppend(out, "S(", int{layout.memory_space}, ")");
  AppendSplits(layout, out);
  if (layout.physical_shape != nullptr) {
    absl::StrAppend(out, "P(", ShapeToString(*layout.physical_shape), ")");
  }
  if (layout.metadata_prefix_bytes > 0) {
    absl::StrAppend(out, "M(", layout.metadata_prefix_bytes, ")");
  }
}

void AppendDim(const Shape& shape, int64_t i, std::string* out) {
  if (shape.is_unbounded(i)) {
    out->push_back('?');
  } else {
    absl::StrAppend(out, shape.is_dynamic(i) ? "<=" : "", shape.dim(i));
  }
}

void AppendArray(const Shape& shape, const PrintOptions& options, std::string* out) {
  absl::StrAppend(out, ElementTypeName(shape.element_type()), "[");
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) out->push_back(',');
    AppendDim(shape, i, out);
  }
  out->push_back(']');
  if (!options.layout || !shape.has_layout()) return;
  const size_t before = out->size();
  AppendLayout(shape.layout(), out);
  const bool says_nothing = shape.rank() == 0 && out->size() == before + 2;  // "{}"
  if (says_nothing) out->resize(before);
}

void AppendTuple(const Shape& shape, const PrintOptions& options, std::string* out) {
  out->push_back('(');
  for (size_t i = 0; i < shape.tuple_elements().size(); ++i) {
    if (i > 0) out->append(", ");
    if (i > 0 && i % 5 == 0 && options.tuple_index_comments) {
      absl::StrAppend(out, "/*index=", i, "*/");
    }
    AppendShape(shape.tuple_elements()[i], options, out);
  }
  out->push_back(')');
}

}  // namespace

void AppendLayout(const Layout& layout, std::string* out) {
  out->push_back('{');
  AppendJoined(layout.minor_to_major, out);
  const size_t colon = out->size();
  out->push_back(':');
  AppendSuffixes(layout, out);
  if (out->size() == colon + 1) out->pop_back();
  out->push_back('}');
}

void AppendShape(const Shape& shape, const PrintOptions& options, std::string* out) {
  switch (shape.kind()) {
    case ShapeKind::kArray:
      return AppendArray(shape, options, out);
    case ShapeKind::kTuple:
      return AppendTuple(shape, options, out);
    case ShapeKind::kBuffer:
      out->append("b(");
      AppendShape(shape.array(), options, out);
      out->push_back(')');
      return;
    case ShapeKind::kToken:
    case ShapeKind::kOpaque:
      absl::StrAppend(out, ElementTypeName(shape.element_type()), "[]");
  }
}

std::string ShapeToString(const Shape& shape, const PrintOptions& options) {
  std::string text;
  AppendShape(shape, options, &text);
  return text;
}

std::string LayoutToString(const Layout& layout) {
  std::string text;
  AppendLayout(layout, &text);
  return text;
}

}  // namespace tessera::layout
