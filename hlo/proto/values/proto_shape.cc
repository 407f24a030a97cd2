#include "tessera/hlo/proto/values/proto_shape.h"

#include <memory>
#include <utility>
#include <vector>

namespace tessera::hlo {

using layout::ElementType;
using layout::Layout;
using layout::Shape;

namespace {

ElementType TypeFromNumber(int32_t number) {
  const bool known = number >= 0 && number < layout::kNumElementTypes;
  return known ? static_cast<ElementType>(number) : ElementType::kInvalid;
}

Layout LayoutFromProto(const pb::LayoutProto& proto) {
  Layout out;
  out.minor_to_major.assign(proto.minor_to_major().begin(), proto.minor_to_major().end());
  for (const pb::TileProto& tile : proto.tiles()) {
    out.tiles.emplace_back().dims.assign(tile.dimensions().begin(), tile.dimensions().end());
  }
  if (proto.tail_padding_alignment_in_elements() != 0) {
    out.tail_alignment = proto.tail_padding_alignment_in_elements();
  }
  out.element_bits = proto.element_size_in_bits();
  out.metadata_prefix_bytes = proto.dynamic_shape_metadata_prefix_bytes();
  out.index_type = TypeFromNumber(proto.index_primitive_type());
  out.pointer_type = TypeFromNumber(proto.pointer_primitive_type());
  out.memory_space = static_cast<int8_t>(proto.memory_space());
  for (const pb::SplitConfigProto& split : proto.split_configs()) {
    layout::SplitConfig& to = out.splits.emplace_back();
    to.dimension = split.dimension();
    to.points.assign(split.split_indices().begin(), split.split_indices().end());
  }
  if (proto.has_physical_shape()) {
    out.physical_shape = std::make_shared<const Shape>(ShapeFromProto(proto.physical_shape()));
  }
  return out;
}

void LayoutToProto(const Layout& layout, pb::LayoutProto* proto) {
  proto->mutable_minor_to_major()->Add(layout.minor_to_major.begin(), layout.minor_to_major.end());
  for (const layout::Tile& tile : layout.tiles) {
    proto->add_tiles()->mutable_dimensions()->Add(tile.dims.begin(), tile.dims.end());
  }
  proto->set_tail_padding_alignment_in_elements(layout.tail_alignment);
  proto->set_element_size_in_bits(layout.element_bits);
  proto->set_dynamic_shape_metadata_prefix_bytes(layout.metadata_prefix_bytes);
  proto->set_index_primitive_type(static_cast<int32_t>(layout.index_type));
  proto->set_pointer_primitive_type(static_cast<int32_t>(layout.pointer_type));
  proto->set_memory_space(layout.memory_space);
  for (const layout::SplitConfig& split : layout.splits) {
    pb::SplitConfigProto* to = proto->add_split_configs();
    to->set_dimension(split.dimension);
    to->mutable_split_indices()->Add(split.points.begin(), split.points.end());
  }
  if (layout.physical_shape != nullptr) {
    ShapeToProto(*layout.physical_shape, proto->mutable_physical_shape());
  }
}

Shape ArrayFromProto(const pb::ShapeProto& proto, ElementType type) {
  const std::vector<int64_t> dims(proto.dimensions().begin(), proto.dimensions().end());
  std::optional<Layout> layout;
  if (proto.has_layout()) layout = LayoutFromProto(proto.layout());
  Shape shape = Shape::Array(type, dims, std::move(layout));
  for (int i = 0; i < proto.is_dynamic_dimension_size() && i < shape.rank(); ++i) {
    if (proto.is_dynamic_dimension(i)) shape.set_dynamic(i, true);
  }
  return shape;
}

}  // namespace

Shape ShapeFromProto(const pb::ShapeProto& proto) {
  const ElementType type = TypeFromNumber(proto.element_type());
  std::vector<Shape> children;
  for (const pb::ShapeProto& child : proto.tuple_shapes()) {
    children.push_back(ShapeFromProto(child));
  }
  if (type == ElementType::kTuple) return Shape::Tuple(std::move(children));
  if (type == ElementType::kToken) return Shape::Token();
  if (type == ElementType::kOpaque) return Shape::Opaque();
  if (type == ElementType::kBuffer && children.size() == 1 && children[0].is_array()) {
    return Shape::Buffer(std::move(children[0]));
  }
  return ArrayFromProto(proto, type);
}

void ShapeToProto(const Shape& shape, pb::ShapeProto* proto) {
  proto->set_element_type(static_cast<int32_t>(shape.element_type()));
  for (const Shape& child : shape.tuple_elements()) ShapeToProto(child, proto->add_tuple_shapes());
  for (int64_t i = 0; i < shape.rank(); ++i) {
    proto->add_dimensions(shape.dim(i));
    proto->add_is_dynamic_dimension(shape.is_dynamic(i));
  }
  if (shape.has_layout()) LayoutToProto(shape.layout(), proto->mutable_layout());
}

}  // namespace tessera::hlo
