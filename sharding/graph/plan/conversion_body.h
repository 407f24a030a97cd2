// Writes the body of a change of unreduced axes, see plan_unreduced.cc: what one device does with
// its part. Internal to the package.
//
//   ConversionBody body(builder, frame, mesh, element_type);
//   NodeId part = body.Parameter(shape);
//   NodeId root = body.AllReduce(part, axes, Reduction::kSum);
//
// A coordinate of the device comes from its number, partition-id: it is divided by the sizes of the
// minor axes, and the remainder by the size of the axis is taken.

#ifndef TESSERA_SHARDING_GRAPH_PLAN_CONVERSION_BODY_H_
#define TESSERA_SHARDING_GRAPH_PLAN_CONVERSION_BODY_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::graph {

// 0 as the operand of constant(..).
std::string ZeroLiteral(layout::ElementType type);

// Every instruction of the body is marked as manual.
class ConversionBody {
 public:
  ConversionBody(PlanBuilder& builder, Frame& frame, const Mesh& mesh, layout::ElementType type)
      : builder_(builder), frame_(frame), mesh_(mesh), type_(type) {
    mark_ = builder.Text(frame, kNoSharding, 0);
  }

  NodeId Parameter(const layout::Shape& shape) {
    return builder_.AddParameter(frame_, builder_.graph_.KeepShape(shape), mark_);
  }
  // all-reduce over the groups of the axes.
  NodeId AllReduce(NodeId part, const AxisList& axes, Reduction reduction);
  // `part` where all coordinates along the axes are 0, else zeros.
  NodeId ReplicatedToUnreduced(NodeId part, const AxisList& axes);
  // Zeros of the larger local shape `whole`, with the part written at its place. `axes`: those that
  // split each dimension of `part`.
  NodeId ShardedToUnreduced(NodeId part, const layout::Shape& whole,
                            const std::vector<AxisList>& axes);

 private:
  using Attributes = std::vector<std::pair<hlo::AttributeName, std::string>>;

  NodeId Op(hlo::Opcode opcode, const layout::Shape& shape, absl::Span<const NodeId> operands,
            Attributes attributes = {});
  NodeId Constant(layout::ElementType type, std::string literal);
  NodeId Zeros(const layout::Shape& shape);
  NodeId Index(int64_t value);
  NodeId Divide(NodeId value, int64_t by);
  // Of this device along the axis.
  NodeId Coordinate(AxisRef axis);
  // Where the part of `size` begins along a dimension that `axes` split.
  NodeId Start(const AxisList& axes, int64_t size);

  PlanBuilder& builder_;
  Frame& frame_;
  const Mesh& mesh_;
  const layout::ElementType type_;
  const layout::Shape index_shape_ = layout::Shape::Array(layout::ElementType::kS32, {});
  PlanSharding mark_ = kNoPlanSharding;
  NodeId device_ = kNoNode;
};

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PLAN_CONVERSION_BODY_H_
