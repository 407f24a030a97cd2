// Operations that move whole dimensions: each shard of the result comes from one shard of the
// operand. XLA: SpmdPartitioningVisitor::HandleBroadcast, HandleTranspose, HandleReverse,
// HandleIota, HandleConstant, HandleBitcastConvert.

#include <algorithm>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/window.h"

namespace tessera::sharding::partition {
namespace {

Dims DimensionsOf(const Visit& v) {
  const auto dims = hlo::GetInts(v.module(), v.id, hlo::AttributeName::kDimensions);
  return dims.has_value() ? Dims(dims->begin(), dims->end()) : Dims();
}

// Bit patterns of an array that are all zero.
bool IsZero(const Visit& v) {
  const auto literal = hlo::ParseLiteral(v.module().LiteralText(v.id), *v.base);
  return literal.ok() && !literal->elided &&
         std::all_of(literal->bits.begin(), literal->bits.end(),
                     [](uint64_t bits) { return bits == 0; });
}

RecipeId IotaOf(const Visit& v) {
  return v.graph().Keep([&] {
    const int64_t dim =
        hlo::GetInt(v.module(), v.id, hlo::AttributeName::kIotaDimension).value_or(0);
    if (v.tiling().dim(dim) == 1) return recipe::Iota{dim, Recipes::kZeros};
    return recipe::Iota{dim, Times(v.graph().recipes(), OrdinalsAlong(*v.scope, v.tiling(), dim),
                                   v.shard_shape().dim(dim))};
  });
}

}  // namespace

absl::StatusOr<NodeId> PartitionBroadcast(Visit& v) {
  const Dims mapped = DimensionsOf(v);
  if (v.tiling().IsMaximal()) {
    const PartitionedHlo operand = Reshard(v.operand(0), v.tiling());
    return v.graph().Broadcast(*v.base, operand.node, mapped);
  }
  const Dims added = AllExcept(v.base->rank(), mapped);
  const Tiling wanted = RemoveDims(ReplicateOn(v.tiling(), added), added);
  const PartitionedHlo operand = Reshard(v.operand(0), wanted);
  return v.graph().Broadcast(v.shard_shape(), operand.node, mapped);
}

absl::StatusOr<NodeId> PartitionTranspose(Visit& v) {
  const Dims order = DimensionsOf(v);
  Dims inverse(order.size());
  for (int64_t i = 0; i < Size(order); ++i) At(inverse, At(order, i)) = i;
  const PartitionedHlo operand = Reshard(v.operand(0), Transpose(v.tiling(), inverse));
  return v.graph().Transpose(v.shard_shape(), operand.node, order);
}

absl::StatusOr<NodeId> PartitionIota(Visit& v) {
  return v.graph().Add(Opcode::kIota, v.shard_shape(), {}, IotaOf(v));
}

absl::StatusOr<NodeId> PartitionConstant(Visit& v) {
  const bool whole =
      v.base->is_tuple() || (!v.tiling().IsMaximal() &&
                             (!IsEven(*v.base, v.tiling()) || !hlo::IsSplat(v.module(), v.id)));
  if (whole) return Default(v);
  const NodeId node = v.graph().Add(Opcode::kConstant, v.shard_shape(), {}, Recipes::kAsWritten);
  if (v.base->is_array() && v.base->rank() == 0 && !IsZero(v)) v.graph().MarkNonZero(node);
  return node;
}

absl::StatusOr<NodeId> PartitionEmpty(Visit& v) {
  const Tiling whole = v.OnOneDevice() ? v.tiling() : Tiling::Replicated();
  return v.Resharded(v.graph().Zeros(*v.base), whole);
}

absl::StatusOr<NodeId> PartitionReverse(Visit& v) {
  if (v.tiling().IsMaximal()) return Default(v);
  const Dims dims = DimensionsOf(v);
  const PartitionedHlo operand = Reshard(v.operand(0), Reverse(v.tiling(), dims));
  const std::optional<NodeId> padded = PadOnLeft(operand, dims);
  if (!padded.has_value()) return Default(v);
  return v.graph().Add(Opcode::kReverse, v.graph().shape(*padded), {*padded}, Recipes::kAsWritten);
}

absl::StatusOr<NodeId> PartitionBitcastConvert(Visit& v) {
  const int64_t from = v.operands[0].base->rank(), to = v.base->rank();
  if (from == to) return PartitionElementwise(v);
  if (v.tiling().IsMaximal()) return Default(v);
  const PartitionedHlo operand = v.operand(0);
  Tiling in, out;
  if (from > to) {
    in = ReplicateOn(operand.tiling, {to});
    out = RemoveDims(in, {to});
  } else {
    out = ReplicateOn(v.tiling(), {from});
    in = RemoveDims(out, {from});
  }
  const NodeId node = v.graph().Add(Opcode::kBitcastConvert, ShardShape(*v.base, out),
                                    {Reshard(operand, in).node}, Recipes::kAsWritten);
  return v.Resharded(node, out);
}

}  // namespace tessera::sharding::partition
