#include "tessera/sharding/passes/emit/conversion_body.h"

#include "absl/strings/str_cat.h"
#include "tessera/sharding/passes/emit/replica_groups.h"

namespace tessera::sharding::passes {
namespace {

using hlo::AttributeName;
using hlo::Opcode;
using layout::ElementType;
using layout::Shape;

Opcode CombinerOf(Reduction reduction) {
  switch (reduction) {
    case Reduction::kMax:
      return Opcode::kMaximum;
    case Reduction::kMin:
      return Opcode::kMinimum;
    default:
      return Opcode::kAdd;
  }
}

}  // namespace

std::string ZeroLiteral(ElementType type) { return layout::IsComplex(type) ? "(0, 0)" : "0"; }

Value* ConversionBody::Add(Opcode opcode, const Shape& shape, absl::Span<Value* const> operands,
                           HloAttributes attributes) {
  NewNode node;
  node.opcode = opcode;
  node.role = HloRole::kConversion;
  node.shape = lowering_.program_.KeepShape(shape);
  node.sharding = mark_;
  Value* const made = lowering_.Add(frame_, node, operands);
  if (!attributes.empty()) lowering_.InfoOf(made).attributes = std::move(attributes);
  return made;
}

Value* ConversionBody::Constant(ElementType type, std::string literal) {
  NewNode node;
  node.role = HloRole::kConversion;
  node.shape = lowering_.program_.KeepShape(Shape::Array(type, {}));
  node.sharding = mark_;
  return lowering_.AddConstant(frame_, node, std::move(literal));
}

Value* ConversionBody::Zeros(const Shape& shape) {
  Value* const zero = Constant(type_, ZeroLiteral(type_));
  return Add(Opcode::kBroadcast, shape, {zero}, {{AttributeName::kDimensions, "{}"}});
}

Value* ConversionBody::Index(int64_t value) {
  return Constant(ElementType::kS32, absl::StrCat(value));
}

Value* ConversionBody::Divide(Value* value, int64_t by) {
  return Add(Opcode::kDivide, index_shape_, {value, Index(by)});
}

Value* ConversionBody::Coordinate(AxisRef axis) {
  if (device_ == nullptr) {
    Value* const id = Add(Opcode::kPartitionId, Shape::Array(ElementType::kU32, {}), {});
    device_ = Add(Opcode::kConvert, index_shape_, {id});
  }
  Value* place = device_;
  for (int a = mesh_.num_axes() - 1; a > axis.axis(); --a)
    place = Divide(place, mesh_.axis_size(a));
  const int64_t minor = mesh_.axis_size(axis.axis()) / axis.next_pre_size(mesh_);
  if (minor > 1) place = Divide(place, minor);
  return Add(Opcode::kRemainder, index_shape_, {place, Index(axis.size(mesh_))});
}

Value* ConversionBody::AllReduce(Value* part, const AxisList& axes, Reduction reduction) {
  const int body = lowering_.AddCombiner(frame_, CombinerOf(reduction), type_);
  Value* const id = Add(Opcode::kAllReduce, part->shape(), {part},
                        {{AttributeName::kChannelId, absl::StrCat(lowering_.NextChannel())},
                         {AttributeName::kReplicaGroups, ReplicaGroups(axes, mesh_)},
                         {AttributeName::kUseGlobalDeviceIds, "true"}});
  lowering_.InfoOf(id).called = {body};
  return id;
}

Value* ConversionBody::ReplicatedToUnreduced(Value* part, const AxisList& axes) {
  const Shape& shape = part->shape();
  const Shape flag = Shape::Array(ElementType::kPred, {});
  Value* all = nullptr;
  for (AxisRef axis : axes) {
    Value* const coordinate = Coordinate(axis);
    Value* const first =
        Add(Opcode::kCompare, flag, {coordinate, Index(0)}, {{AttributeName::kDirection, "EQ"}});
    all = all == nullptr ? first : Add(Opcode::kAnd, flag, {all, first});
  }
  if (shape.rank() > 0) {
    all = Add(Opcode::kBroadcast, Shape::Array(ElementType::kPred, shape.dims()), {all},
              {{AttributeName::kDimensions, "{}"}});
  }
  return Add(Opcode::kSelect, shape, {all, part, Zeros(shape)});
}

Value* ConversionBody::ShardedToUnreduced(Value* part, const Shape& whole,
                                          const std::vector<AxisList>& axes) {
  const Shape& shape = part->shape();
  std::vector<Value*> operands = {Zeros(whole), part};
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const AxisList& split = axes[static_cast<size_t>(d)];
    operands.push_back(split.empty() ? Index(0) : Start(split, shape.dim(d)));
  }
  return Add(Opcode::kDynamicUpdateSlice, whole, operands);
}

Value* ConversionBody::Start(const AxisList& axes, int64_t size) {
  Value* place = nullptr;
  for (AxisRef axis : axes) {
    Value* const coordinate = Coordinate(axis);
    if (place == nullptr) {
      place = coordinate;
      continue;
    }
    Value* const scaled = Add(Opcode::kMultiply, index_shape_, {place, Index(axis.size(mesh_))});
    place = Add(Opcode::kAdd, index_shape_, {scaled, coordinate});
  }
  return Add(Opcode::kMultiply, index_shape_, {place, Index(size)});
}

}  // namespace tessera::sharding::passes
