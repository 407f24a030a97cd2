// Changes of unreduced axes in the shape of HLO. Each is a small shard_map over all axes of the
// mesh, whose body does the work on one device's part:
//
//   kAllReduce              all-reduce over the groups of the axes
//   kReplicatedToUnreduced  the part where all coordinates along the axes are 0, else zeros
//   kShardedToUnreduced     zeros of the larger local shape, with the part written at its place
//
// A coordinate comes from the device's number, partition-id: it is divided by the sizes of the
// minor axes, and the remainder by the size of the axis is taken.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/graph/plan_builder.h"
#include "tessera/sharding/graph/plan_layouts.h"
#include "tessera/sharding/graph/sharding_access.h"

namespace tessera::sharding::graph {
namespace {

using hlo::AttributeName;
using hlo::Opcode;
using layout::ElementType;
using layout::Shape;

constexpr char kBody[] = "xla.sdy.inlinable_manual_computation_body";

// Devices between two neighbours along an axis, in the order of the mesh.
int64_t StrideOf(AxisRef axis, const Mesh& mesh) {
  int64_t stride = mesh.axis_size(axis.axis()) / axis.next_pre_size(mesh);
  for (int a = axis.axis() + 1; a < mesh.num_axes(); ++a) stride *= mesh.axis_size(a);
  return stride;
}

// Groups of devices that differ along `axes` only, as HLO writes them: {{0,1},{2,3}}.
std::string ReplicaGroups(const AxisList& axes, const Mesh& mesh) {
  const std::vector<int64_t> devices = mesh.DeviceOrder();
  std::map<int64_t, std::map<int64_t, int64_t>> groups;
  for (int64_t place = 0; place < static_cast<int64_t>(devices.size()); ++place) {
    int64_t group = place, index = 0;
    for (AxisRef axis : axes) {
      const int64_t stride = StrideOf(axis, mesh);
      const int64_t coordinate = place / stride % axis.size(mesh);
      group -= coordinate * stride;
      index = index * axis.size(mesh) + coordinate;
    }
    groups[group][index] = devices[static_cast<size_t>(place)];
  }
  std::vector<std::string> texts;
  for (const auto& [group, members] : groups) {
    std::vector<int64_t> ids;
    for (const auto& [index, device] : members) ids.push_back(device);
    texts.push_back(absl::StrCat("{", absl::StrJoin(ids, ","), "}"));
  }
  return absl::StrCat("{", absl::StrJoin(texts, ","), "}");
}

Shape LocalShape(const Shape& shape, const TensorSharding& s, const Mesh& mesh) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  for (int d = 0; d < s.rank(); ++d) {
    const int64_t parts = ShardedSize(s.dim(d).axes, mesh);
    int64_t& size = dims[static_cast<size_t>(d)];
    size = (size + parts - 1) / parts;
  }
  return Shape::Array(shape.element_type(), dims);
}

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

// Writes the bodies. Every instruction in them is marked as manual.
class ConversionBody {
 public:
  ConversionBody(PlanBuilder& builder, Frame& frame, const Mesh& mesh, ElementType type)
      : builder_(builder), frame_(frame), mesh_(mesh), type_(type) {
    mark_ = builder.Text(frame, kNoSharding, 0);
  }

  NodeId Parameter(const Shape& shape) {
    return builder_.AddParameter(frame_, builder_.graph_.KeepShape(shape), mark_);
  }

  NodeId Op(Opcode opcode, const Shape& shape, absl::Span<const NodeId> operands,
            std::vector<std::pair<AttributeName, std::string>> attributes = {}) {
    PlanNode node;
    node.opcode = opcode;
    node.role = NodeRole::kConversion;
    node.shape = builder_.graph_.KeepShape(shape);
    node.operands.assign(operands.begin(), operands.end());
    node.attributes = std::move(attributes);
    node.sharding = mark_;
    return builder_.Add(frame_, std::move(node));
  }

  NodeId Constant(ElementType type, std::string literal) {
    PlanNode node;
    node.opcode = Opcode::kConstant;
    node.role = NodeRole::kConversion;
    node.shape = builder_.graph_.KeepShape(Shape::Array(type, {}));
    node.literal = std::move(literal);
    node.sharding = mark_;
    return builder_.Add(frame_, std::move(node));
  }

  NodeId Zeros(const Shape& shape) {
    const NodeId zero = Constant(type_, layout::IsComplex(type_) ? "(0, 0)" : "0");
    return Op(Opcode::kBroadcast, shape, {zero}, {{AttributeName::kDimensions, "{}"}});
  }

  NodeId Coordinate(AxisRef axis) {
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

  NodeId AllReduce(NodeId part, const AxisList& axes, Reduction reduction) {
    const int body = builder_.AddCombiner(frame_, CombinerOf(reduction), type_);
    const NodeId id = Op(Opcode::kAllReduce, *builder_.ShapeOf(frame_, part), {part},
                         {{AttributeName::kChannelId, absl::StrCat(builder_.NextChannel())},
                          {AttributeName::kReplicaGroups, ReplicaGroups(axes, mesh_)},
                          {AttributeName::kUseGlobalDeviceIds, "true"}});
    builder_.NodeAt(frame_, id).called = {body};
    return id;
  }

  NodeId ReplicatedToUnreduced(NodeId part, const AxisList& axes) {
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

  NodeId ShardedToUnreduced(NodeId part, const Shape& whole, const std::vector<AxisList>& axes) {
    const Shape& shape = *builder_.ShapeOf(frame_, part);
    std::vector<NodeId> operands = {Zeros(whole), part};
    for (int64_t d = 0; d < shape.rank(); ++d) {
      const AxisList& split = axes[static_cast<size_t>(d)];
      operands.push_back(split.empty() ? Index(0) : Start(split, shape.dim(d)));
    }
    return Op(Opcode::kDynamicUpdateSlice, whole, operands);
  }

 private:
  NodeId Index(int64_t value) { return Constant(ElementType::kS32, absl::StrCat(value)); }

  NodeId Divide(NodeId value, int64_t by) {
    return Op(Opcode::kDivide, index_shape_, {value, Index(by)});
  }

  // Where the part of `size` begins along a dimension that `axes` split.
  NodeId Start(const AxisList& axes, int64_t size) {
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

  PlanBuilder& builder_;
  Frame& frame_;
  const Mesh& mesh_;
  const ElementType type_;
  const Shape index_shape_ = Shape::Array(ElementType::kS32, {});
  PlanSharding mark_ = kNoPlanSharding;
  NodeId device_ = kNoNode;
};

int64_t PlanBuilder::NextChannel() {
  if (next_channel_ == 0) {
    const hlo::Module& module = graph_.module();
    for (hlo::InstructionId i = 0; i < module.num_instructions(); ++i) {
      const auto used = hlo::GetInt(module, i, AttributeName::kChannelId);
      if (used.has_value()) next_channel_ = std::max(next_channel_, *used);
    }
  }
  return ++next_channel_;
}

// The computation that combines two elements of an all-reduce.
int PlanBuilder::AddCombiner(const Frame& frame, Opcode opcode, ElementType type) {
  Frame inner;
  inner.manual = frame.manual;
  inner.computation = NewComputation("region", hlo::kNoId);
  const Shape scalar = Shape::Array(type, {});
  const NodeId a = AddParameter(inner, graph_.KeepShape(scalar), kNoPlanSharding);
  const NodeId b = AddParameter(inner, graph_.KeepShape(scalar), kNoPlanSharding);
  PlanNode node;
  node.opcode = opcode;
  node.role = NodeRole::kConversion;
  node.shape = graph_.KeepShape(scalar);
  node.operands = {a, b};
  node.sharding = Text(inner, kNoSharding, 0);
  At(inner).root = Add(inner, std::move(node));
  return inner.computation;
}

int PlanBuilder::ConversionComputation(const Op* op, const TensorSharding& in,
                                       const ManualContext& inside, const Shape& part,
                                       const Shape& whole) {
  const TensorSharding& out = *graph_.Find(op->result());
  const Mesh& mesh = graph_.meshes().mesh(out.mesh_id());
  Frame inner;
  inner.manual = inside;
  inner.computation = NewComputation(kBody, hlo::kNoId);
  ConversionBody body(*this, inner, mesh, part.element_type());
  const NodeId parameter = body.Parameter(part);
  const AxesInfo& info = *op->As<AxesInfo>();
  NodeId root = kNoNode;
  if (op->kind == OpKind::kAllReduce) {
    root = body.AllReduce(parameter, info.axes[0], in.reduction());
  } else if (op->kind == OpKind::kReplicatedToUnreduced) {
    root = body.ReplicatedToUnreduced(parameter, info.axes[0]);
  } else {
    root = body.ShardedToUnreduced(parameter, whole, info.axes);
  }
  At(inner).root = root;
  return inner.computation;
}

void PlanBuilder::AddConversion(Frame& frame, Op* op) {
  const TensorSharding& out = *graph_.Find(op->result());
  const Mesh& mesh = graph_.meshes().mesh(out.mesh_id());
  const Shape& shape = op->result()->shape();
  const ShardingId from = EffectiveSharding(graph_, op->operand(0));
  const TensorSharding in = from == kNoSharding ? FullyClosedLike(out) : *graph_.Find(from);
  if (op->kind == OpKind::kAllReduce && in.unreduced_axes().empty()) {
    // The sum of an op's own partial results: the partitioner makes it, nothing is to be written.
    frame.nodes[op->result()] = NodeOf(frame, op->operand(0));
    return;
  }
  ManualContext inside = frame.manual;
  inside.mesh = out.mesh_id();
  for (int a = 0; a < mesh.num_axes(); ++a) {
    if (!absl::c_linear_search(frame.manual.axes, a)) inside.axes.push_back(a);
  }
  const Shape part = LocalShape(shape, in, mesh);
  const Shape whole = LocalShape(shape, out, mesh);
  const PlanSharding mark = Text(inside, kNoSharding, 0);
  const auto add = [&](Opcode opcode, const Shape& result, NodeId operand, PlanSharding sharding,
                       const char* target) {
    PlanNode node;
    node.opcode = opcode;
    node.role = NodeRole::kConversion;
    node.source = op->source;
    node.shape = graph_.KeepShape(result);
    node.operands = {operand};
    node.sharding = sharding;
    if (target != nullptr) {
      node.attributes = {{AttributeName::kCustomCallTarget, absl::StrCat("\"", target, "\"")}};
    }
    return Add(frame, std::move(node));
  };
  const int body = ConversionComputation(op, in, inside, part, whole);
  const ShardingId in_id = graph_.shardings().Intern(in);
  const NodeId operand = NodeOf(frame, op->operand(0));
  NodeId node =
      add(Opcode::kCopy, *ShapeOf(frame, operand), operand, Text(frame, in_id, in.rank()), nullptr);
  node = add(Opcode::kCustomCall, part, node, mark, "SPMDFullToShardShape");
  node = add(Opcode::kCall, whole, node, mark, nullptr);
  NodeAt(frame, node).called = {body};
  node = add(Opcode::kCopy, whole, node, mark, nullptr);
  frame.nodes[op->result()] = add(Opcode::kCustomCall, WithDefaultLayout(shape), node,
                                  Text(frame, op->result()), "SPMDShardToFullShape");
}

}  // namespace tessera::sharding::graph
