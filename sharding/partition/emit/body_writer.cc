#include "tessera/sharding/partition/emit/body_writer.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/partition/device_text.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using hlo::Opcode;
using layout::ElementType;
using layout::Shape;

Shape MakeShape(ElementType type, absl::Span<const int64_t> dims) {
  return Shape::Array(type, dims, std::nullopt);
}

hlo::ShapeId InternWithoutLayout(const Shape& shape, hlo::Module* module) {
  if (shape.is_array() && !shape.has_layout()) return module->InternShape(shape);
  return module->InternShape(shape.WithoutLayout());
}

std::string ZeroText(ElementType type) {
  if (type == ElementType::kPred) return "false";
  return layout::IsComplex(type) ? "(0, 0)" : "0";
}

BodyWriter::Id BodyWriter::AddNamed(absl::string_view name, Opcode opcode, hlo::ShapeId shape,
                                    Ids operands, absl::Span<const hlo::Attribute> attributes) {
  return module_.AddHeld(computation_, opcode, name, shape, operands, attributes, metadata_);
}

BodyWriter::Id BodyWriter::Add(Opcode opcode, hlo::ShapeId shape, Ids operands,
                               Attributes attributes) {
  absl::InlinedVector<hlo::Attribute, 4> kept;
  for (const AttributeText& attribute : attributes)
    kept.emplace_back(attribute.name, module_.Keep(attribute.value), 0);
  return AddKept(opcode, shape, operands, kept);
}

BodyWriter::Id BodyWriter::AddKept(Opcode opcode, hlo::ShapeId shape, Ids operands,
                                   absl::Span<const hlo::Attribute> attributes) {
  return AddNamed(output_->NewName(hlo::OpcodeName(opcode)), opcode, shape, operands, attributes);
}

BodyWriter::Id BodyWriter::Add(Opcode opcode, const Shape& shape, Ids operands,
                               Attributes attributes) {
  return Add(opcode, InternWithoutLayout(shape, &module_), operands, attributes);
}

BodyWriter::Id BodyWriter::Scalar(ElementType type, absl::string_view literal) {
  const auto known = scalars_.find({static_cast<int>(type), literal});
  if (known != scalars_.end()) return known->second;
  const Id id = AddKept(Opcode::kConstant, output_->ScalarShape(type), {}, {});
  module_.SetLiteralText(id, literal);
  scalars_[{static_cast<int>(type), module_.LiteralText(id)}] = id;
  return id;
}

BodyWriter::Id BodyWriter::Spread(const Shape& shape, Id scalar) {
  if (module_.shape(scalar).rank() == shape.rank()) return scalar;
  return Add(Opcode::kBroadcast, MakeShape(module_.shape(scalar).element_type(), shape.dims()),
             {scalar}, {{AttributeName::kDimensions, "{}"}});
}

BodyWriter::Id BodyWriter::Zeros(const Shape& shape) {
  return Spread(shape, Scalar(shape.element_type(), ZeroText(shape.element_type())));
}

BodyWriter::Id BodyWriter::PartitionId() {
  if (partition_id_ == hlo::kNoId) {
    partition_id_ = AddKept(Opcode::kPartitionId, output_->ScalarShape(ElementType::kU32), {}, {});
  }
  return partition_id_;
}

BodyWriter::Id BodyWriter::Number(TableId table) {
  if (table == kOwnId) return PartitionId();
  const auto known = numbers_.find(table);
  if (known != numbers_.end()) return known->second;
  const DeviceTable& number = output_->recipes->table(table);
  Id made = hlo::kNoId;
  if (number.opcode == Opcode::kDynamicSlice) {
    made = ElementOf(table);
  } else if (number.opcode == Opcode::kConstant) {
    made = Scalar(ElementType::kS32, absl::StrCat(number.least));
  } else {
    made = AddKept(number.opcode, output_->ScalarShape(ElementType::kS32),
                   {Number(number.a), Number(number.b)}, {});
  }
  numbers_[table] = made;
  return made;
}

BodyWriter::Id BodyWriter::ElementOf(TableId list) {
  const DeviceTable& numbers = output_->recipes->table(list);
  const ElementType type = numbers.is_id ? ElementType::kU32 : ElementType::kS32;
  const Id all = Add(Opcode::kConstant, MakeShape(type, {numbers.size}), {});
  module_.SetKeptLiteralText(all, output_->TextOf(list));
  const Id own = Add(Opcode::kDynamicSlice, MakeShape(type, {1}), {all, Number(numbers.a)},
                     {{AttributeName::kDynamicSliceSizes, "{1}"}});
  return AddKept(Opcode::kReshape, output_->ScalarShape(type), {own}, {});
}

BodyWriter::Id BodyWriter::IsDevice(int64_t device) {
  return AddKept(Opcode::kCompare, output_->ScalarShape(ElementType::kPred),
                 {PartitionId(), Scalar(ElementType::kU32, absl::StrCat(device))},
                 {{AttributeName::kDirection, "EQ", 0}});
}

BodyWriter::Id BodyWriter::ZeroOf(const Shape& shape) {
  if (shape.is_array()) return Zeros(shape);
  if (!shape.is_tuple()) return Add(Opcode::kAfterAll, shape, {});
  std::vector<Id> elements;
  for (const Shape& element : shape.tuple_elements()) elements.push_back(ZeroOf(element));
  return Add(Opcode::kTuple, shape, elements);
}

BodyWriter::Id BodyWriter::Element(Id tuple, int64_t index) {
  const Shape shape = module_.shape(tuple).tuple_elements()[static_cast<size_t>(index)];
  return Add(Opcode::kGetTupleElement, shape, {tuple},
             {{AttributeName::kIndex, absl::StrCat(index)}});
}

BodyWriter::Id BodyWriter::Indices(const Shape& shape, int64_t dim, TableId start) {
  const Shape indices = MakeShape(ElementType::kS32, shape.dims());
  const Id iota =
      Add(Opcode::kIota, indices, {}, {{AttributeName::kIotaDimension, absl::StrCat(dim)}});
  if (start == Recipes::kZeros) return iota;
  return Add(Opcode::kAdd, indices, {iota, Spread(indices, Number(start))});
}

}  // namespace tessera::sharding::partition
