// Writes the body of a change of unreduced axes, see unreduced.cc: what one device does with
// its part. Internal to the package.
//
//   ConversionBody body(lowering, frame, mesh, element_type);
//   Value* part = body.Parameter(shape);
//   body.Return(body.AllReduce(part, axes, Reduction::kSum));
//
// A coordinate of the device comes from its number, partition-id: it is divided by the sizes of the
// minor axes, and the remainder by the size of the axis is taken.

#ifndef TESSERA_SHARDING_PASSES_EMIT_CONVERSION_BODY_H_
#define TESSERA_SHARDING_PASSES_EMIT_CONVERSION_BODY_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/passes/emit/lowering.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::passes {

// 0 as the operand of constant(..).
std::string ZeroLiteral(layout::ElementType type);

// Every instruction of the body is marked as manual.
class ConversionBody {
 public:
  ConversionBody(Lowering& lowering, const Frame& frame, const Mesh& mesh, layout::ElementType type)
      : lowering_(lowering), frame_(frame), mesh_(mesh), type_(type) {
    mark_ = lowering.Text(frame, kNoSharding, 0);
  }

  Value* Parameter(const layout::Shape& shape) {
    return lowering_.AddParameter(frame_.at.block, lowering_.program_.KeepShape(shape), mark_);
  }
  void Return(Value* root) { lowering_.program_.AddOp({OpKind::kReturn}, {root}, {}, frame_.at); }
  // all-reduce over the groups of the axes.
  Value* AllReduce(Value* part, const AxisList& axes, Reduction reduction);
  // `part` where all coordinates along the axes are 0, else zeros.
  Value* ReplicatedToUnreduced(Value* part, const AxisList& axes);
  // Zeros of the larger local shape `whole`, with the part written at its place. `axes`: the axes
  // that split each dimension of `part`.
  Value* ShardedToUnreduced(Value* part, const layout::Shape& whole,
                            const std::vector<AxisList>& axes);

 private:
  Value* Add(hlo::Opcode opcode, const layout::Shape& shape, absl::Span<Value* const> operands,
             HloAttributes attributes = {});
  Value* Constant(layout::ElementType type, std::string literal);
  Value* Zeros(const layout::Shape& shape);
  Value* Index(int64_t value);
  Value* Divide(Value* value, int64_t by);
  // Of this device along the axis.
  Value* Coordinate(AxisRef axis);
  // Where the part of `size` begins along a dimension that `axes` split.
  Value* Start(const AxisList& axes, int64_t size);

  Lowering& lowering_;
  const Frame& frame_;
  const Mesh& mesh_;
  const layout::ElementType type_;
  const layout::Shape index_shape_ = layout::Shape::Array(layout::ElementType::kS32, {});
  HloShardingId mark_ = kNoHloSharding;
  Value* device_ = nullptr;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_CONVERSION_BODY_H_
