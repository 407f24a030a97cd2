#include "tessera/sharding/graph/plan/conversion_body.h"

#include "absl/strings/str_cat.h"
#include "tessera/sharding/graph/plan/replica_groups.h"

namespace tessera::sharding::graph {
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

NodeId ConversionBody::Op(Opcode opcode, const Shape& shape, absl::Span<const NodeId> operands,
                          Attributes attributes) {
  PlanNode node;
  node.opcode = opcode;
  node.role = NodeRole::kConversion;
  node.shape = builder_.graph_.KeepShape(shape);
  node.operands = builder_.plan_.Keep(operands);
  if (!attributes.empty()) node.own = builder_.plan_.Keep({std::move(attributes), ""});
  node.sharding = mark_;
  return builder_.Add(frame_, node);
}

NodeId ConversionBody::Constant(ElementType type, std::string literal) {
  PlanNode node;
  node.opcode = Opcode::kConstant;
  node.role = NodeRole::kConversion;
  node.shape = builder_.graph_.KeepShape(Shape::Array(type, {}));
  node.own = builder_.plan_.Keep({{}, std::move(literal)});
  node.sharding = mark_;
  return builder_.Add(frame_, node);
}

NodeId ConversionBody::Zeros(const Shape& shape) {
  const NodeId zero = Constant(type_, ZeroLiteral(type_));
  return Op(Opcode::kBroadcast, shape, {zero}, {{AttributeName::kDimensions, "{}"}});
}

NodeId ConversionBody::Index(int64_t value) {
  return Constant(ElementType::kS32, absl::StrCat(value));
}

NodeId ConversionBody::Divide(NodeId value, int64_t by) {
  return Op(Opcode::kDivide, index_shape_, {value, Index(by)});
}

NodeId ConversionBody::Coordinate(AxisRef axis) {
  if (device_ == kNoNode) {
    const NodeId id = Op(Opcode::kPartitionId, Shape::Array(ElementType::kU32, {}), {});
    device_ = Op(Opcode::kConvert, index_shape_, {id});
  }
  NodeId place = device_;
  for (int a = mesh_.num_axes() - 1; a > axis.axis(); --a)
    place = Divide(place, mesh_.axis_size(a));
  const int64_t minor = mesh_.axis_size(axis.axis()) / axis.next_pre_size(mesh_);
  if (minor > 1) place = Divide(place, minor);
  return Op(Opcode::kRemainder, index_shape_, {place, Index(axis.size(mesh_))});
}

NodeId ConversionBody::AllReduce(NodeId part, const AxisList& axes, Reduction reduction) {
  const int body = builder_.AddCombiner(frame_, CombinerOf(reduction), type_);
  const NodeId id = Op(Opcode::kAllReduce, *builder_.ShapeOf(frame_, part), {part},
                       {{AttributeName::kChannelId, absl::StrCat(builder_.NextChannel())},
                        {AttributeName::kReplicaGroups, ReplicaGroups(axes, mesh_)},
                        {AttributeName::kUseGlobalDeviceIds, "true"}});
  builder_.NodeAt(frame_, id).called = builder_.plan_.Keep({body});
  return id;
}

NodeId ConversionBody::ReplicatedToUnreduced(NodeId part, const AxisList& axes) {
  const Shape& shape = *builder_.ShapeOf(frame_, part);
  const Shape flag = Shape::Array(ElementType::kPred, {});
  NodeId all = kNoNode;
  for (AxisRef axis : axes) {
    const NodeId coordinate = Coordinate(axis);
    const NodeId first =
        Op(Opcode::kCompare, flag, {coordinate, Index(0)}, {{AttributeName::kDirection, "EQ"}});
    all = all == kNoNode ? first : Op(Opcode::kAnd, flag, {all, first});
  }
  if (shape.rank() > 0) {
    all = Op(Opcode::kBroadcast, Shape::Array(ElementType::kPred, shape.dims()), {all},
             {{AttributeName::kDimensions, "{}"}});
  }
  return Op(Opcode::kSelect, shape, {all, part, Zeros(shape)});
}

NodeId ConversionBody::ShardedToUnreduced(NodeId part, const Shape& whole,
                                          const std::vector<AxisList>& axes) {
  const Shape& shape = *builder_.ShapeOf(frame_, part);
  std::vector<NodeId> operands = {Zeros(whole), part};
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const AxisList& split = axes[static_cast<size_t>(d)];
    operands.push_back(split.empty() ? Index(0) : Start(split, shape.dim(d)));
  }
  return Op(Opcode::kDynamicUpdateSlice, whole, operands);
}

NodeId ConversionBody::Start(const AxisList& axes, int64_t size) {
  NodeId place = kNoNode;
  for (AxisRef axis : axes) {
    const NodeId coordinate = Coordinate(axis);
    if (place == kNoNode) {
      place = coordinate;
      continue;
    }
    const NodeId scaled = Op(Opcode::kMultiply, index_shape_, {place, Index(axis.size(mesh_))});
    place = Op(Opcode::kAdd, index_shape_, {scaled, coordinate});
  }
  return Op(Opcode::kMultiply, index_shape_, {place, Index(size)});
}

}  // namespace tessera::sharding::graph
